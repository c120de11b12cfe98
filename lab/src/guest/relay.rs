//! A thread for each stream of a guest: it passes bytes on as they come, and sends the
//! supervisor how the stream ended.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use super::Sink;
use super::arguments::Ports;
use super::console::ConsoleTail;
use super::report::StatusLine;
use super::unpack;
use super::until_end::UntilEnd;

/// What the supervisor hears. A stream that breaks off without its closing words makes no event:
/// the guest is dying.
#[derive(Debug)]
pub(super) enum Event {
    /// A line of the status port.
    Report(StatusLine),
    /// One of the [`STREAMS`] ended as it should.
    Whole,
    /// /out came whole: its files.
    Files(Vec<PathBuf>),
    /// The command's output cannot be passed on.
    Unwritable(io::Error),
    /// What it left in /out cannot be kept.
    Unkept(io::Error),
}

/// Streams that end with the command: stdout, stderr and the status port.
pub(super) const STREAMS: usize = 3;

pub(super) struct Sinks {
    pub(super) stdout: Sink,
    pub(super) stderr: Sink,
    pub(super) out: Option<PathBuf>,
    pub(super) console: ConsoleTail,
    pub(super) show_console: bool,
}

/// Begins to pass on. When all senders of events are gone, the emulator is gone and its output has
/// been handed on.
pub(super) fn start(ports: Ports, sinks: Sinks, end: &str) -> Receiver<Event> {
    let (events, receiver) = channel();
    let Sinks { stdout, stderr, out, console, show_console } = sinks;
    spawn(&events, UntilEnd::new(ports.stdout, end), |stream, events| {
        relay_stdout(stream, stdout, events);
    });
    spawn(&events, UntilEnd::new(ports.stderr, end), |stream, events| {
        relay_stderr(stream, stderr, events);
    });
    spawn(&events, UntilEnd::new(ports.status, end), relay_reports);
    spawn(&events, UntilEnd::new(ports.out, end), move |stream, events| {
        relay_files(stream, out.as_deref(), events);
    });
    spawn(&events, ports.console, move |port, _| console.follow(port, show_console));
    receiver
}

fn spawn<S: Send + 'static>(
    events: &Sender<Event>,
    stream: S,
    relay: impl FnOnce(S, &Sender<Event>) + Send + 'static,
) {
    let events = events.clone();
    thread::spawn(move || relay(stream, &events));
}

/// A supervisor who has stopped listening needs no events.
fn send_event(events: &Sender<Event>, event: Event) {
    let _ = events.send(event);
}

fn relay_stdout(mut stream: UntilEnd<File>, mut sink: Sink, events: &Sender<Event>) {
    match copy(&mut stream, &mut sink) {
        Err(error) => send_event(events, Event::Unwritable(error)),
        Ok(()) if stream.whole => send_event(events, Event::Whole),
        Ok(()) => {}
    }
}

/// No process reads stderr any more: what the command does goes on.
fn relay_stderr(mut stream: UntilEnd<File>, mut sink: Sink, events: &Sender<Event>) {
    if copy(&mut stream, &mut sink).is_err() {
        drain(&mut stream);
    }
    if stream.whole {
        send_event(events, Event::Whole);
    }
}

fn relay_reports(stream: UntilEnd<File>, events: &Sender<Event>) {
    let mut lines = BufReader::new(stream);
    let mut line = Vec::new();
    while lines.read_until(b'\n', &mut line).is_ok_and(|count| count > 0) {
        if let Some(report) = StatusLine::parse(String::from_utf8_lossy(&line).trim_end()) {
            send_event(events, Event::Report(report));
        }
        line.clear();
    }
    if lines.get_ref().whole {
        send_event(events, Event::Whole);
    }
}

fn relay_files(mut stream: UntilEnd<File>, folder: Option<&Path>, events: &Sender<Event>) {
    let unpacked = unpack::unpack(&mut stream, folder);
    drain(&mut stream);
    match unpacked {
        _ if !stream.whole => {}
        Ok(files) => send_event(events, Event::Files(files)),
        Err(error) => send_event(events, Event::Unkept(error)),
    }
}

/// Each piece is handed on at once. A stream that cannot be read has ended.
fn copy(stream: &mut impl Read, sink: &mut Sink) -> io::Result<()> {
    let mut buffer = vec![0; 64 * 1024];
    loop {
        match stream.read(&mut buffer) {
            Ok(0) => return Ok(()),
            Ok(count) => sink.write_all(&buffer[..count]).and_then(|()| sink.flush())?,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => return Ok(()),
        }
    }
}

fn drain(stream: &mut impl Read) {
    let _ = io::copy(stream, &mut io::sink());
}
