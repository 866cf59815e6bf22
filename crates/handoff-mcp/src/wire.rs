//! Messages on two byte streams, each on a line of its own.
//!
//! **Invariant:** a line is written whole or not at all, and only protocol is written. A client that does not read its
//! answers slows the server down and costs it no memory.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rmcp::RoleServer;
use rmcp::model::ServerJsonRpcMessage;
use rmcp::service::RxJsonRpcMessage;
use rmcp::transport::Transport;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::hang_up::has_hung_up;
use crate::line::{Line, Lines};
use crate::message::{self, Heard, Refusal};

/// Lines that may wait for a client that is slow to read.
const WAITING: usize = 64;
/// How long a client may take to read the last of them.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// Time that a client that closed its side may go without reading anything before it counts as gone.
pub(crate) const PATIENCE: Duration = Duration::from_secs(3);
/// Interval at which the input is checked for its end while answers wait for the client.
pub(crate) const BETWEEN_CHECKS: Duration = Duration::from_millis(200);

/// Time since the client last did something that keeps an ending server alive.
#[derive(Clone, Debug)]
pub(crate) struct Activity(Arc<Mutex<Instant>>);

impl Activity {
    pub(crate) fn new() -> Activity {
        Activity(Arc::new(Mutex::new(Instant::now())))
    }

    pub(crate) fn note(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
    }

    /// Returns whether the client has not read anything for longer than an ending server waits.
    pub(crate) fn is_over(&self) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).elapsed() > PATIENCE
    }
}

/// A client at the other end of two streams.
pub(crate) struct Wire<R> {
    lines: Lines<R>,
    outgoing: Option<mpsc::Sender<Outgoing>>,
    writer: Option<JoinHandle<()>>,
    /// Cancelled when nothing more comes from the client, or nothing more reaches it.
    ended: CancellationToken,
    activity: Activity,
}

struct Outgoing {
    line: String,
    written: Option<oneshot::Sender<io::Result<()>>>,
}

impl<R: AsyncRead + Unpin> Wire<R> {
    /// Must be called within a runtime. `ended` is cancelled when the client is gone.
    pub(crate) fn new<W>(from: R, to: W, ended: CancellationToken, activity: Activity) -> Wire<R>
    where
        W: AsyncWrite + Unpin + Send + 'static,
    {
        let (outgoing, waiting) = mpsc::channel(WAITING);
        let writer = tokio::spawn(write(to, waiting, ended.clone(), activity.clone()));
        Wire { lines: Lines::new(from), outgoing: Some(outgoing), writer: Some(writer), ended, activity }
    }

    async fn next(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        let outgoing = self.outgoing.clone()?;
        loop {
            // A place for the refusal first: between hearing a line and refusing it nothing may be given up.
            let place = place(&outgoing, &self.activity).await?;
            let refuse = |refusal: &Refusal| {
                place.send(Outgoing { line: refusal.to_line(), written: None });
            };
            match self.lines.next().await {
                Ok(Line::Bytes(line)) => match message::read(&line) {
                    Heard::Message(message) => return Some(*message),
                    Heard::Refused(refusal) => refuse(&refusal),
                    Heard::Nothing => {}
                },
                Ok(Line::TooLong(addressee)) => {
                    if let Some(refusal) = Refusal::too_long(addressee) {
                        refuse(&refusal);
                    }
                }
                Ok(Line::End) | Err(_) => {
                    self.activity.note();
                    return None;
                }
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

/// Waits for a place among the lines that go out; `None` when the client is gone.
///
/// Nothing is read meanwhile, so the end of the input is not reached behind what is still unread: it is asked for.
async fn place<'o>(outgoing: &'o mpsc::Sender<Outgoing>, activity: &Activity) -> Option<mpsc::Permit<'o, Outgoing>> {
    let mut place = std::pin::pin!(outgoing.reserve());
    let mut is_closed = false;
    loop {
        tokio::select! {
            biased;
            place = &mut place => return place.ok(),
            () = tokio::time::sleep(BETWEEN_CHECKS) => {}
        }
        if !is_closed && has_hung_up() {
            is_closed = true;
            activity.note();
        }
        if is_closed && activity.is_over() {
            return None;
        }
    }
}

/// Writes lines as they come, until nobody sends any more or nobody reads them.
async fn write<W: AsyncWrite + Unpin>(
    mut to: W,
    mut waiting: mpsc::Receiver<Outgoing>,
    ended: CancellationToken,
    activity: Activity,
) {
    while let Some(Outgoing { mut line, written }) = waiting.recv().await {
        line.push('\n');
        let result = write_line(&mut to, line.as_bytes(), &activity).await;
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

/// Writes a line piece by piece: each piece that the client takes is a sign of life.
async fn write_line<W: AsyncWrite + Unpin>(to: &mut W, mut rest: &[u8], activity: &Activity) -> io::Result<()> {
    while !rest.is_empty() {
        let count = to.write(rest).await?;
        if count == 0 {
            return Err(io::ErrorKind::WriteZero.into());
        }
        rest = &rest[count..];
        activity.note();
    }
    to.flush().await
}
