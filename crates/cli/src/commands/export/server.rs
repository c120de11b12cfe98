//! `--listen`: a thread for each of a few connections, each with a deadline.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Context;
use nearfar_view::terminal::output;

use super::address::ListenAddress;
use super::http::{Answer, MAX_HEAD, answer};
use super::snapshot::Exporter;

/// Connections at a time; others are refused with status 503.
const MAX_CONNECTIONS: usize = 8;
/// Time for a request's head, and for each write of the response.
const DEADLINE: Duration = Duration::from_secs(5);
/// Pause after a connection that could not be accepted: descriptors may be used up.
const PAUSE: Duration = Duration::from_millis(100);

/// Serves until a signal ends the process.
pub(super) fn serve(address: ListenAddress, exporter: Exporter) -> anyhow::Result<()> {
    let listener = TcpListener::bind(address.0)
        .with_context(|| format!("cannot listen on {}: name another --listen", address.0))?;
    let bound = listener.local_addr().context("the address is not known")?;
    output::aside(&format!("nearfar: serving http://{bound}/metrics"));
    if !address.is_loopback() {
        output::aside("nearfar: every machine that reaches this address can read all figures");
    }
    for line in exporter.uncounted() {
        output::aside(&format!("nearfar: {line}"));
    }
    let (exporter, open) = (Arc::new(exporter), Arc::new(AtomicUsize::new(0)));
    loop {
        let Ok((stream, _)) = listener.accept() else {
            thread::sleep(PAUSE);
            continue;
        };
        let (exporter, slot) = (exporter.clone(), Slot::new(open.clone()));
        let serve = move || {
            // A peer that goes away or is too slow gets no response.
            let _ = converse(stream, &exporter, slot.is_free());
        };
        if thread::Builder::new().spawn(serve).is_err() {
            thread::sleep(PAUSE);
        }
    }
}

/// An open connection, counted until it is dropped.
struct Slot {
    open: Arc<AtomicUsize>,
    before: usize,
}

impl Slot {
    fn new(open: Arc<AtomicUsize>) -> Self {
        let before = open.fetch_add(1, Ordering::Relaxed);
        Self { open, before }
    }

    fn is_free(&self) -> bool {
        self.before < MAX_CONNECTIONS
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        self.open.fetch_sub(1, Ordering::Relaxed);
    }
}

fn converse(mut stream: TcpStream, exporter: &Exporter, is_free: bool) -> std::io::Result<()> {
    stream.set_write_timeout(Some(DEADLINE))?;
    let answer = if is_free { request(&mut stream)? } else { Answer::Busy };
    let metrics = match answer {
        Answer::Metrics => exporter.text(),
        _ => String::new(),
    };
    stream.write_all(answer.response(&metrics).as_bytes())?;
    stream.flush()
}

/// The answer to the request, which has to come within the deadline.
fn request(stream: &mut TcpStream) -> std::io::Result<Answer> {
    let begun = Instant::now();
    let mut received = Vec::new();
    let mut buffer = [0; 1024];
    loop {
        if let Some(answer) = answer(&received) {
            return Ok(answer);
        }
        let left = DEADLINE.saturating_sub(begun.elapsed());
        if left.is_zero() {
            return Err(std::io::ErrorKind::TimedOut.into());
        }
        stream.set_read_timeout(Some(left))?;
        let room = buffer.len().min(MAX_HEAD - received.len());
        match stream.read(&mut buffer[..room])? {
            0 => return Ok(Answer::BadRequest),
            count => received.extend_from_slice(&buffer[..count]),
        }
    }
}
