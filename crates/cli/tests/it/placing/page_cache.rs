//! `nearfar where`, `move` and `run --warm` on files, and shared memory counted once.

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::user::{User, nearfar, stderr, stdout};

fn json(user: &User, args: &[&str]) -> Value {
    let output = user.run(args);
    assert!(output.status.success(), "{args:?}: {}", stderr(&output));
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn cached_files_are_shown_and_move_to_their_node() {
    let user = User::new();
    let folder = user.folder().join("models");
    fs::create_dir(&folder).unwrap();
    for (name, mib) in [("a", 1), ("b", 2)] {
        fs::write(folder.join(name), vec![1; mib << 20]).unwrap();
    }
    let path = folder.to_str().unwrap();
    let document = json(&user, &["where", path, "--json", "--budget", "60s"]);
    assert_eq!(document["cached_bytes"], 3 << 20);
    assert_eq!(document["files"][0]["cached_bytes"], 2 << 20);
    let node = document["by_node"][0]["node"].to_string();
    let shown = stdout(&user.run(&["where", path]));
    assert!(shown.contains("3 MiB cached in 2 of 2 files") && shown.contains("/b\n"), "{shown}");
    let csv = stdout(&user.run(&["where", path, "--csv"]));
    assert!(csv.starts_with("file,size_bytes,node,cached_bytes\n"), "{csv}");
    let (a, b) = (folder.join("a"), folder.join("b"));
    let files = [a.to_str().unwrap(), b.to_str().unwrap()];
    let moved = user.run(&["move", files[0], files[1], "--nodes", &node]);
    assert_eq!(moved.status.code(), Some(0), "{}", stderr(&moved));
    assert_eq!(stdout(&moved).matches("page cache are on node").count(), 2);
    let warmed = user.run(&["run", "-m", &node, "--warm", files[0], "true"]);
    assert_eq!(warmed.status.code(), Some(0), "{}", stderr(&warmed));
    assert!(stderr(&warmed).contains("1 MiB on node"), "{}", stderr(&warmed));
}

#[test]
fn what_has_no_pages_is_refused_in_one_line() {
    let user = User::new();
    let file = user.folder().join("x");
    fs::write(&file, "x").unwrap();
    let file = file.to_str().unwrap();
    for (args, code, why) in [
        (&["where", "/dev/null"][..], 1, "is a device"),
        (&["where", "file:/no/such"], 1, "cannot open"),
        (&["where", file, "--threads"], 2, "are for processes"),
        (&["where", "1", "--budget", "1s"], 2, "is for files"),
        (&["move", file], 2, "give --nodes"),
        (&["move", file, "--nodes", "0", "--cpus", "0"], 2, "--cpus is for processes"),
        (&["move", "1", "2", "--nodes", "0"], 2, "'2' stands after a process"),
        (&["run", "--warm", "/no/such", "true"], 1, "cannot open /no/such"),
    ] {
        let output = user.run(args);
        let error = stderr(&output);
        assert_eq!(output.status.code(), Some(code), "{args:?}: {error}");
        assert!(error.contains(why) && error.trim_end().lines().count() == 1, "{args:?}: {error}");
    }
}

/// A server with backends that all map one segment: 64 MiB, as Postgres has it.
const BACKENDS: &str = "
import ctypes, mmap, os, signal, sys
memory = mmap.mmap(-1, 64 << 20)
memory[:] = b'x' * (64 << 20)
children = []
for _ in range(199):
    child = os.fork()
    if child == 0:
        sum(memory[at] for at in range(0, 64 << 20, 4096))
        os.write(1, b'.')
        signal.pause()
    children.append(child)
os.write(1, b'.')
sys.stdin.read()
for child in children:
    os.kill(child, 9)
";

struct Backends(Child);

impl Backends {
    fn start(name: &std::path::Path) -> Self {
        // Not a wrapper that finds the interpreter by its own name.
        let find = "import os, sys; print(os.path.realpath(sys.executable))";
        let python = Command::new("python3").args(["-c", find]).output().unwrap();
        let python = String::from_utf8(python.stdout).unwrap();
        std::os::unix::fs::symlink(python.trim(), name).unwrap();
        let mut command = Command::new(name);
        command.args(["-c", BACKENDS]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut server = command.spawn().unwrap();
        let mut lines = BufReader::new(server.stdout.take().unwrap());
        let mut ready = 0;
        while ready < 200 {
            let read = lines.fill_buf().unwrap().len();
            assert!(read > 0, "the server ended");
            ready += read;
            lines.consume(read);
        }
        Self(server)
    }
}

impl Drop for Backends {
    fn drop(&mut self) {
        drop(self.0.stdin.take());
        let _ = self.0.wait();
    }
}

#[test]
fn a_segment_of_200_processes_counts_once() {
    if Command::new("python3").arg("--version").output().is_err() {
        return;
    }
    let user = User::new();
    let name = user.folder().join("nf-backends");
    let _server = Backends::start(&name);
    let began = Instant::now();
    let output = Command::new(nearfar()).args(["where", "nf-backends"]).output().unwrap();
    let took = began.elapsed();
    let shown = stdout(&output);
    // Each was forked: others may share its pages, too.
    assert!(shown.starts_with("200 processes: at least "), "{shown}");
    let document = json(&user, &["where", "nf-backends", "--json"]);
    let processes = document["processes"].as_array().unwrap();
    let sum: u64 = processes.iter().map(|one| one["total_bytes"].as_u64().unwrap()).sum();
    let together = document["together"]["bytes"].as_u64().unwrap();
    assert!(sum > 200 * (64 << 20), "{sum}");
    assert!((64 << 20..512 << 20).contains(&together), "{together} {took:?}");
    assert_eq!(document["together"]["is_exact"], false);
    // 2 s in a release build.
    assert!(took < Duration::from_secs(20), "{took:?}");
}
