//! Messages on two byte streams, each on a line of its own.
//!
//! **Invariant:** a line is written whole or not at all, and only protocol is written. A client that does not read its
//! answers slows the server down and costs it no memory.

use std::io;
use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::ServerJsonRpcMessage;
use rmcp::service::RxJsonRpcMessage;
use rmcp::transport::Transport;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::line::{Line, Lines};
use crate::message::{self, Heard, Refusal};

/// Lines that may wait for a client that is slow to read.
const WAITING: usize = 64;
/// How long a client may take to read the last of them.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// A client at the other end of two streams.
pub(crate) struct Wire<R> {
    lines: Lines<R>,
    outgoing: Option<mpsc::Sender<Outgoing>>,
    writer: Option<JoinHandle<()>>,
    /// Cancelled when nothing more comes from the client, or nothing more reaches it.
    ended: CancellationToken,
}

struct Outgoing {
    line: String,
    written: Option<oneshot::Sender<io::Result<()>>>,
}

impl<R: AsyncRead + Unpin> Wire<R> {
    /// Must be called within a runtime. `ended` is cancelled when the client is gone.
    pub(crate) fn new<W>(from: R, to: W, ended: CancellationToken) -> Wire<R>
    where
        W: AsyncWrite + Unpin + Send + 'static,
    {
        let (outgoing, waiting) = mpsc::channel(WAITING);
        let writer = tokio::spawn(write(to, waiting, ended.clone()));
        Wire { lines: Lines::new(from), outgoing: Some(outgoing), writer: Some(writer), ended }
    }

    async fn next(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        let outgoing = self.outgoing.clone()?;
        loop {
            // A place for the refusal first: between hearing a line and refusing it nothing may be given up.
            let place = outgoing.reserve().await.ok()?;
            let refuse = |refusal: &Refusal| {
                place.send(Outgoing { line: refusal.to_line(), written: None });
            };
            match self.lines.next().await {
                Ok(Line::Bytes(line)) => match message::read(&line) {
                    Heard::Message(message) => return Some(*message),
                    Heard::Refused(refusal) => refuse(&refusal),
                    Heard::Nothing => {}
                },
                Ok(Line::TooLong) => refuse(&Refusal::too_long()),
                Ok(Line::End) | Err(_) => return None,
            }
        }
    }
}

impl<R: AsyncRead + Unpin + Send> Transport<RoleServer> for Wire<R> {
    type Error = io::Error;

    fn send(&mut self, message: ServerJsonRpcMessage) -> impl Future<Output = Result<(), io::Error>> + Send + 'static {
        let outgoing = self.outgoing.clone();
        async move {
            let closed = || io::Error::from(io::ErrorKind::BrokenPipe);
            let line = serde_json::to_string(&message)?;
            let (written, done) = oneshot::channel();
            let outgoing = outgoing.ok_or_else(closed)?;
            outgoing.send(Outgoing { line, written: Some(written) }).await.map_err(|_| closed())?;
            done.await.map_err(|_| closed())?
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        let ended = self.ended.clone();
        let message = tokio::select! {
            biased;
            () = ended.cancelled() => None,
            message = self.next() => message,
        };
        if message.is_none() {
            ended.cancel();
        }
        message
    }

    async fn close(&mut self) -> Result<(), io::Error> {
        self.outgoing = None;
        let Some(mut writer) = self.writer.take() else { return Ok(()) };
        match tokio::time::timeout(LAST_WORDS, &mut writer).await {
            Ok(ended) => ended.map_err(io::Error::other),
            // A client that never reads does not keep the server alive.
            Err(_) => {
                writer.abort();
                Err(io::ErrorKind::TimedOut.into())
            }
        }
    }
}

/// Writes lines as they come, until nobody sends any more or nobody reads them.
async fn write<W: AsyncWrite + Unpin>(mut to: W, mut waiting: mpsc::Receiver<Outgoing>, ended: CancellationToken) {
    while let Some(Outgoing { mut line, written }) = waiting.recv().await {
        line.push('\n');
        let result = async {
            to.write_all(line.as_bytes()).await?;
            to.flush().await
        };
        let result = result.await;
        let is_gone = result.is_err();
        if let Some(written) = written {
            // Whoever sent it may have stopped waiting.
            let _ = written.send(result);
        }
        if is_gone {
            ended.cancel();
            return;
        }
    }
}
