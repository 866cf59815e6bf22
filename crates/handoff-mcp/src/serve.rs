//! The life of a server: from the first line to the last write.

use std::io;
use std::time::Duration;

use rmcp::RoleServer;
use rmcp::service::serve_directly_with_ct;
use rmcp::transport::stdio_pipes;
use tokio::runtime::{Builder, Runtime};
use tokio_util::sync::CancellationToken;

use crate::Settings;
use crate::call::{Runner, THREADS};
use crate::server::Server;
use crate::wire::{Activity, BETWEEN_CHECKS, Wire};

/// Threads for standard input and output, where those are no pipes.
const STREAMS: usize = 4;
/// Time that changes being written may hold up the end: longer than any write takes.
const LAST_WAIT: Duration = Duration::from_secs(20);

/// Serves the client at standard input and output until it leaves, or a signal ends the server.
///
/// A change that is being written at that moment is finished first.
pub fn serve(settings: Settings) -> io::Result<()> {
    let runtime =
        Builder::new_current_thread().enable_all().max_blocking_threads(THREADS as usize + STREAMS).build()?;
    let result = runtime.block_on(serve_client(settings));
    end(runtime);
    result
}

/// Leaves a thread behind that waits for input which may never come; what was to be written is written.
fn end(runtime: Runtime) {
    runtime.shutdown_background();
}

async fn serve_client(settings: Settings) -> io::Result<()> {
    let (ended, closing) = (CancellationToken::new(), CancellationToken::new());
    let (from, to) = stdio_pipes();
    let activity = Activity::new();
    let wire = Wire::new(from, to, ended.clone(), activity.clone());
    let server = Server::new(Runner::new(settings, closing.clone()), ended.clone());
    let serving = CancellationToken::new();
    // Without a handshake to wait for: a request says itself in which era it is made, and a client may change its mind.
    let running = serve_directly_with_ct::<RoleServer, _, _, _, _>(server.clone(), wire, None, serving.clone());
    let mut waiting = std::pin::pin!(running.waiting());
    let ending = tokio::select! {
        result = &mut waiting => Some(result),
        result = signalled() => {
            result?;
            activity.note();
            closing.cancel();
            ended.cancel();
            serving.cancel();
            None
        }
        () = ended.cancelled() => None,
    };
    // What was asked before the end is still answered, as long as the client takes the answers.
    let result = match ending {
        Some(result) => result.map(drop).map_err(io::Error::other),
        None => tokio::select! {
            result = waiting => result.map(drop).map_err(io::Error::other),
            () = is_over(&activity) => Ok(()),
        },
    };
    closing.cancel();
    // Past this, only what a crash would leave behind too is left behind.
    let _ = tokio::time::timeout(LAST_WAIT, server.runner().settle()).await;
    result
}

/// Waits until the client has not read anything for too long.
async fn is_over(activity: &Activity) {
    while !activity.is_over() {
        tokio::time::sleep(BETWEEN_CHECKS).await;
    }
}

/// Waits for a signal that asks the server to end.
#[cfg(unix)]
async fn signalled() -> io::Result<()> {
    use tokio::signal::unix::{SignalKind, signal};

    let (mut terminate, mut hang_up) = (signal(SignalKind::terminate())?, signal(SignalKind::hangup())?);
    tokio::select! {
        _ = terminate.recv() => Ok(()),
        _ = hang_up.recv() => Ok(()),
        result = tokio::signal::ctrl_c() => result,
    }
}

/// Waits for a signal that asks the server to end.
#[cfg(not(unix))]
async fn signalled() -> io::Result<()> {
    tokio::signal::ctrl_c().await
}
