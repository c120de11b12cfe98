use super::*;
use crate::device_node::tests::MadeMachine;

/// Process 51 has a disk, files on that disk and on another, a GPU, and files without a device.
fn machine() -> MadeMachine {
    let machine = MadeMachine::new();
    machine.file(
        "proc/51/mountinfo",
        "27 1 8:2 / / rw - ext4 /dev/sda2 rw\n\
         28 27 0:30 / /tmp rw - tmpfs tmpfs rw\n\
         32 27 0:34 / /share rw - nfs4 server:/export rw\n\
         36 27 0:36 / /both rw - btrfs /dev/nvme0n1 rw\n\
         29 27 0:31 / /merged rw - overlay overlay rw,upperdir=/upper,lowerdir=/lower\n\
         41 27 0:41 / /theirs rw - overlay overlay rw,upperdir=/upper,lowerdir=/lower\n\
         37 27 0:38 / /numbered rw - nfs4 server:/export rw,vers=4.2,addr=10.0.0.7\n",
    );
    for (number, target, mount) in [
        (0, "/dev/null", 5),
        (3, "/dev/nvme0n1", 5),
        (4, "/home/a", 27),
        (5, "/home/b (deleted)", 27),
        (6, "/both/c", 36),
        (7, "socket:[12345]", 9),
        (8, "/tmp/x", 28),
        (9, "/share/x", 32),
        (10, "/dev/nvidia0", 5),
        (11, "anon_inode:[eventpoll]", 15),
        (12, "/gone", 77),
        (13, "/numbered/x", 37),
        (14, "/merged/x", 29),
        (15, "/theirs/x", 41),
    ] {
        machine.link_as_written(&format!("proc/51/fd/{number}"), target);
        machine.file(&format!("proc/51/fdinfo/{number}"), &format!("pos:\t0\nmnt_id:\t{mount}\n"));
    }
    machine
}

fn open(machine: &MadeMachine) -> Result<OpenDevices, NoOpenDevices> {
    let source = machine.source();
    Process { source: &source, pid: 51 }.open_devices()
}

#[test]
fn files_lead_to_their_devices() {
    let open = open(&machine()).unwrap();
    let shown: Vec<String> = open
        .devices
        .iter()
        .map(|device| {
            let names: Vec<&str> = device.hardware.iter().map(|part| part.name.as_str()).collect();
            format!("{} {} {}", names.join("+"), device.files, device.example)
        })
        .collect();
    assert_eq!(
        shown,
        ["nvme0n1 2 /dev/nvme0n1", "eth0 1 /numbered/x", "sda+nvidia0 5 /home/a"],
        "the GPU and the disk have one address here; a server without an address is not looked \
         up; only a process has the overlay /theirs"
    );
    assert_eq!((open.sockets, open.skipped), (1, 0));
}

#[test]
fn captures_without_files_are_not_captured() {
    let machine = MadeMachine::new();
    assert_eq!(open(&machine), Err(NoOpenDevices::NotCaptured));
}

#[test]
fn named_pipes_are_on_no_disk() {
    let folder = tempfile::tempdir_in(std::env::current_dir().unwrap()).unwrap();
    let path = folder.path().join("pipe");
    let made = std::process::Command::new("mkfifo").arg(&path).status();
    if !made.is_ok_and(|status| status.success()) {
        return;
    }
    let pipe = std::fs::OpenOptions::new().read(true).write(true).open(&path).unwrap();
    let link = format!("/proc/self/fd/{}", std::os::fd::AsRawFd::as_raw_fd(&pipe));
    let source = Source::live();
    assert!(source.is_pipe_or_socket(&link) && !source.is_pipe_or_socket("/proc/self/status"));
    let open = Process { source: &source, pid: std::process::id() }.open_devices().unwrap();
    assert!(!open.devices.iter().any(|one| one.example == path.to_str().unwrap()), "{open:?}");
}

#[test]
fn this_process_has_readable_files() {
    let source = Source::live();
    let process = Process { source: &source, pid: std::process::id() };
    let _ = process.open_devices().unwrap();
}
