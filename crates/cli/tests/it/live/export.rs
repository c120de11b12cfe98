//! `nearfar export`: files and the server.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;
use std::process::{Child, Stdio};

use crate::user::{User, refusal, stderr, stdout};

/// A server on a free port of the loopback interface; it ends with its keeper.
pub(super) struct Server {
    child: Child,
    pub(super) address: String,
}

impl Server {
    pub(super) fn start(user: &User) -> Self {
        let mut command = user.command(&["export", "--listen", "127.0.0.1:0"]);
        let mut child = command.stderr(Stdio::piped()).spawn().expect("nearfar starts");
        let mut line = String::new();
        BufReader::new(child.stderr.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("nearfar: serving http://").expect("its address");
        let address = address.strip_suffix("/metrics").unwrap().to_owned();
        Self { child, address }
    }

    pub(super) fn respond(&self, request: &[u8]) -> String {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.write_all(request).unwrap();
        let mut response = Vec::new();
        // The server may close before it has read all.
        let _ = stream.read_to_end(&mut response);
        String::from_utf8_lossy(&response).into_owned()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn a_file_is_whole_and_readable_by_the_collector() {
    let user = User::new();
    let path = user.folder().join("nearfar.prom");
    for _ in 0..2 {
        let output = user.run(&["export", "--textfile", path.to_str().unwrap()]);
        assert_eq!((output.status.code(), stderr(&output).as_str()), (Some(0), ""));
    }
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.contains("nearfar_node_memory_free_bytes{node=\"0\"} "), "{text}");
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o644);
    assert_eq!(fs::read_dir(user.folder()).unwrap().count(), 1, "no draft is left");
    let printed = stdout(&user.run(&["export", "--textfile", "-"]));
    let families = |text: &str| text.matches("# TYPE").count();
    assert_eq!(families(&printed), families(&text));
}

#[test]
fn services_have_their_memory_by_node() {
    let user = User::new();
    let own = format!("pid:{}", std::process::id());
    let targets = format!("{own},no-such-service,cgroup:no/such");
    let output = user.run(&["export", "--textfile", "-", "--targets", &targets]);
    assert_eq!((output.status.code(), stderr(&output).as_str()), (Some(0), ""));
    let text = stdout(&output);
    let figure = |line: String| -> f64 {
        let found = text.lines().find_map(|found| found.strip_prefix(&line));
        found.unwrap_or_else(|| panic!("{line} in\n{text}")).trim().parse().unwrap()
    };
    assert_eq!(figure(format!("nearfar_target_processes{{target=\"{own}\"}}")), 1.0);
    let memory = format!("nearfar_target_memory_bytes{{target=\"{own}\",node=\"0\"}}");
    assert!(figure(memory) > 1e6, "{text}");
    assert!(figure(format!("nearfar_target_threads{{target=\"{own}\",node=\"0\"}}")) > 0.0);
    for absent in ["no-such-service", "cgroup:no/such"] {
        assert_eq!(figure(format!("nearfar_target_processes{{target=\"{absent}\"}}")), 0.0);
        assert_eq!(text.matches(&format!("{{target=\"{absent}\"")).count(), 3, "{text}");
    }
    let many: Vec<String> = (0..65).map(|number| format!("service-{number}")).collect();
    for (targets, why) in [(many.join(","), "65 targets"), ("/etc/passwd".to_owned(), "is a file")]
    {
        let (status, line) =
            refusal(&user.run(&["export", "--textfile", "-", "--targets", &targets]));
        assert!(status == 2 && line.contains(why), "{status} {line}");
    }
}

#[test]
fn only_get_metrics_is_served() {
    let user = User::new();
    let server = Server::start(&user);
    let response = server.respond(b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n");
    assert!(response.starts_with("HTTP/1.1 200 OK\r\n"), "{response}");
    assert!(response.contains("version=0.0.4") && response.contains("nearfar_build_info{"));
    for (request, status) in [
        (&b"GET / HTTP/1.1\r\n\r\n"[..], "404"),
        (b"POST /metrics HTTP/1.1\r\n\r\n", "405"),
        (b"\x16\x03\x01\r\n\r\n", "400"),
        (&[b'a'; 9000], "431"),
    ] {
        let response = server.respond(request);
        assert!(response.starts_with(&format!("HTTP/1.1 {status} ")), "{status}: {response}");
    }
}

#[test]
fn idle_connections_are_few_and_do_not_block_for_long() {
    let user = User::new();
    let server = Server::start(&user);
    let idle: Vec<TcpStream> =
        (0..8).map(|_| TcpStream::connect(&server.address).unwrap()).collect();
    crate::user::wait_for("the ninth connection is refused", || {
        server.respond(b"GET /metrics HTTP/1.1\r\n\r\n").starts_with("HTTP/1.1 503 ")
    });
    // Their time for a head runs out.
    crate::user::wait_for("the idle ones are closed", || {
        server.respond(b"GET /metrics HTTP/1.1\r\n\r\n").starts_with("HTTP/1.1 200 ")
    });
    drop(idle);
}

#[test]
fn bad_targets_are_one_line() {
    let user = User::new();
    for args in [&["export"][..], &["export", "--listen", "host:80"], &["export", "--listen", "x"]]
    {
        let output = user.run(args);
        assert_eq!(output.status.code(), Some(2), "{args:?}: {}", stderr(&output));
    }
    let server = Server::start(&user);
    let (status, line) = refusal(&user.run(&["export", "--listen", &server.address]));
    assert!(status == 1 && line.contains("cannot listen on 127.0.0.1:"), "{line}");
    let (status, line) = refusal(&user.run(&["export", "--textfile", "/no/such/a.prom"]));
    assert!(status == 1 && line.contains("cannot write to /no/such/a.prom"), "{line}");
    let (status, line) = refusal(&user.run(&["export", "--textfile", "/dev/null"]));
    assert!(status == 1 && line.contains("not a regular file"), "{line}");
}
