//! `nearfar capture`, as a user runs it.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use super::two_node_folder::TwoNodeFolder;
use crate::user::{User, nearfar, stderr, stdout, success};

fn machine() -> TwoNodeFolder {
    let machine = TwoNodeFolder::new();
    machine.file("proc/cmdline", "root=/dev/apollo numa=off token=apollo numa=apollo quiet\n");
    machine.file("var/log/dmesg", "[    0.0] NUMA turned off\n[    0.1] usb: apollo\n");
    machine
}

#[test]
fn only_the_owner_may_read_an_archive() {
    let (user, machine) = (User::new(), machine());
    let archive = user.folder().join("machine.tar.gz");
    fs::write(&archive, "older").unwrap();
    fs::set_permissions(&archive, fs::Permissions::from_mode(0o666)).unwrap();
    for options in ["--force", "--force --full"] {
        let path = archive.display();
        let line = format!(
            "umask 0; exec {} capture --root {} -o {path} {options}",
            nearfar(),
            machine.root()
        );
        let output = user.through("sh", &["-c", &line]).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        let mode = fs::metadata(&archive).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{options}");
    }
}

#[test]
fn a_machine_is_shown_before_it_is_packed() {
    let (user, machine) = (User::new(), machine());
    let output = user
        .command(&["capture", "--show", "--root", machine.root()])
        .current_dir(user.folder())
        .output()
        .unwrap();
    let shown = success(&output);
    for part in [
        "  /proc/cmdline: 3 other parameters, 1 value of another shape\n",
        "  /var/log/dmesg: 1 other line\n",
        "\nIn here, with bytes\n",
        "  /proc/cmdline 9\n",
    ] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    assert!(!shown.contains("apollo"), "{shown}");
    assert_eq!(fs::read_dir(user.folder()).unwrap().count(), 0, "nothing is written");
    let output = user.run(&["capture", "--show", "-o", "x"]);
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
}

#[test]
fn an_archive_is_shown_with_what_it_still_holds() {
    let (user, machine) = (User::new(), machine());
    let path = user.folder().join("machine.tar.gz");
    let archive = path.to_str().unwrap();
    let still = "In here, and left out by 'nearfar capture --root' of it";
    let pack = |options: &[&str]| {
        let args = ["capture", "--root", machine.root(), "-o", archive, "--force"];
        success(&user.run(&[&args[..], options].concat()));
        stdout(&user.run(&["capture", "--show", archive]))
    };
    let shown = pack(&[]);
    assert!(shown.starts_with("nearfar.capture/2, "), "{shown}");
    assert!(
        shown.contains("  /proc/cmdline: 3 other parameters") && !shown.contains(still),
        "{shown}"
    );
    assert!(shown.contains("  /proc/cmdline 9\n") && shown.contains("  /nearfar/kept "), "{shown}");
    let full = pack(&["--full"]);
    assert!(full.contains(still) && full.contains("  /proc/cmdline: 3 other parameters"), "{full}");
    // An archive of another program, and a capture of an older release.
    machine.file("etc/passwd", "root");
    let shown = success(&user.run(&["capture", "--show", machine.root()]));
    assert!(shown.starts_with("not made by nearfar capture"), "{shown}");
    assert!(shown.contains("  /etc/passwd: no rule reads it\n"), "{shown}");
    let older = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/captures/cloud-guest.tar.gz");
    success(&user.run(&["capture", "--show", older]));
}
