//! What can be read by its address: the open sessions, the configuration, a task, a session.

use handoff_ops::leaving::{for_model, json_for_model};
use handoff_ops::{Reply, registry};
use rmcp::RoleServer;
use rmcp::model::{ErrorData, ReadResourceResult, Resource, ResourceContents, ResourceTemplate};
use rmcp::service::RequestContext;
use serde_json::{Value, json};

use crate::answer::{self, BUDGET};
use crate::server::{Server, protocol_error};

pub(crate) const SESSIONS: &str = "handoff://sessions";
pub(crate) const CONFIG: &str = "handoff://config";
const MARKDOWN: &str = "text/markdown";
/// Unfinished work that is listed by name; the rest is found through the templates.
const LISTED: usize = 20;

/// A kind of record with an address of its own.
pub(crate) struct Kind {
    /// What its address begins with
    prefix: &'static str,
    name: &'static str,
    title: &'static str,
    description: &'static str,
    /// The operation that shows one
    show: &'static str,
    /// The argument by which it is told which
    which: &'static str,
    /// The operation that lists them
    pub(crate) list: &'static str,
    /// The request for those worth listing
    open: fn() -> Value,
}

/// The kinds of records, in the order they are told about.
pub(crate) const KINDS: [Kind; 2] = [
    Kind {
        prefix: "handoff://session/",
        name: "session",
        title: "A session",
        description: "What a session left behind, by its id or full name",
        show: "session.show",
        which: "session",
        list: "session.list",
        open: || json!({"status": ["active", "paused"]}),
    },
    Kind {
        prefix: "handoff://task/",
        name: "task",
        title: "A task",
        description: "All about a task, by its id or number",
        show: "task.show",
        which: "id",
        list: "task.list",
        open: || json!({"status": ["in_progress", "blocked", "review"], "flat": true}),
    },
];

impl Kind {
    fn is_offered(&self) -> bool {
        registry::find(self.show).is_some() && registry::find(self.list).is_some()
    }

    pub(crate) fn template(&self) -> String {
        format!("{}{{id}}", self.prefix)
    }

    /// The id in an address of this kind.
    fn id_in<'a>(&self, uri: &'a str) -> Option<&'a str> {
        uri.strip_prefix(self.prefix).filter(|id| !id.is_empty() && !id.contains('/'))
    }
}

/// The kinds this program has operations for.
pub(crate) fn kinds() -> impl Iterator<Item = &'static Kind> {
    KINDS.iter().filter(|kind| kind.is_offered())
}

/// What can be read without knowing an id, and the work that is under way.
pub(crate) async fn list(server: &Server, context: &RequestContext<RoleServer>) -> Vec<Resource> {
    let mut resources = Vec::new();
    if registry::find("session.list").is_some() {
        let sessions = Resource::new(SESSIONS, "sessions").with_title("Open sessions");
        let about = "Sessions that are active or paused, as JSON";
        resources.push(sessions.with_description(about).with_mime_type("application/json"));
    }
    let config = Resource::new(CONFIG, "config").with_title("Configuration");
    resources.push(config.with_description("The project's config.toml").with_mime_type("application/toml"));
    for kind in kinds() {
        // Without a project there is nothing to list, and that is no error here.
        let Ok(reply) = server.ask(kind.list, (kind.open)(), context).await else { continue };
        resources.extend(records(&reply.json()).into_iter().take(LISTED).map(|record| {
            Resource::new(format!("{}{}", kind.prefix, record.id), kind.name)
                .with_title(record.label)
                .with_mime_type(MARKDOWN)
        }));
    }
    resources
}

pub(crate) fn templates() -> Vec<ResourceTemplate> {
    let template = |kind: &Kind| {
        ResourceTemplate::new(kind.template(), kind.name)
            .with_title(kind.title)
            .with_description(kind.description)
            .with_mime_type(MARKDOWN)
    };
    kinds().map(template).collect()
}

/// Whether something can be read at this address, as far as its form tells.
pub(crate) fn is_known(uri: &str) -> bool {
    uri == SESSIONS || uri == CONFIG || kinds().any(|kind| kind.id_in(uri).is_some())
}

pub(crate) fn unknown(uri: &str) -> ErrorData {
    let shown: String = uri.chars().take(200).collect();
    let known: Vec<String> =
        [SESSIONS.to_owned(), CONFIG.to_owned()].into_iter().chain(kinds().map(Kind::template)).collect();
    ErrorData::resource_not_found(format!("nothing can be read at `{shown}`: known are {}", known.join(", ")), None)
}

/// Reads what is at an address.
pub(crate) async fn read(
    server: &Server,
    uri: &str,
    context: &RequestContext<RoleServer>,
) -> Result<ReadResourceResult, ErrorData> {
    let (text, kind) = text(server, uri, context).await?;
    server.watch().saw(uri, &text);
    Ok(ReadResourceResult::new(vec![ResourceContents::text(text, uri).with_mime_type(kind)]))
}

/// The text at an address, and what kind of text it is.
pub(crate) async fn text(
    server: &Server,
    uri: &str,
    context: &RequestContext<RoleServer>,
) -> Result<(String, &'static str), ErrorData> {
    let ask = async |operation, request| -> Result<Reply, ErrorData> {
        server.ask(operation, request, context).await.map_err(|error| protocol_error(&error))
    };
    match uri {
        SESSIONS => {
            let reply = ask("session.list", (KINDS[0].open)()).await?;
            let mut sessions = reply.json()["sessions"].take();
            json_for_model(&mut sessions, &reply.allowed);
            Ok((answer::json_text(&sessions), "application/json"))
        }
        CONFIG => {
            let reply = ask("config.file", json!({})).await?;
            let json = reply.json();
            let text = json["text"].as_str().unwrap_or_default();
            Ok((for_model(text, &reply.allowed).into_owned(), "application/toml"))
        }
        _ => {
            let known = kinds().find_map(|kind| Some((kind, kind.id_in(uri)?)));
            let (kind, id) = known.ok_or_else(|| unknown(uri))?;
            let reply = ask(kind.show, json!({ kind.which: id })).await?;
            Ok((answer::markdown(&reply, Some(BUDGET)), MARKDOWN))
        }
    }
}

/// A record as a list shows it.
pub(crate) struct Record {
    pub(crate) id: String,
    pub(crate) label: String,
}

/// The records in what a list operation answered: the objects with an id in its first list.
pub(crate) fn records(listed: &Value) -> Vec<Record> {
    let lists = listed.as_object().into_iter().flat_map(|fields| fields.values()).filter_map(Value::as_array);
    let records = |list: &Vec<Value>| -> Vec<Record> {
        let record = |item: &Value| {
            let text = |key: &str| item[key].as_str().filter(|text| !text.is_empty());
            let label: Vec<&str> = ["number", "title"].into_iter().filter_map(text).collect();
            let label = if label.is_empty() { text("summary").unwrap_or_default().to_owned() } else { label.join(" ") };
            let label = handoff_ops::visible(&label, handoff_ops::Breaks::Mark).chars().take(120).collect();
            Some(Record { id: text("id")?.to_owned(), label })
        };
        list.iter().filter_map(record).collect()
    };
    lists.map(records).find(|found| !found.is_empty()).unwrap_or_default()
}
