mod cut_off;
mod lists_of_nodes;
mod numbered_columns;
mod vendor_tables;

use nearfar_model::NodeId;

use super::*;
use crate::topology::Topology;

const LSCPU: &str = "Architecture:          x86_64
CPU(s):                8
On-line CPU(s) list:   0-7
Model name:            AMD EPYC 7451 24-Core Processor
Thread(s) per core:    2
Core(s) per socket:    2
Socket(s):             2
Hypervisor vendor:     KVM
L1d cache:             128 KiB (4 instances)
L3 cache:              16 MiB (2 instances)
NUMA node(s):          2
NUMA node0 CPU(s):     0,1,4,5
NUMA node1 CPU(s):     2,3,6,7
Flags:                 fpu lm hypervisor
";
const NUMACTL: &str = "available: 2 nodes (0-1)
node 0 cpus: 0 1 4 5
node 0 size: 1024 MB
node 0 free: 512 MB
node 1 cpus: 2 3 6 7
node 1 size: 2048 MB
node 1 free: 100 MB
node distances:
node   0   1
  0:  10  21
  1:  21  10
";
const TABLE: &str = "# CPU,Core,Socket,Node,,L1d,L1i,L2,L3
0,0,0,0,,0,0,0,0
1,1,0,0,,1,1,1,0
2,2,1,1,,2,2,2,1
3,3,1,1,,3,3,3,1
4,0,0,0,,0,0,0,0
5,1,0,0,,1,1,1,0
6,2,1,1,,2,2,2,1
7,3,1,1,,3,3,3,1
";
const SMI: &str = "\tGPU0\tGPU1\tCPU Affinity\tNUMA Affinity
GPU0\t X \tSYS\t0-1,4-5\t0
GPU1\tSYS\t X \t2-3,6-7\t1
";
const LOG: &str = "[    0.000000] Linux version 6.1.0-28-amd64 (x)
[    0.000000] Command line: ro numa=off
[    0.010000] NUMA turned off
";

fn sent(text: &str) -> Sent {
    parse(text.as_bytes()).unwrap_or_else(|error| panic!("{error}: {text}"))
}

fn forms(sent: &Sent) -> Vec<&str> {
    sent.parts.iter().map(|part| part.form).collect()
}

fn shape(topology: &Topology) -> (usize, usize, usize, Vec<String>) {
    let nodes = topology.nodes.iter().map(|node| node.cpus.to_string()).collect();
    (topology.cpus.len(), topology.cores().len(), topology.packages().len(), nodes)
}

#[test]
fn each_output_alone_is_a_machine() {
    let nodes = || vec!["0-1,4-5".to_owned(), "2-3,6-7".to_owned()];
    for (text, cores, packages) in [(LSCPU, 4, 2), (TABLE, 4, 2), (NUMACTL, 8, 0)] {
        let topology = Topology::read(&sent(text).source).unwrap();
        assert_eq!(shape(&topology), (8, cores, packages, nodes()), "{text}");
    }
}

#[test]
fn several_outputs_in_one_paste_are_one_machine() {
    let sent = sent(&[LSCPU, NUMACTL, TABLE, SMI, LOG].concat());
    assert_eq!(
        forms(&sent),
        ["lscpu", "numactl -H", "lscpu -p", "nvidia-smi topo -m", "kernel log"]
    );
    assert_eq!(sent.conflicts, []);
    let topology = Topology::read(&sent.source).unwrap();
    let memory: Vec<u64> =
        topology.nodes.iter().map(|node| node.memory.unwrap().total.0 >> 20).collect();
    assert_eq!(memory, [1024, 2048]);
    assert_eq!(topology.distances.unwrap().between(NodeId(0), NodeId(1)), Some(21));
    assert_eq!(topology.identity.model.as_deref(), Some("AMD EPYC 7451 24-Core Processor"));
    let l3: Vec<String> = topology
        .caches
        .iter()
        .filter(|cache| cache.level == 3)
        .map(|cache| format!("{} {}", cache.cpus, cache.size.unwrap()))
        .collect();
    assert_eq!(l3, ["0-1,4-5 8 MiB", "2-3,6-7 8 MiB"]);
    assert!(crate::kernel_log::read(&sent.source).has_boot());
    assert!(sent.source.is_sent());
}

#[test]
fn different_machines_are_refused_by_what_differs() {
    for (other, what) in [
        (NUMACTL.replace("6 7", "6 7 8"), "the CPUs are 0-7 in one, 0-8 in the other"),
        (LSCPU.replace("7451 24", "7551 32"), "the CPU's model is"),
        (LSCPU.replace("x86_64", "i686"), "the architecture is"),
    ] {
        let error = parse(format!("{LSCPU}{other}").as_bytes()).unwrap_err().to_string();
        assert!(error.contains(what), "{error}");
    }
}

#[test]
fn contradictions_are_listed() {
    let one_node = "available: 1 nodes (0)\nnode 0 cpus: 0 1 2 3 4 5 6 7\nnode 0 size: 3072 MB\n\
                    node distances:\nnode 0\n 0: 10\n";
    for (other, kind) in [
        (one_node.to_owned(), ConflictKind::Nodes),
        (SMI.replace("2-3,6-7\t1", "2-3,6-7\t3"), ConflictKind::Nodes),
        (
            NUMACTL.replace("0 1 4 5", "0 4").replace("2 3 6 7", "1 2 3 5 6 7"),
            ConflictKind::NodeCpus,
        ),
        (LSCPU.replace("16 MiB", "32 MiB"), ConflictKind::Caches),
    ] {
        let found = sent(&format!("{other}{LSCPU}")).conflicts;
        let first = found.iter().all(|conflict| conflict.left.0 == "x (lscpu)");
        assert!(first || other.starts_with("Arch"), "the more exact first: {found:?}");
        assert!(found.iter().any(|conflict| conflict.kind == kind), "{found:?}: {other}");
    }
}

#[test]
fn lscpu_of_arm_does_not_hide_the_hypervisor() {
    let dmi = "<topology version='2.0'><object type='Machine' os_index='0' cpuset='0x1' \
               complete_cpuset='0x1' allowed_cpuset='0x1' nodeset='0x1' complete_nodeset='0x1' \
               allowed_nodeset='0x1'><info name='DMISysVendor' value='Amazon EC2'/>\
               <info name='Architecture' value='aarch64'/>\
               <object type='NUMANode' os_index='0' cpuset='0x1' nodeset='0x1'/>\
               <object type='PU' os_index='0' cpuset='0x1' nodeset='0x1'/></object></topology>\n";
    let lscpu = "Architecture: aarch64\nCPU(s): 1\nModel name: Neoverse-V3\nFlags: fp asimd\n";
    for text in [dmi.to_owned(), format!("{dmi}{lscpu}")] {
        assert_eq!(hypervisor(&text).as_deref(), Some("Amazon EC2"), "{text}");
    }
}

fn hypervisor(text: &str) -> Option<String> {
    crate::environment::Environment::read(&sent(text).source).hypervisor
}

/// KVM shows features of Hyper-V to its guests.
#[test]
fn a_board_of_qemu_is_no_hyper_v() {
    let guest = LSCPU.replace("KVM", "Microsoft");
    assert_eq!(hypervisor(&guest).as_deref(), Some("Hyper-V"));
    let of_qemu = format!("{guest}BIOS Vendor ID:        QEMU\n");
    assert_eq!(hypervisor(&of_qemu).as_deref(), Some("KVM"));
}

/// As util-linux prints it, a field over several lines; and older ones with a field a line.
#[test]
fn json_goes_on_over_lines_and_other_outputs_follow() {
    let fields = LSCPU.lines().filter_map(|line| line.split_once(':'));
    let field = |(name, data): (&str, &str)| {
        format!(
            "      {{\n         \"field\": \"{name}:\",\n         \"data\": \"{}\"\n      }}",
            data.trim()
        )
    };
    let fields: Vec<String> = fields.map(field).collect();
    let json = format!("{{\n   \"lscpu\": [\n{}\n   ]\n}}\n", fields.join(",\n"));
    let in_lines = json.replace("{\n         ", "{").replace(",\n         \"data", ", \"data");
    for text in [&json, &in_lines] {
        let both = sent(&format!("$ lscpu -J\n{text}$ numactl -H\n{NUMACTL}"));
        assert_eq!(forms(&both), ["lscpu -J", "numactl -H"], "{text}");
        assert_eq!(both.parts[0].facts.nodes, Some(2), "{text}");
    }
    let lines: Vec<&str> = json.lines().take(30).collect();
    for text in [lines.join("\n"), format!("{}\n{NUMACTL}", lines.join("\n"))] {
        let error = parse(text.as_bytes()).unwrap_err().to_string();
        assert!(error.contains("lscpu -J is cut off after line"), "{error}");
    }
}

/// Large logs are parsed once: what recognised the log is what commands read.
#[test]
fn a_log_is_parsed_once() {
    for text in [LOG.to_owned(), format!("some words\n{LSCPU}{LOG}"), format!("{LOG}{SMI}")] {
        let sent = sent(&text);
        let parsed = sent.source.parsed_log().expect("it is kept");
        let again = crate::kernel_log::read(&sent.source);
        assert_eq!(&again, parsed);
        assert_eq!((again.events.len(), again.release()), (3, Some("6.1.0-28-amd64")));
    }
    let apart = sent(&format!("{LOG}{LSCPU}[    1.000000] NUMA turned off\n"));
    assert!(apart.source.parsed_log().is_none(), "two parts are one text");
    assert_eq!(crate::kernel_log::read(&apart.source).events.len(), 4);
}

#[test]
fn tables_and_captures_join_outputs() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let mut srat = b"SRAT\x30\0\0\0\x01\0OEMID OEMTABLE".to_vec();
    srat.resize(48, 0);
    std::fs::create_dir(at("x1")).unwrap();
    std::fs::write(at("x1/x2"), &srat).unwrap();
    std::fs::write(at("x3"), &srat).unwrap();
    std::fs::write(at("x4"), LSCPU).unwrap();
    let mut archive = tar::Builder::new(std::fs::File::create(at("x5")).unwrap());
    let files = [
        ("sys/devices/system/cpu/online", "0-7"),
        ("sys/devices/system/node/online", "0-1"),
        ("sys/devices/system/node/node0/cpulist", "0-1,4-5"),
        ("sys/devices/system/node/node1/cpulist", "2-3,6-7"),
    ];
    for (path, text) in files {
        let mut header = tar::Header::new_gnu();
        header.set_size(text.len() as u64);
        header.set_mode(0o644);
        archive.append_data(&mut header, path, text.as_bytes()).unwrap();
    }
    archive.finish().unwrap();
    let captured = Sent::open(&[at("x5"), at("x4")]).unwrap();
    assert!(!captured.source.is_sent(), "what a capture lacks, the machine has not");
    for (name, form) in [("x1", "firmware tables"), ("x3", "firmware tables"), ("x5", "capture")] {
        let sent = Sent::open(&[at(name), at("x4")]).unwrap();
        let mut both = forms(&sent);
        both.sort_unstable();
        assert_eq!(both, [form, "lscpu"]);
        let tables = crate::firmware_tables::read(&sent.source).tables.len();
        assert_eq!(tables, usize::from(form != "capture"), "{name}");
        assert_eq!(Topology::read(&sent.source).unwrap().cores().len(), 4, "of lscpu");
    }
    std::fs::create_dir(at("x6")).unwrap();
    let error = Sent::open(&[at("x4"), at("x6")]).unwrap_err().to_string();
    assert!(error.contains("has no 'sys' folder"), "{error}");
}

#[test]
fn captures_of_machines_with_other_devices_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let capture = |name: &str, addresses: &[&str]| {
        let path = folder.path().join(name);
        let mut archive = tar::Builder::new(std::fs::File::create(&path).unwrap());
        let devices = addresses.iter().map(|at| format!("sys/bus/pci/devices/{at}/class"));
        for name in devices.chain(["sys/devices/system/cpu/online".to_owned()]) {
            let mut header = tar::Header::new_gnu();
            header.set_size(1);
            header.set_mode(0o644);
            archive.append_data(&mut header, name, &b"0"[..]).unwrap();
        }
        archive.finish().unwrap();
        path
    };
    let one = capture("x1", &["0000:18:00.0", "0000:9a:00.0"]);
    let same = capture("x2", &["0000:18:00.0", "0000:9a:00.0"]);
    let other = capture("x3", &["0000:18:00.0", "0000:c1:00.0"]);
    let none = capture("x4", &[]);
    assert!(Sent::open(&[one.clone(), same]).is_ok());
    assert!(Sent::open(&[one.clone(), none]).is_ok(), "it was made without them");
    let error = Sent::open(&[one, other]).unwrap_err().to_string();
    let what = "the PCI functions are with 0000:9a:00.0 in one, without 0000:9a:00.0 in the other";
    assert!(error.contains(what), "{error}");
}

#[test]
fn what_nothing_reads_is_refused() {
    assert!(matches!(parse(b" \n"), Err(SentError::Empty { .. })));
    for text in ["hello\n", "CPU0 CPU1\n", "Architecture: x\n", "{\n", "# CPU,Core\n"] {
        assert!(matches!(parse(text.as_bytes()), Err(SentError::NotUnderstood { .. })), "{text}");
    }
}

#[test]
fn a_part_that_is_not_understood_is_named() {
    let found = sent(&format!("Architecture: x\n{NUMACTL}"));
    let part = NotUnderstoodPart { file: "x".to_owned(), line: 1, form: "lscpu" };
    assert_eq!((forms(&found), &found.not_understood[..]), (vec!["numactl -H"], &[part][..]));
    let lines = crate::text::sent::parts(&found);
    assert_eq!(lines[1], "x, line 1: begins as lscpu, and is not understood");
    assert_eq!(sent(&format!("It is an example.\n{NUMACTL}")).not_understood, []);
}
