//! `nearfar firmware` and `nearfar capture` as a user runs them.

use std::fs;
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Stdio;

use crate::user::{User, nearfar, refusal, skip, stderr, stdout};

const DMESG: &str =
    "[    0.000000] Linux version 6.1.0 (me@apollo) (gcc)\n[    0.000000] NUMA turned off\n";

/// A table with this signature and body, its checksum right.
fn table(signature: &str, body: &[u8]) -> Vec<u8> {
    let mut bytes = signature.as_bytes().to_vec();
    bytes.extend(u32::try_from(36 + body.len()).unwrap().to_le_bytes());
    bytes.resize(36, 0);
    bytes.extend(body);
    bytes[9] = bytes.iter().fold(0u8, |sum, &byte| sum.wrapping_sub(byte));
    bytes
}

/// SLIT of two domains.
fn slit() -> Vec<u8> {
    table("SLIT", &[2, 0, 0, 0, 0, 0, 0, 0, 10, 21, 21, 10])
}

fn put(root: &Path, path: &str, content: impl AsRef<[u8]>) {
    let path = root.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, content).unwrap();
}

/// A folder with a machine: two CPUs, tables, private data.
fn machine(user: &User) -> String {
    let root = user.folder().join("machines");
    put(&root, "sys/devices/system/cpu/online", "0-1\n");
    put(&root, "sys/devices/system/node/node0/cpulist", "0-1\n");
    put(&root, "sys/firmware/acpi/tables/SLIT", slit());
    put(&root, "sys/firmware/acpi/tables/MSDM", table("MSDM", b"XXXXX-WINDOWS-KEY"));
    put(&root, "proc/cmdline", "root=UUID=6b29fc40-ca47-1067-b31d-00dd010662da numa=off\n");
    put(&root, "proc/sys/kernel/hostname", "apollo\n");
    put(&root, "var/log/dmesg", DMESG);
    root.display().to_string()
}

#[test]
fn tables_are_listed_and_shown() {
    let user = User::new();
    let root = machine(&user);
    let listed = stdout(&user.run(&["firmware", "--root", &root]));
    assert!(listed.contains("SLIT") && listed.contains("\n  nearfar firmware slit"), "{listed}");
    let shown = stdout(&user.run(&["firmware", "Slit", "--root", &root]));
    assert!(shown.contains("     0  10  21\n     1  21  10\n"), "{shown}");
    let json: serde_json::Value =
        serde_json::from_slice(&user.run(&["firmware", "slit", "--root", &root, "--json"]).stdout)
            .unwrap();
    assert_eq!(json["schema"], "nearfar.firmware/1");
    assert_eq!(json["tables"][0]["decoded"]["rows"][0][1], 21);
}

#[test]
fn tables_come_from_a_file_a_folder_or_a_text() {
    let user = User::new();
    let folder = user.folder().join("tables");
    put(&folder, "slit.dat", slit());
    let digits: Vec<String> = slit().iter().map(|byte| format!("{byte:02X}")).collect();
    let lines = digits
        .chunks(16)
        .enumerate()
        .map(|(line, row)| format!("    {:04X}: {}\n", line * 16, row.join(" ")));
    put(
        user.folder(),
        "acpidump.txt",
        format!("SLIT @ 0x0000000000001000\n{}", lines.collect::<String>()),
    );
    for path in ["tables", "tables/slit.dat", "acpidump.txt"] {
        let path = user.folder().join(path).display().to_string();
        let shown = stdout(&user.run(&["firmware", "slit", "--tables", &path]));
        assert!(shown.contains("     0  10  21\n"), "{path}: {shown}");
        assert_eq!(user.run(&["firmware", "map", "--tables", &path]).status.code(), Some(0));
    }
}

#[test]
fn missing_tables_are_one_line() {
    let user = User::new();
    let root = machine(&user);
    let refused = |args: &[&str]| refusal(&user.run(args));
    let absent = |asked: &str| format!("nearfar: {root} has no {asked}; there are MSDM, SLIT");
    assert_eq!(refused(&["firmware", "srta", "--root", &root]), (1, absent("SRTA")));
    assert_eq!(refused(&["firmware", "smbios", "--root", &root]), (1, absent("SMBIOS")));
    let (status, message) = refused(&["firmware", "srat", "--tables", "/nowhere"]);
    assert_eq!(status, 1);
    assert!(message.starts_with("nearfar: cannot read /nowhere: No such file"), "{message}");
    let empty = user.folder().join("empty");
    fs::create_dir(&empty).unwrap();
    let (status, message) = refused(&["firmware", "--tables", empty.to_str().unwrap()]);
    assert_eq!(status, 1);
    assert!(message.contains("has no firmware table"), "{message}");
    assert_eq!(user.run(&["firmware", "--tables", "x", "--root", "y"]).status.code(), Some(2));
}

#[test]
fn a_capture_shows_the_same_as_the_machine() {
    let user = User::new();
    let root = machine(&user);
    let archive = user.folder().join("c.tar.gz").display().to_string();
    assert_eq!(archive.len(), root.len(), "commands with them are folded alike");
    let captured = user.run(&["capture", "--root", &root, "-o", &archive]);
    assert_eq!(captured.status.code(), Some(0), "{}", stderr(&captured));
    assert!(
        stderr(&captured).starts_with(&format!("saved as {archive} (")),
        "{}",
        stderr(&captured)
    );
    for args in [
        &["firmware"][..],
        &["firmware", "map"],
        &["firmware", "slit"],
        &["topology", "--maps"],
        &["diagnose"],
        &["firmware", "--json"],
    ] {
        let from = |source: &str| {
            let output = user.run(&[args, &["--root", source]].concat());
            assert_eq!(
                output.status.code(),
                Some(0),
                "{args:?} from {source}: {}",
                stderr(&output)
            );
            // Which disk the root is on is private.
            let disk = "UUID=6b29fc40-ca47-1067-b31d-00dd010662da";
            stdout(&output).replace(source, "ROOT").replace(disk, &"x".repeat(disk.len()))
        };
        assert_eq!(from(&archive), from(&root), "{args:?}");
    }
}

#[test]
fn a_capture_holds_no_private_data_unless_asked_to() {
    let user = User::new();
    let root = machine(&user);
    let text = |args: &[&str]| {
        let output = user.run(&[&["capture", "--root", &root, "-o", "-"], args].concat());
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        let packed = user.folder().join("packed");
        fs::write(&packed, output.stdout).unwrap();
        let unpacked = user.through("tar", &["-xOzf", packed.to_str().unwrap()]).output().unwrap();
        String::from_utf8_lossy(&unpacked.stdout).into_owned()
    };
    let (scrubbed, full) = (text(&[]), text(&["--full"]));
    for private in ["apollo", "6b29fc40", "WINDOWS-KEY"] {
        assert!(!scrubbed.contains(private), "{private}: {scrubbed}");
    }
    for private in ["6b29fc40", "WINDOWS-KEY", "me@apollo"] {
        assert!(full.contains(private), "{private}: {full}");
    }
    assert!(scrubbed.contains("numa=off") && scrubbed.contains("NUMA turned off"), "{scrubbed}");
}

#[test]
fn the_default_archive_name_is_unique() {
    let user = User::new();
    let output = user.command(&["capture"]).current_dir(user.folder()).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let names: Vec<String> = fs::read_dir(user.folder())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    assert!(
        names.len() == 1
            && names[0].starts_with("nearfar-capture-")
            && names[0].ends_with(".tar.gz"),
        "{names:?}"
    );
    let archive = user.folder().join(&names[0]).display().to_string();
    for command in [&["topology"][..], &["firmware"], &["firmware", "map"], &["diagnose"]] {
        let output = user.run(&[command, &["--root", &archive]].concat());
        assert_eq!(output.status.code(), Some(0), "{command:?}: {}", stderr(&output));
    }
}

#[test]
fn a_failed_capture_leaves_no_file() {
    let user = User::new();
    let root = machine(&user);
    let refused = |path: &str| refusal(&user.run(&["capture", "--root", &root, "-o", path]));
    let (status, message) = refused("/nowhere/c.tar.gz");
    assert_eq!(status, 1);
    assert!(
        message
            .starts_with("nearfar: cannot write to /nowhere/c.tar.gz: No such file or directory"),
        "{message}"
    );
    assert!(refused("/dev/null").1.contains("/dev/null: not a regular file"));
    let full = fs::File::options().write(true).open("/dev/full").unwrap();
    let output =
        user.command(&["capture", "--root", &root, "-o", "-"]).stdout(full).output().unwrap();
    let (status, message) = refusal(&output);
    assert_eq!(status, 1);
    assert!(
        message.contains("cannot write to standard output") && message.contains("No space left"),
        "{message}"
    );
}

#[test]
fn a_full_disk_leaves_no_draft() {
    let user = User::new();
    let root = machine(&user);
    let disk = user.folder().join("disk");
    fs::create_dir(&disk).unwrap();
    let script = format!(
        "mount -t tmpfs -o size=4k none {0} || exit 99; head -c 4096 /dev/zero > {0}/filler; \
         '{1}' capture --root {2} -o {0}/c.tar.gz; code=$?; ls -A {0} >&2; exit $code",
        disk.display(),
        nearfar(),
        root
    );
    let output = user
        .through("unshare", &["--mount", "sh", "-c", &script])
        .output()
        .expect("unshare starts");
    if output.status.code() == Some(99) || stderr(&output).starts_with("unshare:") {
        return skip(&format!("a small disk cannot be mounted here: {}", stderr(&output).trim()));
    }
    let message = stderr(&output);
    assert_eq!(output.status.code(), Some(1), "{message}");
    let lines: Vec<&str> = message.lines().collect();
    assert!(
        lines[0].starts_with("nearfar: cannot write to ") && lines[0].contains("No space left"),
        "{message}"
    );
    assert_eq!(lines[1..], ["filler"], "{message}");
}

#[test]
fn a_closed_pipe_is_no_failure() {
    let user = User::new();
    for args in [&["firmware"][..], &["firmware", "map", "--json"]] {
        let mut child =
            user.command(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let mut message = String::new();
        child.stderr.take().unwrap().read_to_string(&mut message).unwrap();
        assert_eq!((child.wait().unwrap().code(), message.as_str()), (Some(0), ""), "{args:?}");
    }
}

#[test]
fn without_root_the_rest_goes_on() {
    let user = User::new();
    let root = machine(&user);
    let locked = Path::new(&root).join("sys/firmware/acpi/tables/SRAT");
    fs::write(&locked, "").unwrap();
    fs::set_permissions(&locked, fs::Permissions::from_mode(0o000)).unwrap();
    let listed = stdout(&user.run(&["firmware", "--root", &root]));
    assert!(
        listed.contains("SRAT: unreadable: not root") && listed.contains("sudo nearfar firmware"),
        "{listed}"
    );
    let (status, message) = refusal(&user.run(&["firmware", "srat", "--root", &root]));
    assert_eq!(status, 1);
    assert!(
        message.contains("SRAT exists, and only root may read it: read or capture it as root"),
        "{message}"
    );
    let archive = user.folder().join("c.tar.gz").display().to_string();
    let captured = stderr(&user.run(&["capture", "--root", &root, "-o", &archive]));
    assert!(captured.contains("only root may read 1 more"), "{captured}");
    let again = stdout(&user.run(&["firmware", "--root", &archive]));
    assert!(again.contains("SRAT: unreadable: not root"), "{again}");
}

#[test]
fn a_slit_that_linux_rejects_is_not_called_good() {
    let user = User::new();
    let invalid = table("SLIT", &[2, 0, 0, 0, 0, 0, 0, 0, 11, 21, 21, 10]);
    put(user.folder(), "my tables/SLIT", invalid);
    let folder = user.folder().join("my tables").display().to_string();
    let text = stdout(&user.run(&["firmware", "slit", "--tables", &folder]));
    assert!(
        text.contains("Linux rejects this SLIT: entry 0,0 is 11, not 10.")
            && text.ends_with("SLIT: no fault, rejected by Linux\n"),
        "{text}"
    );
    // Commands to paste are about the same tables.
    assert!(text.contains(&format!("nearfar diagnose --tables '{folder}'")), "{text}");
}

#[test]
fn a_capture_without_tables_does_not_lack_a_srat() {
    let user = User::new();
    put(user.folder(), "bare/sys/devices/system/cpu/online", "0-1\n");
    put(user.folder(), "bare/sys/devices/system/node/node0/cpulist", "0-1\n");
    let root = user.folder().join("bare").display().to_string();
    let text = stdout(&user.run(&["firmware", "--root", &root]));
    let expected = format!("Firmware: no tables.\n{root} holds none, so");
    assert!(text.starts_with(&expected), "{text}");
    assert!(!text.contains("Missing") && !text.contains("these tables"), "{text}");
}
