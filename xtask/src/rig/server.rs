//! A client of an MCP server on standard input and output, for our own and for others'.
//!
//! It reads answers on the thread that asks, so that what is measured is the server and not the client.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde_json::{Value, json};

use super::PATIENCE;

/// The last version of the protocol that begins with a handshake.
const HANDSHAKE: &str = "2025-11-25";
/// The first version that does without.
const STATELESS: &str = "2026-07-28";

/// A server that runs, and the way to it.
#[derive(Debug)]
pub(crate) struct Server {
    child: Arc<Mutex<Child>>,
    process: u32,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    watch: Arc<Watch>,
}

/// What the thread that ends a server that hangs needs to know.
#[derive(Debug, Default)]
struct Watch {
    asked: AtomicU64,
    answered: AtomicU64,
    is_over: AtomicBool,
}

impl Server {
    /// Starts it, and nothing beside it that a measurement would count. Nobody ends it when it hangs.
    pub(crate) fn start(mut command: Command) -> Result<Self, String> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().map_err(|error| format!("cannot start {command:?}: {error}"))?;
        let input = child.stdin.take();
        let output = child.stdout.take().ok_or("a server without an output")?;
        let process = child.id();
        let (child, output) = (Arc::new(Mutex::new(child)), BufReader::new(output));
        Ok(Self { child, process, input, output, watch: Arc::default() })
    }

    /// Starts it and shakes hands; `name` is what the client calls itself.
    pub(crate) fn connect(command: Command, name: &str) -> Result<Self, String> {
        let mut server = Self::start(command)?;
        end_when_it_hangs(Arc::clone(&server.child), Arc::clone(&server.watch));
        server.initialize(name)?;
        server.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))?;
        Ok(server)
    }

    pub(crate) fn initialize(&mut self, name: &str) -> Result<Value, String> {
        let client = json!({"name": name, "version": "1.0"});
        let params = json!({"protocolVersion": HANDSHAKE, "capabilities": {}, "clientInfo": client});
        self.request("initialize", &params)
    }

    /// What a client asks that does not shake hands.
    pub(crate) fn discover(&mut self) -> Result<Value, String> {
        let meta = json!({
            "io.modelcontextprotocol/protocolVersion": STATELESS,
            "io.modelcontextprotocol/clientInfo": {"name": "bench", "version": "1.0"},
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        self.request("server/discover", &json!({ "_meta": meta }))
    }

    /// Calls a tool. Its result; an error also when the tool says that it failed.
    pub(crate) fn call(&mut self, tool: &str, arguments: &Value) -> Result<Value, String> {
        let result = self.request("tools/call", &json!({"name": tool, "arguments": arguments}))?;
        if result["isError"] == true {
            return Err(format!("{tool} fails: {}", said(&result)));
        }
        Ok(result)
    }

    /// Asks, and waits for the result.
    pub(crate) fn request(&mut self, method: &str, params: &Value) -> Result<Value, String> {
        self.ask(method, params)?;
        let mut answer = self.answer()?;
        match answer.get("error") {
            Some(error) => Err(format!("{method} is answered with {error}")),
            None => Ok(answer["result"].take()),
        }
    }

    /// Asks, and does not wait.
    pub(crate) fn ask(&mut self, method: &str, params: &Value) -> Result<(), String> {
        let id = self.watch.asked.fetch_add(1, Ordering::Relaxed) + 1;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))
    }

    /// Waits for the answer to what was asked last; notifications are passed over.
    fn answer(&mut self) -> Result<Value, String> {
        let mut line = String::new();
        loop {
            line.clear();
            let read = self.output.read_line(&mut line).map_err(|error| format!("cannot read an answer: {error}"))?;
            if read == 0 {
                return Err("the server ended without an answer".to_owned());
            }
            let message: Value =
                serde_json::from_str(&line).map_err(|error| format!("an answer is not JSON ({error}): {line}"))?;
            let asked = self.watch.asked.load(Ordering::Relaxed);
            if message["id"] == asked && message.get("method").is_none() {
                self.watch.answered.store(asked, Ordering::Relaxed);
                return Ok(message);
            }
        }
    }

    fn send(&mut self, message: &Value) -> Result<(), String> {
        let input = self.input.as_mut().ok_or("the input is closed")?;
        let written = input.write_all(format!("{message}\n").as_bytes()).and_then(|()| input.flush());
        written.map_err(|error| format!("the server does not listen: {error}"))
    }

    /// Bytes of memory it has at this moment, and had at most.
    pub(crate) fn memory(&self) -> Result<(u64, u64), String> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.process))
            .map_err(|error| format!("cannot look at the server's memory: {error}"))?;
        let kibibytes = |key: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(key))?;
            line.split_whitespace().next()?.parse::<u64>().ok()
        };
        match (kibibytes("VmRSS:"), kibibytes("VmHWM:")) {
            (Some(now), Some(most)) => Ok((now * 1024, most * 1024)),
            _ => Err("the server has no memory any more".to_owned()),
        }
    }

    /// Ends it at this instant, whatever it is doing.
    pub(crate) fn kill(&mut self) {
        let mut child = self.child.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = child.kill();
        let _ = child.wait();
    }

    /// Closes its input, upon which it must end well.
    pub(crate) fn close(mut self) -> Result<(), String> {
        self.input = None;
        self.watch.asked.fetch_add(1, Ordering::Relaxed);
        let mut rest = String::new();
        std::io::Read::read_to_string(&mut self.output, &mut rest).map_err(|error| error.to_string())?;
        let status = self.child.lock().unwrap_or_else(PoisonError::into_inner).wait();
        let status = status.map_err(|error| error.to_string())?;
        if status.success() { Ok(()) } else { Err(format!("the server ends with {status}")) }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.watch.is_over.store(true, Ordering::Relaxed);
        self.kill();
    }
}

/// Kills a server that has not answered anything for too long, upon which whoever waits for it is told of its end.
fn end_when_it_hangs(child: Arc<Mutex<Child>>, watch: Arc<Watch>) {
    const PAUSE: Duration = Duration::from_millis(500);
    std::thread::spawn(move || {
        let mut before = 0;
        let mut waited = Duration::ZERO;
        while !watch.is_over.load(Ordering::Relaxed) {
            std::thread::sleep(PAUSE);
            let answered = watch.answered.load(Ordering::Relaxed);
            let is_waiting = answered == before && answered != watch.asked.load(Ordering::Relaxed);
            waited = if is_waiting { waited + PAUSE } else { Duration::ZERO };
            before = answered;
            if waited > PATIENCE {
                let _ = child.lock().unwrap_or_else(PoisonError::into_inner).kill();
            }
        }
    });
}

/// The text of a tool's result.
pub(crate) fn said(result: &Value) -> String {
    result["content"][0]["text"].as_str().unwrap_or_default().to_owned()
}
