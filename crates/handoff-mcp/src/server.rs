//! The server as the protocol sees it. Everything it is asked goes on to the module that knows.

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

use handoff_model::close::close_matches;
use handoff_ops::{OpError, Reply, registry};
use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, CallToolResult, CompleteRequestParams, CompleteResult,
    CustomRequest, CustomResult, DiscoverResult, ErrorCode, ErrorData, GetPromptRequestParams, GetPromptResponse,
    Implementation, InitializeRequestParams, InitializeResult, JsonObject, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams, ProtocolVersion,
    ReadResourceRequestParams, ReadResourceResponse, ServerCapabilities, ServerConfig, SubscribeRequestParams,
    SubscriptionFilter, Tool, UnsubscribeRequestParams,
};
use rmcp::service::{RequestContext, SubscriptionContext};
use rmcp::{RoleServer, ServerHandler};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::call::{Asked, Runner};
use crate::progress::Watcher;
use crate::request::Arguments;
use crate::watch::Watch;
use crate::{answer, caller, completion, prompt, resource, sets, tool};

/// Lists change only with the program.
const LONG: u64 = 60 * 60 * 1000;
/// Close names to suggest for one that is unknown.
const SUGGESTED: usize = 3;

const INSTRUCTIONS: &str = "\
handoff carries this project's tasks, decisions and next steps from one session to the next. \
At the start, and when asked to continue where they left off, call `handoff_load_context`; when work stops or the user \
says to close the session, call `handoff_save_context` with a summary, decisions, blockers and next steps. \
In between, keep tasks true with `handoff_list_tasks` and `handoff_update_task`.";

/// One connection with a client.
#[derive(Clone)]
pub(crate) struct Server(Arc<Inner>);

struct Inner {
    runner: Runner,
    tools: OnceLock<Vec<Tool>>,
    watch: Watch,
    /// Cancelled when the client is gone.
    ended: CancellationToken,
}

impl Server {
    pub(crate) fn new(runner: Runner, ended: CancellationToken) -> Server {
        Server(Arc::new(Inner { runner, tools: OnceLock::new(), watch: Watch::default(), ended }))
    }

    pub(crate) fn runner(&self) -> &Runner {
        &self.0.runner
    }

    pub(crate) fn watch(&self) -> &Watch {
        &self.0.watch
    }

    pub(crate) fn ended(&self) -> &CancellationToken {
        &self.0.ended
    }

    /// Asks for an operation by its name, in the server's own project.
    pub(crate) async fn ask(
        &self,
        operation: &str,
        request: Value,
        context: &RequestContext<RoleServer>,
    ) -> Result<Reply, OpError> {
        let entry = registry::find(operation)
            .ok_or_else(|| OpError::not_found(format!("this handoff has no operation `{operation}`")))?;
        let Value::Object(request) = request else { unreachable!("a request is an object") };
        let caller = self.caller(context);
        let asked = Asked { entry, request, project_dir: None, caller };
        self.runner().run(asked, &context.ct, None).await
    }

    pub(crate) fn caller(&self, context: &RequestContext<RoleServer>) -> handoff_ops::Caller {
        caller::of(context, self.runner().connection(), &self.runner().settings().env)
    }

    fn tools(&self) -> &[Tool] {
        self.0.tools.get_or_init(|| {
            let output = tool::output_schema();
            self.runner().settings().tools.listed().map(|entry| tool::listed(entry, &output)).collect()
        })
    }

    async fn call(
        &self,
        name: &str,
        arguments: JsonObject,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallToolResult, ErrorData> {
        let entry = sets::tool(name).ok_or_else(|| unknown_tool(name))?;
        let result = async {
            let Arguments { request, project_dir, format, budget } = Arguments::read(entry, arguments)?;
            let asked = Asked { entry, request, project_dir, caller: self.caller(context) };
            let reply = self.runner().run(asked, &context.ct, Watcher::of(context).as_ref()).await?;
            Ok(if entry.effect.is_reading() { answer::reading(&reply, format, budget) } else { answer::change(&reply) })
        };
        Ok(result.await.unwrap_or_else(|error: OpError| answer::error(&error)))
    }
}

fn unknown_tool(name: &str) -> ErrorData {
    // Whoever knows the command may have made a tool's name of it.
    let command = name.strip_prefix("handoff_").unwrap_or(name);
    let of_command = sets::offered().filter(|entry| entry.verb() == command || entry.name.replace('.', "_") == command);
    let mut close: Vec<&str> = of_command.map(|entry| entry.tool).take(SUGGESTED).collect();
    if close.is_empty() {
        close = close_matches(name, sets::offered().map(|entry| entry.tool), SUGGESTED);
    }
    let advice = match close.as_slice() {
        [] => String::new(),
        close => {
            format!(": did you mean {}?", close.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", "))
        }
    };
    let shown: String = name.chars().take(100).collect();
    ErrorData::invalid_params(format!("no tool is called `{shown}`{advice}"), None)
}

/// An operation's error where the protocol wants a code.
pub(crate) fn protocol_error(error: &OpError) -> ErrorData {
    let text = answer::error_text(error);
    ErrorData::new(ErrorCode(error.kind().mcp_code()), text, None)
}

fn is_modern(context: &RequestContext<RoleServer>) -> bool {
    context.protocol_version().is_some_and(|version| !version.has_initialize())
}

/// Says how long a list stays true, to clients that ask.
macro_rules! lasting {
    ($result:expr, $context:expr) => {
        if is_modern(&$context) { $result.with_ttl_ms(LONG).with_cache_scope(CacheScope::Public) } else { $result }
    };
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_completions()
            .enable_prompts()
            .enable_resources()
            .enable_resources_list_changed()
            .enable_resources_subscribe()
            .enable_tools()
            .build();
        let program = Implementation::new("handoff", env!("CARGO_PKG_VERSION")).with_title("handoff");
        ServerConfig::new(capabilities)
            .with_server_info(program)
            .with_instructions(INSTRUCTIONS)
            .with_protocol_version(ProtocolVersion::LATEST_WITH_INITIALIZE)
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        let answer = self.negotiate_initialize(&request)?;
        // What was agreed on counts from here, not what was asked for.
        context.peer.set_peer_info(request.with_protocol_version(answer.protocol_version.clone()));
        Ok(answer)
    }

    async fn discover(&self, _context: RequestContext<RoleServer>) -> Result<DiscoverResult, ErrorData> {
        let versions: Cow<'static, [ProtocolVersion]> = self.supported_protocol_versions();
        let result = DiscoverResult::from_server_info(versions.into_owned(), self.get_info());
        Ok(result.with_ttl_ms(LONG).with_cache_scope(CacheScope::Public))
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(lasting!(ListToolsResult::with_all_items(self.tools().to_vec()), context))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = request.arguments.unwrap_or_default();
        Ok(self.call(&request.name, arguments, &context).await?.into())
    }

    async fn list_resources(
        &self,
        _request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        Ok(ListResourcesResult::with_all_items(resource::list(self, &context).await))
    }

    async fn list_resource_templates(
        &self,
        _request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(lasting!(ListResourceTemplatesResult::with_all_items(resource::templates()), context))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        Ok(resource::read(self, &request.uri, &context).await?.into())
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        let mut accepted = requested.clone();
        if let Some(uris) = &mut accepted.resource_subscriptions {
            uris.retain(|uri| resource::is_known(uri));
        }
        Some(accepted)
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        self.watch().listen(self, &context).await;
        Ok(())
    }

    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        if !resource::is_known(&request.uri) {
            return Err(resource::unknown(&request.uri));
        }
        self.watch().subscribe(self, request.uri, context).await;
        Ok(())
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.watch().unsubscribe(&request.uri);
        Ok(())
    }

    async fn list_prompts(
        &self,
        _request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Ok(lasting!(ListPromptsResult::with_all_items(prompt::list()), context))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        Ok(prompt::get(self, request, &context).await?.into())
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        Ok(completion::complete(self, request, &context).await)
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        // A method that is known arrives here when its parameters could not be read.
        let method: String = request.method.chars().take(100).collect();
        if METHODS.contains(&method.as_str()) {
            return Err(ErrorData::invalid_params(
                format!("the `params` of `{method}` are not as it needs them"),
                None,
            ));
        }
        Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, format!("no method is called `{method}`"), None))
    }
}

/// The methods that take parameters.
const METHODS: &[&str] = &[
    "completion/complete",
    "initialize",
    "prompts/get",
    "prompts/list",
    "resources/list",
    "resources/read",
    "resources/subscribe",
    "resources/templates/list",
    "resources/unsubscribe",
    "server/discover",
    "subscriptions/listen",
    "tools/list",
];
