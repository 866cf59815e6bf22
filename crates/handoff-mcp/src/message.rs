//! What one line says: a message for the server, something to refuse with a reason, or nothing.
//!
//! **Invariant:** a request is always answered, and nothing else ever is. Where it cannot be told whose line it is, the
//! refusal carries `id: null`.

use rmcp::model::{
    CallToolRequest, CallToolRequestParams, ClientJsonRpcMessage, ClientRequest, ErrorCode, JsonObject, RequestId,
    RequestMetaObject,
};
use serde_json::{Value, json};

use crate::line::LONGEST;
use crate::oversize::Addressee;

/// What to do about a line.
#[derive(Debug)]
pub(crate) enum Heard {
    /// A request, a notification or a response.
    Message(Box<ClientJsonRpcMessage>),
    /// The answer to something that is none of these.
    Refused(Refusal),
    /// Nothing: a notification or response that means nothing to us.
    Nothing,
}

/// Why a line is not accepted.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Refusal {
    /// Whose answer it is, where that can be told
    id: Value,
    code: ErrorCode,
    reason: String,
}

impl Refusal {
    fn new(id: Value, code: ErrorCode, reason: impl Into<String>) -> Refusal {
        Refusal { id, code, reason: reason.into() }
    }

    /// Answers a line that was too long to read, unless it needs no answer.
    pub(crate) fn too_long(addressee: Addressee) -> Option<Refusal> {
        let (id, code) = match addressee {
            Addressee::Request(id) => (id, ErrorCode::INVALID_REQUEST),
            Addressee::Unknown => (Value::Null, ErrorCode::PARSE_ERROR),
            Addressee::Nobody => return None,
        };
        let megabytes = LONGEST / 1024 / 1024;
        Some(Refusal::new(id, code, format!("the message is longer than {megabytes} MB")))
    }

    /// The line that answers.
    pub(crate) fn to_line(&self) -> String {
        let Refusal { id, code, reason } = self;
        json!({"jsonrpc": "2.0", "id": id, "error": {"code": code.0, "message": reason}}).to_string()
    }
}

/// Reads one line.
pub(crate) fn read(line: &[u8]) -> Heard {
    let unreadable = |reason| Heard::Refused(Refusal::new(Value::Null, ErrorCode::PARSE_ERROR, reason));
    let text = match str::from_utf8(line) {
        Ok(text) => text,
        Err(error) => {
            return unreadable(format!("the message is not UTF-8: byte {} is out of place", error.valid_up_to() + 1));
        }
    };
    match serde_json::from_str(text) {
        Ok(Value::Object(fields)) => read_object(fields),
        Ok(Value::Array(_)) => {
            invalid(Value::Null, "a batch of messages is not supported: send each on a line of its own")
        }
        Ok(_) => invalid(Value::Null, "a message is a JSON object"),
        Err(error) => unreadable(format!("the message is not JSON: {error}")),
    }
}

fn invalid(id: Value, reason: &str) -> Heard {
    Heard::Refused(Refusal::new(id, ErrorCode::INVALID_REQUEST, reason))
}

fn read_object(mut fields: JsonObject) -> Heard {
    if fields.get("params").is_some_and(Value::is_null) {
        fields.remove("params");
    }
    let given = fields.get("id").cloned();
    let id: Option<RequestId> = given.clone().and_then(|id| serde_json::from_value(id).ok());
    let shown = id.clone().map_or(Value::Null, RequestId::into_json_value);
    let is_request = fields.contains_key("method") && given.is_some();
    let is_answer = !fields.contains_key("method") && (fields.contains_key("result") || fields.contains_key("error"));
    let is_notification = fields.contains_key("method") && given.is_none();
    if !is_request && !is_answer && !is_notification {
        return invalid(shown, "the message has no `method`");
    }
    if is_request {
        let complaint = if fields.get("jsonrpc") != Some(&json!("2.0")) {
            Some("`jsonrpc` must be \"2.0\"")
        } else if id.is_none() {
            Some("the `id` of a request is a string or a whole number")
        } else if !fields["method"].is_string() {
            Some("`method` must be a string")
        } else if !matches!(fields.get("params"), None | Some(Value::Object(_))) {
            Some("`params` must be an object")
        } else {
            None
        };
        if let Some(complaint) = complaint {
            return invalid(shown, complaint);
        }
    }
    if let (Some(id), Some("tools/call")) = (&id, fields.get("method").and_then(Value::as_str)) {
        return tool_call(id.clone(), fields.remove("params"));
    }
    if fields.get("method").and_then(Value::as_str) == Some("initialize") {
        complete_handshake(&mut fields);
    }
    match serde_json::from_value(Value::Object(fields)) {
        Ok(message) => Heard::Message(Box::new(message)),
        Err(_) if is_request => invalid(shown, "the request cannot be understood"),
        Err(_) => Heard::Nothing,
    }
}

/// Fills in what a client leaves out when it introduces itself; nothing depends on it.
fn complete_handshake(fields: &mut JsonObject) {
    let params = fields.entry("params").or_insert_with(|| json!({}));
    if let Value::Object(params) = params {
        params.entry("protocolVersion").or_insert_with(|| json!(""));
        params.entry("capabilities").or_insert_with(|| json!({}));
        params.entry("clientInfo").or_insert_with(|| json!({"name": "", "version": ""}));
    }
}

/// A call, whose arguments may be large: read without trying what else it could be.
fn tool_call(id: RequestId, params: Option<Value>) -> Heard {
    let shown = id.clone().into_json_value();
    let wrong = |reason| Heard::Refused(Refusal::new(shown, ErrorCode::INVALID_PARAMS, reason));
    let Some(Value::Object(mut params)) = params else { return wrong("a call needs `params` with a `name`") };
    let Some(Value::String(name)) = params.remove("name") else {
        return wrong("a call needs the `name` of the tool, a string");
    };
    let mut call = CallToolRequestParams::new(name);
    match params.remove("arguments") {
        None | Some(Value::Null) => {}
        Some(Value::Object(arguments)) => call.arguments = Some(arguments),
        Some(_) => return wrong("`arguments` must be an object"),
    }
    let mut request = CallToolRequest::new(call);
    match params.remove("_meta") {
        None | Some(Value::Null) => {}
        Some(Value::Object(meta)) => {
            request.extensions.insert(RequestMetaObject::from(meta));
        }
        Some(_) => return wrong("`_meta` must be an object"),
    }
    Heard::Message(Box::new(ClientJsonRpcMessage::request(ClientRequest::CallToolRequest(request), id)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(line: &[u8]) -> (Value, i32, String) {
        match read(line) {
            Heard::Refused(Refusal { id, code, reason }) => (id, code.0, reason),
            other => panic!("it was not refused: {other:?}"),
        }
    }

    #[test]
    fn what_is_no_json_is_a_parse_error_without_an_id() {
        let cases: [(&[u8], &str); 4] = [
            (b"{\"id\": 1, \"method\": \"\xff\"}", "the message is not UTF-8: byte 22 is out of place"),
            (b"hello", "the message is not JSON: "),
            (b"{\"id\": 1, \"method\":", "the message is not JSON: EOF"),
            (&b"[".repeat(100_000), "the message is not JSON: recursion limit exceeded"),
        ];
        for (line, expected) in cases {
            let (id, code, reason) = refusal(line);
            assert_eq!((id, code), (Value::Null, -32700));
            assert!(reason.starts_with(expected), "{reason}");
        }
    }

    #[test]
    fn json_that_is_no_message_is_an_invalid_request() {
        let cases: [(&str, Value, &str); 10] = [
            ("[]", Value::Null, "a batch of messages is not supported: send each on a line of its own"),
            ("\"ping\"", Value::Null, "a message is a JSON object"),
            ("{}", Value::Null, "the message has no `method`"),
            (r#"{"jsonrpc":"2.0","id":4}"#, json!(4), "the message has no `method`"),
            (r#"{"id":5,"method":"ping"}"#, json!(5), "`jsonrpc` must be \"2.0\""),
            (r#"{"jsonrpc":"1.0","id":"a","method":"ping"}"#, json!("a"), "`jsonrpc` must be \"2.0\""),
            (
                r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#,
                Value::Null,
                "the `id` of a request is a string or a whole number",
            ),
            (
                r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#,
                Value::Null,
                "the `id` of a request is a string or a whole number",
            ),
            (r#"{"jsonrpc":"2.0","id":6,"method":7}"#, json!(6), "`method` must be a string"),
            (r#"{"jsonrpc":"2.0","id":8,"method":"ping","params":[]}"#, json!(8), "`params` must be an object"),
        ];
        for (line, id, reason) in cases {
            assert_eq!(refusal(line.as_bytes()), (id, -32600, reason.to_owned()), "{line}");
        }
    }

    #[test]
    fn a_call_that_cannot_be_read_names_what_is_wrong() {
        let call = |params: &str| format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call"{params}}}"#);
        let cases = [
            ("", "a call needs `params` with a `name`"),
            (r#","params":{}"#, "a call needs the `name` of the tool, a string"),
            (r#","params":{"name":3}"#, "a call needs the `name` of the tool, a string"),
            (r#","params":{"name":"x","arguments":[]}"#, "`arguments` must be an object"),
            (r#","params":{"name":"x","arguments":"{}"}"#, "`arguments` must be an object"),
            (r#","params":{"name":"x","_meta":1}"#, "`_meta` must be an object"),
        ];
        for (params, reason) in cases {
            assert_eq!(refusal(call(params).as_bytes()), (json!(1), -32602, reason.to_owned()));
        }
    }

    #[test]
    fn a_call_keeps_its_arguments_and_metadata() {
        let line = br#"{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"x","arguments":{"b":[1]},"_meta":{"progressToken":7}}}"#;
        let Heard::Message(message) = read(line) else { panic!("it was not understood") };
        let whole = serde_json::to_value(&*message).unwrap();
        assert_eq!(whole["id"], "a");
        assert_eq!(whole["params"]["arguments"], json!({"b": [1]}));
        assert_eq!(whole["params"]["_meta"], json!({"progressToken": 7}));
    }

    #[test]
    fn a_notification_or_an_answer_is_never_refused() {
        let lines = [
            r#"{"method":"notifications/initialized"}"#,
            r#"{"jsonrpc":"2.0","method":7}"#,
            r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":[]}"#,
            r#"{"jsonrpc":"2.0","method":"no/such"}"#,
            r#"{"jsonrpc":"2.0","id":{},"result":{}}"#,
            r#"{"id":1,"error":"oh"}"#,
        ];
        for line in lines {
            assert!(!matches!(read(line.as_bytes()), Heard::Refused(_)), "{line}");
        }
    }

    #[test]
    fn a_refusal_says_null_where_the_id_is_unknown() {
        let line = |addressee| Refusal::too_long(addressee).map(|refusal| refusal.to_line());
        assert_eq!(
            line(Addressee::Unknown).unwrap(),
            r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"the message is longer than 16 MB"}}"#
        );
        assert_eq!(
            line(Addressee::Request(json!("a"))).unwrap(),
            r#"{"jsonrpc":"2.0","id":"a","error":{"code":-32600,"message":"the message is longer than 16 MB"}}"#
        );
        assert_eq!(line(Addressee::Nobody), None);
    }
}
