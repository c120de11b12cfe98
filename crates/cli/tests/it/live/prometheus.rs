//! Debian's Prometheus and node_exporter read what nearfar exports.

use std::fs;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};

use super::export::Server;
use crate::user::{User, skip, wait_for};

/// A survey as it is kept: two nodes.
const SKETCH: &str = include_str!("../../../../survey/src/sketch.json");

/// A program that ends with its keeper.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn has(programs: &[&str]) -> bool {
    let is_there = |program: &&str| Command::new(program).arg("--version").output().is_ok();
    let missing = programs.iter().find(|program| !is_there(program));
    if let Some(program) = missing {
        skip(&format!("no {program}: ./dev test --long installs it"));
    }
    missing.is_none()
}

/// A port that is free now.
fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

fn get(port: u16, path: &str) -> Option<String> {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).ok()?;
    let request = format!("GET {path} HTTP/1.0\r\nHost: 127.0.0.1\r\n\r\n");
    stream.write_all(request.as_bytes()).ok()?;
    let mut response = String::new();
    stream.read_to_string(&mut response).ok()?;
    response.split_once("\r\n\r\n").map(|(_, body)| body.to_owned())
}

fn start(program: &str, args: &[&str]) -> Running {
    let mut command = Command::new(program);
    Running(command.args(args).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap())
}

#[test]
#[ignore = "long: needs Debian's prometheus"]
fn promtool_has_no_complaint() {
    if !has(&["promtool"]) {
        return;
    }
    let survey: nearfar_survey::Survey = serde_json::from_str(SKETCH).unwrap();
    let source = nearfar_machine::Source::live();
    let nodes = nearfar_machine::process::NodeSummaries::read(&source);
    let mut reader = nearfar_live::NodeReader::new(&source, &nodes).with_pmu(&source, &nodes);
    let mut out = nearfar_view::text::exposition::Exposition::default();
    nearfar_live::metrics::add(&mut out, &reader.read(&source, 0.0));
    let words = [format!("pid:{}", std::process::id()), "no-such-service".to_owned()];
    let mut targets = nearfar_live::TargetReader::new(&source, &words).unwrap();
    nearfar_live::metrics::add_targets(&mut out, &mut targets, &source);
    nearfar_report::metrics::add(&mut out, &survey);
    let with_survey = out.into_text();
    assert!(with_survey.contains("nearfar_survey_latency_seconds_lower{"));
    let mut child = Command::new("promtool")
        .args(["check", "metrics"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(with_survey.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let complaints = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    assert!(output.status.success() && complaints.is_empty(), "{complaints}");
}

#[test]
#[ignore = "long: needs Debian's prometheus"]
fn alerts_fire_when_they_should() {
    if !has(&["promtool"]) {
        return;
    }
    let docs = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/fleets");
    let mut promtool = Command::new("promtool");
    promtool.current_dir(docs).args(["test", "rules", "prometheus-alerts.test.yml"]);
    let output = promtool.output().unwrap();
    let complaints = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    assert!(output.status.success(), "{complaints}");
}

#[test]
#[ignore = "long: needs Debian's prometheus"]
fn a_prometheus_scrapes_the_server() {
    if !has(&["prometheus"]) {
        return;
    }
    let user = User::new();
    let server = Server::start(&user);
    let config = format!(
        "scrape_configs:\n- job_name: nearfar\n  scrape_interval: 1s\n  static_configs:\n  - \
         targets: ['{}']\n",
        server.address
    );
    let config = user.write("prometheus.yml", config);
    let (port, data) = (free_port(), user.folder().join("tsdb"));
    let _prometheus = start(
        "prometheus",
        &[
            &format!("--config.file={config}"),
            &format!("--storage.tsdb.path={}", data.display()),
            &format!("--web.listen-address=127.0.0.1:{port}"),
        ],
    );
    let query = "/api/v1/query?query=nearfar_node_memory_free_bytes";
    wait_for("prometheus has a sample", || {
        get(port, query).is_some_and(|body| body.contains("\"node\":\"0\""))
    });
    let up = get(port, "/api/v1/query?query=up").unwrap();
    assert!(up.contains("\"job\":\"nearfar\"") && up.contains(",\"1\"]"), "{up}");
}

#[test]
#[ignore = "long: needs Debian's prometheus-node-exporter"]
fn node_exporter_reads_the_textfile() {
    if !has(&["prometheus-node-exporter"]) {
        return;
    }
    let user = User::new();
    let folder = user.folder().join("textfiles");
    fs::create_dir(&folder).unwrap();
    let file = folder.join("nearfar.prom");
    assert!(user.run(&["export", "--textfile", file.to_str().unwrap()]).status.success());
    let port = free_port();
    let _exporter = start(
        "prometheus-node-exporter",
        &[
            "--collector.disable-defaults",
            "--collector.textfile",
            &format!("--collector.textfile.directory={}", folder.display()),
            &format!("--web.listen-address=127.0.0.1:{port}"),
        ],
    );
    let mut body = String::new();
    wait_for("node_exporter answers", || {
        body = get(port, "/metrics").unwrap_or_default();
        !body.is_empty()
    });
    assert!(body.contains("nearfar_node_memory_free_bytes{node=\"0\"} "), "{body}");
    assert!(body.contains("node_textfile_scrape_error 0\n"), "{body}");
}
