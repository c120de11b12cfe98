//! `nearfar diagnose`, as a user runs it.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::user::{User, nearfar, refusal, stderr, stdout};

/// A SRAT of two domains with a CPU each and no memory, which no kernel takes.
fn srat_without_memory() -> Vec<u8> {
    let mut bytes = b"SRAT".to_vec();
    bytes.extend(80u32.to_le_bytes());
    bytes.extend([3, 0]);
    bytes.resize(48, 0);
    (0..2).for_each(|cpu| bytes.extend([0, 16, cpu, cpu, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]));
    bytes[9] = 0u8.wrapping_sub(bytes.iter().fold(0, |sum: u8, byte| sum.wrapping_add(*byte)));
    bytes
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[test]
fn captured_tables_and_a_log_give_a_verdict() {
    let folder = tempfile::tempdir().unwrap();
    let (table, log) = (folder.path().join("srat.dat"), folder.path().join("dmesg.txt"));
    fs::write(&table, srat_without_memory()).unwrap();
    fs::write(&log, "[    0.0] Linux version 6.1.0 (x)\n[    0.1] No NUMA configuration found\n")
        .unwrap();
    let args = ["diagnose", "--tables", text(folder.path()), "--log", text(&log)];
    let output = User::new().run(&args);
    assert_eq!((output.status.code(), stderr(&output).as_str()), (Some(0), ""));
    let shown = stdout(&output);
    assert!(shown.starts_with("NUMA: withheld by firmware"), "{shown}");
    assert!(shown.contains("Cause: srat-no-memory (SRAT, offset 0)"), "{shown}");
    assert!(shown.contains("dmesg.txt, line 2: No NUMA configuration found"), "{shown}");
    let json = stdout(&User::new().run(&[&args[..], &["--json"]].concat()));
    assert!(
        json.starts_with(
            "{\"schema\":\"nearfar.diagnosis/2\",\"verdict\":\"withheld-by-firmware\""
        ),
        "{json}"
    );
    let letter = stdout(&User::new().run(&[&args[..], &["--support-report"]].concat()));
    assert!(
        letter.contains("SRAT  80 bytes, revision 3") && letter.contains("srat.dat, offset 0"),
        "{letter}"
    );
    assert!(!letter.contains(text(folder.path())), "{letter}");
}

#[test]
fn this_machine_gets_a_verdict_and_status_0() {
    let output = User::new().run(&["diagnose"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let shown = stdout(&output);
    assert!(shown.starts_with("NUMA: ") && shown.contains("\nSources\n  firmware"), "{shown}");
}

#[test]
fn bad_tables_and_logs_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("notes.txt"), "hello").unwrap();
    let (status, message) =
        refusal(&User::new().run(&["diagnose", "--tables", text(folder.path())]));
    assert_eq!(status, 1);
    assert!(message.contains("has no firmware table (1 files examined)"), "{message}");
    let missing = folder.path().join("missing");
    let (status, message) = refusal(&User::new().run(&["diagnose", "--log", text(&missing)]));
    assert_eq!(status, 1);
    assert!(
        message.contains("cannot read the kernel log") && message.contains("missing"),
        "{message}"
    );
    assert_eq!(User::new().run(&["diagnose", "--json", "--support-report"]).status.code(), Some(2));
    let output = User::new().run(&["diagnose", "--letter"]);
    let (code, message) = (output.status.code(), stderr(&output));
    assert!(
        code == Some(2) && message.contains("'nearfar diagnose --support-report'"),
        "{message}"
    );
}

#[test]
fn a_binary_log_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log");
    let garbage: Vec<u8> =
        (0..1u32 << 20).map(|n| (n.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    let utf16 = "\u{feff}[    0.000000] Linux version 6.1.0 (x)"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    for (bytes, name) in
        [(garbage, "binary data"), (vec![0x1f, 0x8b, 8, 0, 0], "gzip"), (utf16, "UTF-16")]
    {
        fs::write(&log, bytes).unwrap();
        let (status, message) = refusal(&User::new().run(&["diagnose", "--log", text(&log)]));
        assert!(status == 1 && message.contains(name) && message.contains("log"), "{message}");
    }
}

#[test]
fn an_unreadable_srat_leaves_the_machine_undetermined() {
    let folder = tempfile::tempdir().unwrap();
    let mut madt = b"APIC".to_vec();
    madt.extend(44u32.to_le_bytes());
    madt.resize(44, 0);
    fs::write(folder.path().join("apic.dat"), madt).unwrap();
    fs::write(folder.path().join("srat.dat"), "").unwrap();
    let output = User::new().run(&["diagnose", "--tables", text(folder.path())]);
    let shown = stdout(&output);
    assert!(shown.starts_with("NUMA: undetermined\n"), "{shown}");
    assert!(
        shown.contains("srat.dat: it is empty") && shown.contains("srat-unreadable"),
        "{shown}"
    );
    fs::remove_file(folder.path().join("apic.dat")).unwrap();
    let (status, message) =
        refusal(&User::new().run(&["diagnose", "--tables", text(folder.path())]));
    assert!(status == 1 && message.contains("srat.dat: it is empty"), "{message}");
}

#[test]
fn waiting_for_a_pipe_is_reported() {
    use std::io::{BufRead, BufReader};
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    for args in [
        &["diagnose", "--log", text(&pipe)][..],
        &["show", text(&pipe)],
        &["firmware", "--tables", text(&pipe)],
    ] {
        let mut child =
            User::new().command(args).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stderr.take().unwrap()).read_line(&mut line).unwrap();
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(
            line.starts_with("waiting for data: ") && line.contains(text(&pipe)),
            "{args:?}: {line}"
        );
    }
}

#[test]
fn without_sys_and_proc_numa_is_unknown() {
    let folder = tempfile::tempdir().unwrap();
    // The tests' program may be dynamic: its libraries are the host's, bound into a root without
    // /sys and /proc.
    let script = format!(
        "mount -t tmpfs none {root} && for name in usr lib lib64 bin; do if [ -e /$name ]; then \
         mkdir {root}/$name && mount --rbind /$name {root}/$name; fi; done; mkdir {root}/b \
         {root}/proc {root}/sys; mount --rbind {bin} {root}/b; for words in 'where 1' 'run -m 0 \
         true' 'diagnose'; do chroot {root} /b/nearfar $words; done 2>&1",
        root = text(folder.path()),
        bin = text(Path::new(nearfar()).parent().unwrap()),
    );
    let output = User::new().through("unshare", &["--mount", "sh", "-c", &script]).output();
    let Ok(output) = output else { return };
    let shown = stdout(&output);
    if !shown.contains("Sources") {
        // Mounting is not permitted, or there is no chroot: no result.
        return;
    }
    assert!(shown.contains("/proc is empty") && shown.contains("/sys is empty"), "{shown}");
    assert!(!shown.contains("CONFIG_NUMA") && !shown.contains("no process 1"), "{shown}");
}
