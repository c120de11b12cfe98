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
        .map(|one| {
            let names: Vec<&str> = one.hardware.iter().map(|part| part.name.as_str()).collect();
            format!("{} {} {}", names.join("+"), one.files, one.example)
        })
        .collect();
    assert_eq!(
        shown,
        ["nvme0n1 2 /dev/nvme0n1", "eth0 1 /numbered/x", "sda+nvidia0 4 /home/a"],
        "the GPU and the disk have one address here; a server without an address is not looked up"
    );
    assert_eq!((open.sockets, open.skipped), (1, 0));
}

#[test]
fn captures_without_files_are_not_captured() {
    let machine = MadeMachine::new();
    assert_eq!(open(&machine), Err(NoOpenDevices::NotCaptured));
}

#[test]
fn this_process_has_readable_files() {
    let source = Source::live();
    let process = Process { source: &source, pid: std::process::id() };
    let _ = process.open_devices().unwrap();
}
