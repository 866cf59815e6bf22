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
use crate::wire::Wire;

/// Threads for standard input and output, where those are no pipes.
const STREAMS: usize = 4;
/// How long work that cannot be stopped may hold up the end: longer than any write takes.
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
    let wire = Wire::new(from, to, ended.clone());
    let server = Server::new(Runner::new(settings, closing.clone()), ended.clone());
    let serving = CancellationToken::new();
    // Without a handshake to wait for: a request says itself in which era it is made, and a client may change its mind.
    let running = serve_directly_with_ct::<RoleServer, _, _, _, _>(server.clone(), wire, None, serving.clone());
    let mut waiting = std::pin::pin!(running.waiting());
    let stopped = tokio::select! {
        result = &mut waiting => Some(result),
        result = signalled() => {
            result?;
            closing.cancel();
            ended.cancel();
            serving.cancel();
            None
        }
    };
    let result = match stopped {
        Some(result) => result,
        None => waiting.await,
    };
    closing.cancel();
    // Past this, only what a crash would leave behind too is left behind.
    let _ = tokio::time::timeout(LAST_WAIT, server.runner().settle()).await;
    result.map(drop).map_err(io::Error::other)
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
