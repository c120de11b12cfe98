//! `nearfar devices`, as a user runs it.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Output, Stdio};
use std::{env, fs};

use serde_json::Value;

use super::corpus_folder::corpus;
use super::two_node_folder::{SWITCH, TwoNodeFolder};
use crate::user::{User, nearfar, refusal, stderr, stdout};

/// What `nvidia-smi topo -m` prints for the machine in a folder, but for SYS.
const SMI: &str = "\t\u{1b}[4mGPU0\tGPU1\tNIC0\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID\u{1b}[0m\n\
                   GPU0\t X \tNV18\tSYS\t0-1\t0\t\tN/A\nGPU1\tNV18\t X \tPXB\t0-1\t0\t\tN/A\n\
                   NIC0\tSYS\tPXB\t X \t\t\t\t\n\nLegend:\n\n  X    = Self\n\nNIC Legend:\n\n  \
                   NIC0: mlx5_0\n";

fn repository() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

/// What the command prints of a captured machine.
fn of(root: &str, args: &[&str]) -> String {
    let output = User::new().run(&[&["devices", "--root", root], args].concat());
    assert_eq!((output.status.code(), stderr(&output).as_str()), (Some(0), ""), "{root} {args:?}");
    stdout(&output)
}

/// Captured machines with and without PCI.
fn captured() -> Vec<String> {
    let names = [
        "32intel64-2p8co2t+8ve",
        "32em64t-2n8c+dax+nvme+mic+dimms",
        "40intel64-4n10c+pci-conflicts",
        "fakepcilocalities",
        "nvidia-dgx-gb10",
        "2pa-pcidomain32bits",
    ];
    let folder = corpus().map(|corpus| corpus.join("sysfs/hwloc"));
    let archives = folder
        .iter()
        .flat_map(|folder| names.iter().map(|name| folder.join(format!("{name}.tar.bz2"))));
    let ours = repository().join("docs/captures/cloud-guest.tar.gz");
    let machines = archives.chain([ours]);
    machines.map(|path| path.to_str().unwrap().to_owned()).collect()
}

#[test]
fn captured_machines_fit_the_terminal() {
    for root in captured() {
        // By its name alone: a path in a command to paste is as long as it is.
        let path = Path::new(&root);
        let (folder, name) = (path.parent().unwrap(), path.file_name().unwrap());
        for columns in [80, 100] {
            let mut command = User::new().command(&["devices", "--root", name.to_str().unwrap()]);
            command.current_dir(folder).env("COLUMNS", columns.to_string());
            let output = command.output().unwrap();
            let shown = stdout(&output);
            assert_eq!((output.status.code(), stderr(&output).as_str()), (Some(0), ""), "{root}");
            assert!(
                shown.lines().all(|line| line.chars().count() <= columns),
                "{root} at {columns}:\n{shown}"
            );
            let blocks = shown.lines().filter(|line| line.starts_with("device ")).count();
            assert!(columns < 100 || blocks <= 1, "{root}:\n{shown}");
        }
    }
}

#[test]
fn captured_machines_have_csv_and_valid_json() {
    let two_nodes = TwoNodeFolder::new();
    for root in captured().iter().map(String::as_str).chain([two_nodes.root()]) {
        for args in [&["--json"][..], &["--json", "--all"]] {
            let document: Value = serde_json::from_str(&of(root, args)).unwrap();
            assert_eq!(document["schema"], "nearfar.devices/1");
            assert_eq!(document["matrix"].is_null(), args.len() == 2);
        }
        let document: Value = serde_json::from_str(&of(root, &["--json"])).unwrap();
        let devices = document["devices"].as_array().unwrap().len();
        let lines = |args: &[&str]| of(root, args).lines().count();
        assert_eq!(lines(&["--csv"]), devices + 1, "{root}");
        let labels = document["matrix"]["labels"].as_array().unwrap().len();
        assert_eq!(lines(&["--matrix", "--csv"]), labels + 1, "{root}");
        let all: Value = serde_json::from_str(&of(root, &["--json", "--all"])).unwrap();
        assert!(
            all["devices"].as_array().unwrap().len() as u64 >= all["functions"].as_u64().unwrap()
        );
    }
}

#[test]
fn the_table_names_nodes_paths_and_links() {
    let machine = TwoNodeFolder::new();
    let gpu = format!("sys/devices/{SWITCH}/0000:19:00.0/0000:1a:00.0");
    for (file, text) in [
        ("current_link_speed", "2.5 GT/s PCIe"),
        ("max_link_speed", "32.0 GT/s PCIe"),
        ("current_link_width", "16"),
        ("max_link_width", "16"),
        ("msi_irqs/40", "msix"),
        ("msi_irqs/41", "msix"),
    ] {
        machine.file(&format!("{gpu}/{file}"), text);
    }
    for irq in [40, 41] {
        machine.file(&format!("proc/irq/{irq}/effective_affinity_list"), "2-3\n");
    }
    let shown = of(machine.root(), &[]);
    for line in [
        "GPU0    -            1a:00.0  0     0-1        x16, 2.5/32 GT/s  2, CPU 2-3 (node 1!)",
        "NIC0    ib0, mlx5_0  1c:00.0  0     0-1",
        "DISK0   nvme0        86:00.0  1     2-3",
        "USB0    -            00:14.0  ?",
        "  GPU0  17:00.0 > 18:00.0 > 19:00.0 > 1a:00.0: NVIDIA",
        "(node N!): no interrupt runs on a CPU near the device.",
        "warning: The kernel knows no node for USB0 below pci0000:00 (numa_node is -1).",
    ] {
        assert!(shown.lines().any(|shown| shown.starts_with(line)), "{line}\n{shown}");
    }
}

#[test]
fn the_matrix_has_the_form_of_nvidia_smi() {
    let machine = TwoNodeFolder::new();
    let matrix = of(machine.root(), &["--matrix"]);
    let rows: Vec<Vec<&str>> = matrix
        .lines()
        .take_while(|line| !line.is_empty())
        .map(|line| line.split('\t').collect())
        .collect();
    assert_eq!(
        rows[0],
        [
            "",
            "GPU0",
            "GPU1",
            "NIC0",
            "DISK0",
            "USB0",
            "CPU Affinity",
            "NUMA Affinity",
            "GPU NUMA ID",
        ]
    );
    assert_eq!(rows[1], ["GPU0", " X ", "PIX", "PIX", "SYS", "N/A", "0-1", "0", "N/A"]);
    assert_eq!(rows[4], ["DISK0", "SYS", "SYS", "SYS", " X ", "N/A", "2-3", "1", "N/A"]);
    assert_eq!(rows[5].last_chunk(), Some(&["N/A", "N/A", "N/A"]));
    assert!(rows.len() == 6 && rows.iter().all(|row| row.len() == 9), "{matrix}");
    for line in ["Legend:", "  X    = Self", "NIC Legend:", "  NIC0: mlx5_0", "  DISK0: nvme0"] {
        assert!(matrix.lines().any(|shown| shown == line), "{line}\n{matrix}");
    }
    let levels = of(machine.root(), &["--matrix", "--csv"]);
    assert!(levels.starts_with("device,GPU0,GPU1,NIC0,DISK0,USB0\nGPU0,X,PIX,PIX,SYS,N/A\n"));
}

#[test]
fn saved_output_of_nvidia_smi_adds_links_and_disagreements() {
    let (user, machine) = (User::new(), TwoNodeFolder::new());
    let smi = user.write("topo.txt", SMI);
    let args = ["--matrix", "--nvidia-smi", smi.as_str()];
    let matrix = of(machine.root(), &args);
    assert!(matrix.contains("\nGPU0\t X \tNV18\tPIX\tSYS\t"), "{matrix}");
    let text = matrix.split_whitespace().collect::<Vec<_>>().join(" ");
    for sentence in [
        "warning: nvidia-smi reports SYS for GPU0 and NIC0; their paths give PIX.",
        "warning: nvidia-smi reports PXB for GPU1 and NIC0; their paths give PIX.",
    ] {
        assert!(text.contains(sentence), "{sentence}\n{matrix}");
    }
    let json = of(machine.root(), &[&args[..], &["--json"]].concat());
    let document: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(document["matrix"]["levels"][0][1], "NV18");
    let codes = |code: &str| {
        let findings = document["findings"].as_array().unwrap();
        findings.iter().filter(|finding| finding["code"] == code).count()
    };
    assert_eq!(codes("pair-disagrees"), 2);
}

/// Runs `--matrix` on this machine with another `nvidia-smi`.
fn with_nvidia_smi(script: &str) -> Output {
    let user = User::new();
    let program = user.write("nvidia-smi", format!("#!/bin/sh\n{script}"));
    fs::set_permissions(program, fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:{}", user.folder().display(), env::var("PATH").unwrap());
    let words = ["devices", "--matrix"];
    let mut command = user.command(&words);
    if rustix::process::geteuid().is_root() {
        // PATH does not decide what root starts.
        fs::set_permissions(user.folder(), fs::Permissions::from_mode(0o755)).unwrap();
        let other = ["--reuid=65534", "--regid=65534", "--clear-groups", nearfar()];
        command = user.through("setpriv", &[&other[..], &words].concat());
    }
    command.env("PATH", path).output().unwrap()
}

#[test]
fn a_failing_nvidia_smi_is_a_finding() {
    for (script, why) in [
        ("echo 'Failed to open IB device' >&2; exit 255", "exit status 255: Failed to open IB"),
        ("echo; echo 'No devices were found'; exit 6", "exit status 6: No devices were found."),
        ("echo hello", "its output is no matrix: no line of it has GPU0 as a column"),
        ("printf '\\tGPU0\\tGPU1\\nGPU0\\t X \\n'", "1 rows, but 2 columns of devices"),
        ("head -c 100000 /dev/urandom", "its output is no matrix"),
        ("kill -9 $$", "signal: 9"),
    ] {
        let output = with_nvidia_smi(script);
        assert_eq!((output.status.code(), stderr(&output).as_str()), (Some(0), ""), "{script}");
        let shown = stdout(&output).split_whitespace().collect::<Vec<_>>().join(" ");
        let finding = "note: nvidia-smi is installed and gave no matrix: ";
        let reason = shown.split_once(finding).map(|(_, reason)| reason);
        assert!(reason.is_some_and(|reason| reason.contains(why)), "{script}: {shown}");
    }
    // Its GPUs are not here: nothing is compared.
    let output = with_nvidia_smi(&format!("printf '%s' '{SMI}'"));
    assert_eq!(output.status.code(), Some(0));
    assert!(!stdout(&output).contains("nvidia-smi reports"), "{}", stdout(&output));
}

#[test]
fn unreadable_nodes_are_not_readable() {
    let machine = TwoNodeFolder::new();
    machine.unreadable("sys/devices/pci0000:85/0000:85:00.0/0000:86:00.0/numa_node");
    let shown = of(machine.root(), &[]);
    let disk = shown.lines().find(|line| line.starts_with("DISK0")).unwrap();
    assert!(disk.contains("86:00.0  not readable"), "{shown}");
    assert!(!shown.contains("The kernel knows no node for DISK0"), "{shown}");
    let document: Value = serde_json::from_str(&of(machine.root(), &["--json"])).unwrap();
    let disk = |device: &&Value| device["label"] == "DISK0";
    let disk = document["devices"].as_array().unwrap().iter().find(disk).unwrap();
    assert_eq!(disk["node"]["claims"][0]["claim"], "not-readable");
}

#[test]
fn names_of_drivers_do_not_reach_the_terminal_raw() {
    let machine = TwoNodeFolder::new();
    machine.name("pci0000:00/0000:00:14.0", "net", "\u{1b}[2Jeth\t9");
    for args in [&[][..], &["--csv"], &["--matrix", "--csv"], &["--matrix"], &["--json"]] {
        let shown = of(machine.root(), args);
        assert!(!shown.contains('\u{1b}'), "{args:?}: {shown:?}");
    }
    let matrix = of(machine.root(), &["--matrix"]);
    assert!(matrix.lines().take(6).all(|line| line.matches('\t').count() == 8), "{matrix}");
}

#[test]
fn bad_input_is_one_line() {
    let (user, machine) = (User::new(), TwoNodeFolder::new());
    let notes = user.write("notes.txt", "hello\n");
    let empty = tempfile::tempdir().unwrap();
    let empty = empty.path().to_str().unwrap();
    fs::create_dir_all(user.folder().join("bare/sys/class")).unwrap();
    let without_devices = user.folder().join("bare");
    let without_devices = without_devices.to_str().unwrap();
    for (args, expected) in [
        (
            &["--root", machine.root(), "--matrix", "--nvidia-smi", &notes][..],
            "is no matrix of nvidia-smi: no line of it has GPU0 as a column",
        ),
        (&["--matrix", "--nvidia-smi", "/missing"], "cannot read /missing"),
        (&["--root", empty], "has no 'sys' folder"),
        (&["--root", without_devices], "has neither CPUs nor PCI devices in /sys"),
        (&["--root", "/missing"], "/missing"),
        (&["--root", &notes], "notes.txt"),
    ] {
        let (status, line) = refusal(&user.run(&[&["devices"], args].concat()));
        assert!(status == 1 && line.contains(expected), "{args:?}: {line}");
    }
    for wrong in [
        &["--json", "--csv"][..],
        &["--all", "--matrix"],
        &["--nvidia-smi", "x"],
        &["--matrixx"],
        &["eth0", "--matrix"],
    ] {
        let output = user.run(&[&["devices"], wrong].concat());
        assert_eq!(output.status.code(), Some(2), "{wrong:?}");
    }
}

#[test]
fn a_closed_pipe_is_no_failure() {
    let machine = TwoNodeFolder::new();
    let mut command = User::new().command(&["devices", "--root", machine.root(), "--json"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), stderr(&output).as_str()), (Some(0), ""));
}

/// The devices of a machine, and of a capture of it; with the capture's list of files.
fn original_and_captured(root: Option<&str>) -> [String; 3] {
    let user = User::new();
    let archive = user.folder().join("machine.tar.gz");
    let archive = archive.to_str().unwrap();
    let root = root.map_or_else(Vec::new, |root| vec!["--root", root]);
    let output = user.run(&[&["capture", "-o", archive], &root[..]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let original = user.run(&[&["devices", "--json"], &root[..]].concat());
    let list = user.through("tar", &["-tzf", archive]).output().unwrap();
    [stdout(&original), of(archive, &["--json"]), stdout(&list)]
}

#[test]
fn captures_show_the_same_devices() {
    let machine = TwoNodeFolder::new();
    machine.unreadable("sys/devices/pci0000:85/0000:85:00.0/0000:86:00.0/numa_node");
    let card = format!("{SWITCH}/0000:19:02.0/0000:1c:00.0");
    machine.name(&card, "net", "enx525400abcdef");
    machine.file(&format!("sys/devices/{card}/current_link_width"), "16");
    machine.file(&format!("sys/devices/{SWITCH}/0000:19:02.0/max_link_width"), "16");
    machine.file(&format!("sys/devices/{card}/msi_irqs/40"), "msix");
    machine.file("proc/irq/40/effective_affinity_list", "2\n");
    machine.file("sys/devices/virtual/net/br-customer/mtu", "1500");
    machine.link("sys/class/net/br-customer", "sys/devices/virtual/net/br-customer");
    let [original, captured, list] = original_and_captured(Some(machine.root()));
    assert_eq!(original, captured);
    assert!(original.contains("enx000000000000") && original.contains("\"count\":1"), "{original}");
    for private in ["525400abcdef", "br-customer"] {
        assert!(!list.contains(private) && !captured.contains(private), "{list}");
    }
    assert!(list.contains("0000:1c:00.0/uevent"), "{list}");
    let corpus = corpus().map(|corpus| corpus.join("sysfs/hwloc/32intel64-2p8co2t+8ve.tar.bz2"));
    if let Some(machine) = corpus {
        let [original, captured, _] = original_and_captured(machine.to_str());
        assert_eq!(original, captured);
    }
}

#[test]
fn captures_have_all_of_every_function() {
    let (user, machine) = (User::new(), TwoNodeFolder::new());
    let archive = user.folder().join("machine.tar.gz");
    let archive = archive.to_str().unwrap();
    let output = user.run(&["capture", "-o", archive, "--root", machine.root()]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let all = &["--all", "--json"];
    assert_eq!(of(machine.root(), all), of(archive, all));
}

#[test]
fn a_capture_of_this_machine_has_its_devices() {
    let [original, captured, _] = original_and_captured(None);
    let [original, captured] = [original, captured].map(|text| {
        let document: Value = serde_json::from_str(&text).unwrap();
        let devices = document["devices"].as_array().unwrap().clone();
        // Interrupts may move meanwhile.
        let parts = ["label", "names", "address", "id", "driver", "path", "link"];
        devices.iter().map(|device| parts.map(|part| device[part].clone())).collect::<Vec<_>>()
    });
    assert_eq!(original, captured);
}

#[test]
fn too_many_devices_for_a_matrix_are_refused() {
    let machine = TwoNodeFolder::new();
    for number in 0..1024 {
        let (bus, device) = (number / 32, number % 32);
        let path = format!("pci0001:00/0001:{bus:02x}:{device:02x}.0");
        machine.function(&path, "20000", "8086:1572", "0\n");
    }
    for more in [&["--matrix"][..], &["--matrix", "--csv"], &["--matrix", "--json"]] {
        let args = [&["devices", "--root", machine.root()], more].concat();
        let (status, line) = refusal(&User::new().run(&args));
        assert!(line.contains("devices are too many for a matrix (1024 at most)"), "{line}");
        assert_eq!(status, 1);
    }
    let document: Value = serde_json::from_str(&of(machine.root(), &["--json"])).unwrap();
    assert!(document["matrix"].is_null() && document["devices"].as_array().unwrap().len() > 1024);
}

/// What a screen of a captured machine proposes is about that machine.
#[test]
fn commands_of_a_captured_machine_repeat_its_root() {
    let machine = TwoNodeFolder::new();
    for command in ["devices", "topology", "diagnose", "firmware"] {
        let text = stdout(&User::new().run(&[command, "--root", machine.root()]));
        let (mut is_there, mut count) = (false, 0);
        for line in text.lines().map(str::trim_start) {
            is_there |= line == "On that machine:";
            is_there &= !line.is_empty();
            if line.starts_with("nearfar ") || line.starts_with("sudo ") {
                count += 1;
                assert!(is_there || line.contains(" --root "), "{command}: {line} of {text}");
            }
        }
        let has_commands = ["devices", "topology"].contains(&command);
        assert!(count > 0 || !has_commands, "{command} proposes nothing: {text}");
    }
}
