//! `nearfar export`: figures for Prometheus.

mod snapshot;

use std::io::{Read, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Context;
use clap::{ArgGroup, Args};
use nearfar_machine::Source;
use nearfar_survey::IfExists;
use nearfar_view::terminal::output;

use crate::output_path::OutputPath;
use crate::whole_file::OutputFile;
use snapshot::Exporter;

/// Export figures of nodes and of the kept survey to Prometheus.
///
/// Counters of nodes, with --listen also those of the PMU; with --targets the memory of services by
/// node; the newest kept survey of this machine with its bounds and verdict; findings. In the text
/// format 0.0.4. What is not counted or not measured is absent.
#[derive(Debug, Args)]
#[command(
    group = ArgGroup::new("target").required(true),
    after_help = "\
Examples:
  nearfar export --textfile /var/lib/prometheus/node-exporter/nearfar.prom
  nearfar export --listen                 GET http://127.0.0.1:9934/metrics
  nearfar export --listen 10.0.0.5:9934   for a Prometheus elsewhere
  nearfar export --textfile -             print it
  nearfar export --listen --targets postgres,cgroup:system.slice/web.service
                                          with the memory of two services

docs/why/live.md shows both with a Prometheus; docs/fleets/grafana.json is a dashboard. There is \
no encryption and no password: other addresses than 127.0.0.1 show all figures to their network."
)]
pub(crate) struct ExportCommand {
    /// Write a file for node_exporter's textfile collector, whole or not at all, and end; '-'
    /// prints [default: no file]
    #[arg(long, value_name = "FILE", group = "target")]
    textfile: Option<OutputPath>,
    /// Serve GET /metrics on this address, until a signal ends it [default: 127.0.0.1:9934]
    #[arg(long, value_name = "ADDRESS", group = "target", num_args = 0..=1,
          default_missing_value = "127.0.0.1:9934")]
    listen: Option<ListenAddress>,
    /// Also export the memory of services by node: names and control groups, 64 at most; a service
    /// that does not run has 0 processes [default: none]
    #[arg(long, value_name = "TARGET", value_delimiter = ',')]
    targets: Vec<String>,
}

impl ExportCommand {
    /// Writes a file, or serves.
    pub(crate) fn run(self) -> anyhow::Result<()> {
        // A count of the PMU begins with the process: only a server has one that rises.
        let exporter = Exporter::new(Source::live(), self.listen.is_some(), &self.targets)?;
        match (self.textfile, self.listen) {
            (Some(OutputPath::StandardOutput), _) => Ok(output::data(&exporter.text())?),
            (Some(OutputPath::File(file)), _) => write(&file, &exporter.text()),
            (None, Some(address)) => serve(address, exporter),
            (None, None) => Ok(()),
        }
    }
}

fn write(file: &Path, text: &str) -> anyhow::Result<()> {
    let mut output = OutputFile::create(file, IfExists::Replace)?;
    // The collector is another user's.
    output.set_mode(READABLE_BY_ALL)?;
    output.keep(|out| out.write_all(text.as_bytes())).map(drop)
}

const READABLE_BY_ALL: u32 = 0o644;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct ListenAddress(SocketAddr);

const LOOPBACK: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

impl FromStr for ListenAddress {
    type Err = String;

    /// `127.0.0.1:9934`, `[::1]:9934`; a port alone (`9934`, `:9934`) is on the loopback interface.
    fn from_str(text: &str) -> Result<Self, String> {
        let port = text.strip_prefix(':').unwrap_or(text).parse();
        let address = port.map(|port| SocketAddr::new(LOOPBACK, port)).or_else(|_| text.parse());
        address
            .map(Self)
            .map_err(|_| "give an address and a port, such as 127.0.0.1:9934".to_owned())
    }
}

impl ListenAddress {
    /// Whether only this machine reaches it.
    fn is_loopback(self) -> bool {
        self.0.ip().is_loopback()
    }
}

/// Connections at a time; others are refused with status 503.
const MAX_CONNECTIONS: usize = 8;
/// Time for a request's head, and for each write of the response.
const DEADLINE: Duration = Duration::from_secs(5);
/// Pause after a connection that could not be accepted: descriptors may be used up.
const PAUSE: Duration = Duration::from_millis(100);

/// Serves until a signal ends the process.
fn serve(address: ListenAddress, exporter: Exporter) -> anyhow::Result<()> {
    let listener = TcpListener::bind(address.0)
        .with_context(|| format!("cannot listen on {}: name another --listen", address.0))?;
    let bound = listener.local_addr().context("the address is not known")?;
    output::status(&format!("nearfar: serving http://{bound}/metrics"));
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

/// The longest head of a request.
const MAX_HEAD: usize = 8 << 10;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answer {
    Metrics,
    BadRequest,
    NotFound,
    NotAllowed,
    TooLong,
    Busy,
}

/// The answer to what was received so far; `None` while the head is not whole.
fn answer(received: &[u8]) -> Option<Answer> {
    let end = received.windows(4).position(|window| window == b"\r\n\r\n");
    if end.is_none() {
        return (received.len() >= MAX_HEAD).then_some(Answer::TooLong);
    }
    let line = received.split(|byte| *byte == b'\r').next().unwrap_or_default();
    let line = String::from_utf8_lossy(line);
    let words: Vec<&str> = line.split(' ').collect();
    Some(match words[..] {
        ["GET", path, version] if version.starts_with("HTTP/1.") => match path.split('?').next() {
            Some("/metrics") => Answer::Metrics,
            _ => Answer::NotFound,
        },
        [_, _, version] if version.starts_with("HTTP/1.") => Answer::NotAllowed,
        _ => Answer::BadRequest,
    })
}

impl Answer {
    const fn status(self) -> &'static str {
        match self {
            Self::Metrics => "200 OK",
            Self::BadRequest => "400 Bad Request",
            Self::NotFound => "404 Not Found",
            Self::NotAllowed => "405 Method Not Allowed\r\nAllow: GET",
            Self::TooLong => "431 Request Header Fields Too Large",
            Self::Busy => "503 Service Unavailable",
        }
    }

    /// A response with this text; all but metrics have one of their own.
    fn response(self, metrics: &str) -> String {
        let text = match self {
            Self::Metrics => metrics,
            _ => "nearfar serves GET /metrics only\n",
        };
        format!(
            "HTTP/1.1 {}\r\nContent-Type: text/plain; version=0.0.4; charset=utf-8\r\n\
             Content-Length: {}\r\nConnection: close\r\n\r\n{text}",
            self.status(),
            text.len()
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_port_alone_is_on_the_loopback_interface() {
        let parse = |text: &str| text.parse::<ListenAddress>().map(|it| it.0.to_string()).ok();
        for text in ["9934", ":9934", "127.0.0.1:9934"] {
            assert_eq!(parse(text).as_deref(), Some("127.0.0.1:9934"));
        }
        assert_eq!(parse("[::1]:80").as_deref(), Some("[::1]:80"));
        for text in ["", "host:80", "127.0.0.1", "70000", "::1"] {
            assert_eq!(parse(text), None, "{text}");
        }
        assert!(!ListenAddress::from_str("0.0.0.0:1").unwrap().is_loopback());
    }

    #[test]
    fn only_get_metrics_is_served() {
        let of = |text: &str| answer(format!("{text}\r\nHost: a\r\n\r\n").as_bytes());
        for (line, wanted) in [
            ("GET /metrics HTTP/1.1", Answer::Metrics),
            ("GET /metrics?x=1 HTTP/1.0", Answer::Metrics),
            ("GET / HTTP/1.1", Answer::NotFound),
            ("GET /metrics/../etc HTTP/1.1", Answer::NotFound),
            ("POST /metrics HTTP/1.1", Answer::NotAllowed),
            ("HEAD /metrics HTTP/1.1", Answer::NotAllowed),
            ("GET /metrics", Answer::BadRequest),
            ("", Answer::BadRequest),
        ] {
            assert_eq!(of(line), Some(wanted), "{line}");
        }
    }

    #[test]
    fn heads_are_bounded() {
        assert_eq!(answer(b"GET /metrics HTTP/1.1\r\n"), None);
        assert_eq!(answer(&[b'a'; MAX_HEAD]), Some(Answer::TooLong));
    }

    #[test]
    fn responses_have_their_length() {
        let response = Answer::Metrics.response("a 1\n");
        assert!(response.starts_with("HTTP/1.1 200 OK\r\n") && response.ends_with("\r\n\r\na 1\n"));
        assert!(response.contains("Content-Length: 4\r\n"));
        assert!(Answer::Busy.response("a 1\n").ends_with("GET /metrics only\n"));
    }
}
