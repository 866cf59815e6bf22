//! A client of `handoff mcp`: the real program, spoken to line by line.
//!
//! **Invariant:** whatever a test sends, every line that comes back is one JSON-RPC message, and a server that does not
//! answer fails the test instead of holding it up.
#![expect(clippy::needless_pass_by_value, reason = "`json!(…)` at the call needs no reference before it")]

use std::collections::VecDeque;
use std::ffi::{OsStr, OsString};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::TestProject;

/// Far more than any answer needs.
const LONGEST: Duration = Duration::from_mins(2);

/// A server about to be started.
#[must_use]
pub struct McpStart<'p> {
    project: &'p TestProject,
    command: Command,
}

/// A running server and the client's end of its streams.
pub struct McpClient<'p> {
    project: &'p TestProject,
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
    errors: Option<JoinHandle<String>>,
    /// Messages that came while another one was waited for
    aside: VecDeque<Value>,
    next_id: i64,
}

impl TestProject {
    /// A server for this project; `start` begins it.
    pub fn mcp(&self) -> McpStart<'_> {
        let mut command = Command::new(self.program());
        command.arg("mcp").current_dir(self.path(".")).env_clear().envs(self.next_environment());
        // One server serves many requests, which need ids of their own.
        command.env_remove("HANDOFF_ID_SEED");
        McpStart { project: self, command }
    }
}

impl<'p> McpStart<'p> {
    /// Adds a word to the command line.
    pub fn word(mut self, word: impl AsRef<OsStr>) -> Self {
        self.command.arg(word);
        self
    }

    /// Sets a variable of the environment.
    pub fn env(mut self, name: &str, value: impl Into<OsString>) -> Self {
        self.command.env(name, value.into());
        self
    }

    /// Starts it in another directory, relative to the project's.
    pub fn within(mut self, directory: impl AsRef<Path>) -> Self {
        self.command.current_dir(self.project.path(directory));
        self
    }

    /// Starts it, without a word to it yet.
    pub fn start(mut self) -> McpClient<'p> {
        self.command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = self.command.spawn().expect("the program can be started");
        let stdout = BufReader::new(child.stdout.take().expect("standard output is a pipe"));
        let mut stderr = child.stderr.take().expect("standard error is a pipe");
        let (to, lines) = channel();
        thread::spawn(move || stdout.lines().map_while(Result::ok).try_for_each(|line| to.send(line)));
        let errors = thread::spawn(move || {
            let mut text = String::new();
            stderr.read_to_string(&mut text).expect("errors are UTF-8");
            text
        });
        let stdin = child.stdin.take();
        let (aside, next_id) = (VecDeque::new(), 1);
        McpClient { project: self.project, child, stdin, lines, errors: Some(errors), aside, next_id }
    }

    /// Starts it and shakes hands, as clients up to 2025-11-25 do.
    pub fn connect(self) -> McpClient<'p> {
        let mut client = self.start();
        client.initialize("2025-11-25");
        client
    }
}

impl McpClient<'_> {
    /// Shakes hands. The server's part of it.
    pub fn initialize(&mut self, version: &str) -> Value {
        let client = json!({"name": "test-client", "version": "1.0"});
        let params = json!({"protocolVersion": version, "capabilities": {}, "clientInfo": client});
        let result = self.result("initialize", params);
        self.notify("notifications/initialized", json!({}));
        result
    }

    /// Calls a tool. Its result, which may be an error.
    pub fn call(&mut self, tool: &str, arguments: Value) -> Value {
        self.result("tools/call", json!({"name": tool, "arguments": arguments}))
    }

    /// Calls a tool that must succeed. Its text.
    pub fn text(&mut self, tool: &str, arguments: Value) -> String {
        let result = self.call(tool, arguments);
        assert_eq!(result["isError"], false, "{result:#}");
        text_of(&result)
    }

    /// Calls a tool that must fail. What it says.
    pub fn failure(&mut self, tool: &str, arguments: Value) -> String {
        let result = self.call(tool, arguments);
        assert_eq!(result["isError"], true, "{result:#}");
        assert_eq!(result["structuredContent"], Value::Null, "an error is told in its text alone: {result:#}");
        text_of(&result)
    }

    /// Asks, and waits for a result.
    pub fn result(&mut self, method: &str, params: Value) -> Value {
        let mut answer = self.request(method, params);
        assert!(answer["error"].is_null(), "{method} failed: {answer:#}");
        answer["result"].take()
    }

    /// Asks, and waits for an error. Its code and message.
    pub fn error(&mut self, method: &str, params: Value) -> (i64, String) {
        let answer = self.request(method, params);
        let error = &answer["error"];
        let code = error["code"].as_i64().unwrap_or_else(|| panic!("{method} did not fail: {answer:#}"));
        (code, error["message"].as_str().expect("an error has a message").to_owned())
    }

    /// Asks, and waits for the answer; other messages are kept for later.
    pub fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.ask(method, params);
        self.answer(&json!(id))
    }

    /// Asks, and does not wait. The request's id.
    pub fn ask(&mut self, method: &str, params: Value) -> i64 {
        let id = self.next_id;
        self.next_id += 1;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        id
    }

    /// Waits for the answer to a request.
    pub fn answer(&mut self, id: &Value) -> Value {
        self.wait_for(|message| message.get("method").is_none() && message["id"] == *id)
    }

    /// Waits for a notification.
    pub fn notification(&mut self, method: &str) -> Value {
        self.wait_for(|message| message["method"] == method)
    }

    /// Waits for a message like this; others are kept for later.
    pub fn wait_for(&mut self, is_wanted: impl Fn(&Value) -> bool) -> Value {
        if let Some(found) = self.aside.iter().position(&is_wanted) {
            return self.aside.remove(found).expect("it was just found");
        }
        loop {
            let message = self.read().unwrap_or_else(|| panic!("the server ended without the message"));
            if is_wanted(&message) {
                return message;
            }
            self.aside.push_back(message);
        }
    }

    /// Says something that needs no answer.
    pub fn notify(&mut self, method: &str, params: Value) {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    pub fn send(&mut self, message: &Value) {
        self.send_bytes(format!("{message}\n").as_bytes());
    }

    /// Sends bytes as they are.
    pub fn send_bytes(&mut self, bytes: &[u8]) {
        let stdin = self.stdin.as_mut().expect("the input is open");
        stdin.write_all(bytes).and_then(|()| stdin.flush()).expect("the server reads its input");
    }

    /// The next message, or none when the server has ended.
    pub fn read(&mut self) -> Option<Value> {
        let line = match self.lines.recv_timeout(LONGEST) {
            Ok(line) => self.project.anonymous(&line),
            Err(RecvTimeoutError::Disconnected) => return None,
            Err(RecvTimeoutError::Timeout) => panic!("the server hangs: nothing came within {LONGEST:?}"),
        };
        let message: Value =
            serde_json::from_str(&line).unwrap_or_else(|error| panic!("a line is no JSON: {error}\n{line}"));
        assert_eq!(message["jsonrpc"], "2.0", "{line}");
        Some(message)
    }

    /// Everything that has come and was not waited for, once the server has nothing more to say.
    pub fn rest(mut self) -> Vec<Value> {
        self.stdin = None;
        let mut rest: Vec<Value> = self.aside.drain(..).collect();
        while let Some(message) = self.read() {
            rest.push(message);
        }
        self.ended(0);
        rest
    }

    /// The process id of the server.
    pub fn process(&self) -> u32 {
        self.child.id()
    }

    /// Stops reading what the server writes.
    pub fn stop_listening(&mut self) {
        let (_, nothing) = channel();
        self.lines = nothing;
    }

    /// Closes the server's input and waits for its end, which must be a good one.
    pub fn close(mut self) {
        self.stdin = None;
        self.ended(0);
    }

    /// Waits for the server's end, and checks that it had nothing to complain about.
    pub fn ended(&mut self, code: i32) {
        let started = Instant::now();
        let status = loop {
            if let Some(status) = self.child.try_wait().expect("a child can be waited for") {
                break status;
            }
            assert!(started.elapsed() < LONGEST, "the server does not end");
            thread::sleep(Duration::from_millis(1));
        };
        let errors = self.errors.take().map(|errors| errors.join().expect("reading does not panic"));
        assert_eq!(status.code(), Some(code), "{status}: {}", errors.clone().unwrap_or_default());
        assert_eq!(errors.unwrap_or_default(), "", "a server that ends well says nothing");
    }
}

impl Drop for McpClient<'_> {
    fn drop(&mut self) {
        // A test that failed leaves no server behind.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The text of a tool's result, which is one block and not empty.
pub fn text_of(result: &Value) -> String {
    let blocks = result["content"].as_array().expect("a result has content");
    assert_eq!(blocks.len(), 1, "{result:#}");
    assert_eq!(blocks[0]["type"], "text", "{result:#}");
    let text = blocks[0]["text"].as_str().expect("a text block has text");
    assert!(!text.trim().is_empty(), "{result:#}");
    text.to_owned()
}
