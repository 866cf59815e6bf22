//! How a server ends: with its client, by a signal, and never in the middle of a write.
#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use std::io::{Read, Write};
use std::net::Shutdown;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use handoff_testkit::{McpClient, TestProject, project};
use serde_json::json;

fn signal(client: &McpClient<'_>, name: &str) {
    let status = Command::new("kill").args([format!("-{name}"), client.process().to_string()]).status();
    assert!(status.expect("kill can be run").success());
}

#[test]
fn a_server_without_input_ends_well() {
    let project = project!();
    project.mcp().start().close();
    project.mcp().connect().close();
}

#[test]
fn a_signal_ends_the_server_well() {
    let project = project!();
    for name in ["TERM", "INT", "HUP"] {
        let mut client = project.mcp().connect();
        client.text("handoff_list_tasks", json!({}));
        signal(&client, name);
        client.ended(0);
    }
}

#[test]
fn every_change_that_was_answered_is_there_after_a_signal() {
    let project = project!();
    for _ in 0..5 {
        let mut client = project.mcp().connect();
        for title in ["one", "two", "three"] {
            client.ask("tools/call", json!({"name": "handoff_create_task", "arguments": {"title": title}}));
        }
        let first = client.wait_for(|message| message["result"]["structuredContent"]["id"].is_string());
        signal(&client, "TERM");
        let mut acknowledged = vec![first];
        while let Some(answer) = client.read() {
            acknowledged.push(answer);
        }
        client.ended(0);
        for answer in acknowledged {
            if let Some(id) = answer["result"]["structuredContent"]["id"].as_str() {
                project.call(&format!("task show {id}")).run().succeeded();
            }
        }
        project.call("task list").run().succeeded().hides("warning");
    }
}

#[test]
fn a_client_that_no_longer_reads_ends_the_server() {
    let project = project!();
    let mut child = Command::new(env!("CARGO_BIN_EXE_handoff"))
        .arg("mcp")
        .current_dir(project.path("."))
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let mut stdin = child.stdin.take().unwrap();
    // The input stays open: only the answers have nowhere to go.
    std::io::Write::write_all(&mut stdin, b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n").unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0));
    drop(stdin);
}

/// A server whose client asks for more answers than fit into the streams, and reads none of them.
fn deaf_client(project: &TestProject, streams: (Stdio, Stdio), input: &mut dyn Write, output: &mut dyn Read) -> Child {
    let (stdin, stdout) = streams;
    let mut command = Command::new(env!("CARGO_BIN_EXE_handoff"));
    command.args(["mcp", "--tools", "all"]).current_dir(project.path("."));
    let child = command.stdin(stdin).stdout(stdout).spawn().unwrap();
    for id in 0..40 {
        writeln!(input, "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"tools/list\"}}").unwrap();
    }
    // A first byte shows that the server is up, and listens for signals.
    output.read_exact(&mut [0]).unwrap();
    child
}

/// Ends the input, or asks the server to end by a signal, and expects it to end soon and well.
fn ends_soon(mut child: Child, end: impl FnOnce(&Child)) {
    end(&child);
    let started = Instant::now();
    let code = child.wait().unwrap().code();
    assert_eq!(code, Some(0));
    assert!(started.elapsed() < Duration::from_secs(5), "it took {:?}", started.elapsed());
}

fn terminate(child: &Child) {
    let status = Command::new("kill").args(["-TERM", &child.id().to_string()]).status();
    assert!(status.unwrap().success());
}

#[test]
fn a_client_that_never_reads_from_a_pipe_does_not_keep_the_server_alive() {
    let project = project!();
    for is_signalled in [true, false] {
        let ((stdin, mut input), (mut output, stdout)) = (std::io::pipe().unwrap(), std::io::pipe().unwrap());
        let child = deaf_client(&project, (stdin.into(), stdout.into()), &mut input, &mut output);
        let mut input = Some(input);
        ends_soon(child, |child| if is_signalled { terminate(child) } else { drop(input.take()) });
    }
}

#[test]
fn a_client_that_never_reads_from_a_socket_does_not_keep_the_server_alive() {
    let project = project!();
    for is_signalled in [true, false] {
        let ((stdin, mut input), (mut output, stdout)) = (UnixStream::pair().unwrap(), UnixStream::pair().unwrap());
        let streams = (OwnedFd::from(stdin).into(), OwnedFd::from(stdout).into());
        let child = deaf_client(&project, streams, &mut input, &mut output);
        ends_soon(
            child,
            |child| if is_signalled { terminate(child) } else { input.shutdown(Shutdown::Write).unwrap() },
        );
    }
}

#[test]
fn the_end_of_input_is_noticed_behind_requests_that_are_never_read() {
    let project = project!();
    let ((stdin, mut input), (mut output, stdout)) = (std::io::pipe().unwrap(), std::io::pipe().unwrap());
    let child = deaf_client(&project, (stdin.into(), stdout.into()), &mut input, &mut output);
    // Asks without end, and fills the pipe: behind what is in there the end cannot be read.
    let request = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}";
    let mut asking = Command::new("yes").arg(request).stdout(input).spawn().unwrap();
    let mut some = vec![0; 1024 * 1024];
    output.read_exact(&mut some).unwrap();
    ends_soon(child, |_| {
        asking.kill().unwrap();
        asking.wait().unwrap();
    });
}

#[test]
fn changes_asked_for_by_a_client_that_never_reads_are_whole() {
    let project = project!();
    let ((stdin, mut input), (mut output, stdout)) = (std::io::pipe().unwrap(), std::io::pipe().unwrap());
    let child = deaf_client(&project, (stdin.into(), stdout.into()), &mut input, &mut output);
    for id in 0..40 {
        let call = json!({"name": "handoff_create_task", "arguments": {"title": format!("task {id}")}});
        writeln!(input, "{}", json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": call})).unwrap();
    }
    ends_soon(child, |_| drop(input));
    project.call("task list").run().succeeded().hides("warning");
    assert!(!project.path(".handoff/local/state/journal.json").exists());
}

#[test]
fn the_program_has_a_second_name() {
    let project = project!();
    let link = project.path("../handoff-mcp");
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_handoff"), &link).unwrap();
    let run = |words: &[&str], input: &str| {
        let mut child = Command::new(&link)
            .args(words)
            .current_dir(project.path("."))
            .stdin(std::process::Stdio::piped())
            .stdout(std::process::Stdio::piped())
            .stderr(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        // A program that only shows its version reads nothing.
        let _ = std::io::Write::write_all(&mut child.stdin.take().unwrap(), input.as_bytes());
        let output = child.wait_with_output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (text(output.stdout), text(output.stderr), output.status.code())
    };
    let ping = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n";
    let pong = "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n";
    assert_eq!(run(&[], ping), (pong.to_owned(), String::new(), Some(0)));
    assert_eq!(run(&["--tools", "all"], ping), (pong.to_owned(), String::new(), Some(0)));
    let (version, _, code) = run(&["--version"], "");
    assert!(version.starts_with("handoff-mcp ") && code == Some(0), "{version}");
    let (help, _, code) = run(&["--help"], "");
    assert!(help.contains("Usage: handoff-mcp") && help.contains("--tools") && code == Some(0), "{help}");
    let (out, err, code) = run(&["--wrong"], "");
    assert!(out.is_empty() && err.contains("error: ") && code == Some(2), "{err}");
}
