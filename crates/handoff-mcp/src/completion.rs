//! Completing an id while a person types it.

use rmcp::RoleServer;
use rmcp::model::{CompleteRequestParams, CompleteResult, CompletionInfo, Reference};
use rmcp::service::RequestContext;
use serde_json::json;

use crate::prompt;
use crate::resource::{self, Kind, Record};
use crate::server::Server;

/// The ids that begin with what was typed, or whose title has it in it. What cannot be completed has none.
pub(crate) async fn complete(
    server: &Server,
    request: CompleteRequestParams,
    context: &RequestContext<RoleServer>,
) -> CompleteResult {
    let Some(kind) = kind(&request) else { return CompleteResult::default() };
    let Ok(reply) = server.ask(kind.list, json!({}), context).await else { return CompleteResult::default() };
    let typed = request.argument.value.to_lowercase();
    let fits = |record: &Record| record.id.starts_with(&typed) || record.label.to_lowercase().contains(&typed);
    let mut ids: Vec<String> =
        resource::records(&reply.json()).into_iter().filter(fits).map(|record| record.id).collect();
    let total = u32::try_from(ids.len()).ok();
    let has_more = ids.len() > CompletionInfo::MAX_VALUES;
    ids.truncate(CompletionInfo::MAX_VALUES);
    CompletionInfo::with_pagination(ids, total, has_more).map(CompleteResult::new).unwrap_or_default()
}

/// What kind of record an argument names.
fn kind(request: &CompleteRequestParams) -> Option<&'static Kind> {
    match &request.r#ref {
        Reference::Resource(template) if request.argument.name == "id" => {
            resource::kinds().find(|kind| kind.template() == template.uri)
        }
        Reference::Prompt(asked) if prompt::takes_session(&asked.name, &request.argument.name) => {
            resource::kinds().find(|kind| kind.list == "session.list")
        }
        _ => None,
    }
}
