//! What people post: the right answer, and where each rule has to be silent.

use std::fs;
use std::path::Path;

use nearfar_diagnose::text::text;
use nearfar_diagnose::{Diagnosis, DiagnosisVerdict, LogDifference, Severity, Witnesses, diagnose};
use nearfar_firmware::linux::KernelLog;
use nearfar_machine::{Source, firmware_tables, kernel_log};

use crate::corpus_folder::corpus;

/// Words of the screen, in one line.
fn screen(diagnosis: &Diagnosis) -> String {
    text(diagnosis).plain().split_whitespace().collect::<Vec<_>>().join(" ")
}

fn has(diagnosis: &Diagnosis, code: &str) -> bool {
    diagnosis.findings.iter().any(|finding| finding.code == code)
}

/// What a case has to be, have and not have.
struct Expected {
    case: &'static str,
    file: &'static str,
    verdict: DiagnosisVerdict,
    /// Codes of findings; "-" before those that must not be there.
    codes: &'static [&'static str],
    /// Words of the screen; "-" likewise.
    words: &'static [&'static str],
}

const CASES: [Expected; 10] = [
    Expected {
        case: "04-gh200-distance-255",
        file: "root.tar.gz",
        verdict: DiagnosisVerdict::Visible,
        codes: &["-slit-unreachable", "-slit-asymmetric"],
        words: &["No fault was found.", "-newer BIOS", "-SLIT"],
    },
    Expected {
        case: "06-nodes-cross-packages",
        file: "root.tar.gz",
        verdict: DiagnosisVerdict::VisibleButDoubtful,
        codes: &["nodes-cross-cpus"],
        words: &["Cause: nodes-cross-cpus", "package with CPUs 0-7", "CPU topology", "-newer BIOS"],
    },
    Expected {
        case: "09-one-domain-two-epyc",
        file: "root.tar.gz",
        verdict: DiagnosisVerdict::WithheldByFirmware,
        codes: &["one-domain"],
        words: &["NPS1, not NPS0", "Optional, for several nodes"],
    },
    Expected {
        case: "11-lpar-advice",
        file: "root.tar.gz",
        verdict: DiagnosisVerdict::VisibleButDoubtful,
        codes: &["cpu-only-node", "slit-default"],
        words: &["HMC", "-Put modules", "-newer BIOS"],
    },
    Expected {
        case: "13-offline-memory-blocks",
        file: "root.tar.gz",
        verdict: DiagnosisVerdict::Visible,
        codes: &["memory-offline"],
        words: &["6 GiB", "memhp_default_state=offline", "daxctl online-memory", "-No fault"],
    },
    Expected {
        case: "27-guest-by-log",
        file: "root.tar.gz",
        verdict: DiagnosisVerdict::WithheldByHypervisor,
        codes: &["cpu-groups-contradict"],
        words: &["a guest of KVM", "arch topology borken", "-unknown hypervisor"],
    },
    Expected {
        case: "28-all-memory-in-node-0",
        file: "root.tar.gz",
        verdict: DiagnosisVerdict::VisibleButDoubtful,
        codes: &["cpu-only-node"],
        words: &["Put modules", "firmware puts all memory into one domain", "dmidecode"],
    },
    Expected {
        case: "32-one-memory-tier",
        file: "root.tar.gz",
        verdict: DiagnosisVerdict::Visible,
        codes: &["one-memory-tier"],
        words: &["1 warning is below", "-No fault", "Linux 6.8"],
    },
    Expected {
        case: "34-raspberry-pi",
        file: "pi5.tar.gz",
        verdict: DiagnosisVerdict::Visible,
        codes: &["numa-fake", "-no-srat"],
        words: &[
            "On purpose",
            "Leave it",
            "nearfar interleave",
            "-BIOS setup",
            "-GRUB",
            "-defect",
            "-cause",
        ],
    },
    Expected {
        case: "34-raspberry-pi",
        file: "pi5plain.tar.gz",
        verdict: DiagnosisVerdict::Uniform,
        codes: &["-numa-fake"],
        words: &["-BIOS setup", "-GRUB"],
    },
];

#[test]
fn posted_machines_get_the_right_answer() {
    let Some(folder) = corpus().map(|corpus| corpus.join("cases")) else { return };
    for expected in CASES {
        let path = folder.join(expected.case).join(expected.file);
        let diagnosis = diagnose(&Witnesses::read(&Source::open(&path).unwrap()));
        let shown = screen(&diagnosis);
        assert_eq!(diagnosis.verdict, expected.verdict, "{}: {shown}", expected.case);
        for code in expected.codes {
            let is_wanted = !code.starts_with('-');
            let is_there = has(&diagnosis, code.trim_start_matches('-'));
            assert_eq!(is_there, is_wanted, "{}: {code}: {shown}", expected.case);
        }
        for words in expected.words {
            let is_wanted = !words.starts_with('-');
            let is_there = shown.contains(words.trim_start_matches('-'));
            assert_eq!(is_there, is_wanted, "{}: {words}: {shown}", expected.case);
        }
    }
}

#[test]
fn tables_with_all_memory_in_one_domain_may_be_wrong() {
    let Some(folder) = corpus().map(|corpus| corpus.join("cases/28-all-memory-in-node-0")) else {
        return;
    };
    let firmware = firmware_tables::open(&folder.join("tables")).unwrap();
    let shown = screen(&diagnose(&Witnesses::for_tables(firmware, KernelLog::default())));
    assert!(shown.contains("firmware puts all memory into one domain"), "{shown}");
}

#[test]
fn a_posted_log_has_one_verdict_in_any_form() {
    let Some(folder) = corpus().map(|corpus| corpus.join("cases/02-dmesg-x-prefix")) else {
        return;
    };
    let logs = files(&folder).filter(|path| path.extension().is_some_and(|end| end == "txt"));
    let mut judged = 0;
    for path in logs.filter(|path| !path.ends_with("EXPECT.txt")) {
        let firmware = firmware_tables::open(&folder.join("tables")).unwrap();
        let log = kernel_log::open(&path).unwrap();
        let diagnosis = diagnose(&Witnesses::for_tables(firmware, log));
        assert_eq!(diagnosis.verdict, DiagnosisVerdict::TurnedOff, "{path:?}");
        assert_eq!(diagnosis.cause.as_ref().map(|cause| &*cause.code), Some("numa-off"));
        judged += 1;
    }
    assert!(judged >= 6);
}

fn files(folder: &Path) -> impl Iterator<Item = std::path::PathBuf> {
    fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path())
}

#[test]
fn a_log_of_another_machine_is_judged_alone() {
    let Some(folder) = corpus().map(|corpus| corpus.join("cases/01-foreign-log")) else { return };
    let log = kernel_log::open(&folder.join("dmesg.txt")).unwrap();
    let here = Witnesses::read(&Source::live());
    if here.topology.is_some() {
        assert!(matches!(here.difference(&log), Some(LogDifference::Release { .. })));
    }
    let diagnosis = diagnose(&Witnesses::for_tables(Default::default(), log));
    let shown = screen(&diagnosis);
    assert!(shown.contains("4 nodes are in the log"), "{shown}");
}

#[test]
fn an_excerpt_of_a_log_counts_its_nodes() {
    let table = "$ dmesg | grep -i numa\n[    0.0] NUMA: Initialized distance table, cnt=2\n";
    let entries = "[    0.0] SRAT: PXM 3 -> APIC 0x0102 -> Node 1\n\
                   [    0.0] ACPI: SRAT: Node 0 PXM 0 [mem 0x0-0x7fffffff]\n";
    for text in [table, entries] {
        let log = KernelLog::parse(text.as_bytes());
        let shown = screen(&diagnose(&Witnesses::for_tables(Default::default(), log)));
        assert!(shown.contains("2 nodes are in the log"), "{text}: {shown}");
    }
}

/// Machines of four CPUs and two nodes, with more files.
fn machine(files: &[(&str, &str)]) -> Diagnosis {
    const BASE: [(&str, &str); 12] = [
        ("/sys/devices/system/cpu/online", "0-3"),
        ("/sys/devices/system/cpu/cpu0/topology/physical_package_id", "0"),
        ("/sys/devices/system/cpu/cpu1/topology/physical_package_id", "0"),
        ("/sys/devices/system/cpu/cpu2/topology/physical_package_id", "1"),
        ("/sys/devices/system/cpu/cpu3/topology/physical_package_id", "1"),
        ("/sys/devices/system/node/online", "0-1"),
        ("/sys/devices/system/node/node0/cpulist", "0-1"),
        ("/sys/devices/system/node/node0/meminfo", "Node 0 MemTotal: 8388608 kB\n"),
        ("/sys/devices/system/node/node0/distance", "10 21"),
        ("/sys/devices/system/node/node1/cpulist", "2-3"),
        ("/sys/devices/system/node/node1/meminfo", "Node 1 MemTotal: 8388608 kB\n"),
        ("/sys/devices/system/node/node1/distance", "21 10"),
    ];
    let kept = BASE.iter().filter(|(path, _)| files.iter().all(|(other, _)| other != path));
    diagnose(&Witnesses::read(&Source::from_files(kept.chain(files).copied())))
}

const NODE1: &str = "/sys/devices/system/node/node1";

#[test]
fn rules_of_posts_are_silent_on_healthy_machines() {
    let demotion = ("/sys/kernel/mm/numa/demotion_enabled", "true");
    let one_tier = ("/sys/devices/virtual/memory_tiering/memory_tier4/nodelist", "0-1");
    let online = [
        ("/sys/devices/system/memory/block_size_bytes", "80000000"),
        ("/sys/devices/system/node/node1/memory5/state", "online"),
    ];
    for files in [&[][..], &[demotion, one_tier], &online] {
        let healthy = machine(files);
        let alarms: Vec<_> = healthy.findings.iter().map(|finding| &finding.code).collect();
        let is_note = |code: &&String| !code.ends_with("unreadable") && *code != "no-srat";
        assert_eq!(alarms.iter().filter(|code| is_note(code)).count(), 0, "{files:?}: {alarms:?}");
    }
}

#[test]
fn each_rule_of_posts_has_its_machine() {
    let list = format!("{NODE1}/cpulist");
    let distance = format!("{NODE1}/distance");
    let memory = format!("{NODE1}/meminfo");
    let block = ("/sys/devices/system/memory/block_size_bytes", "80000000");
    for (code, files) in [
        (
            "nodes-cross-cpus",
            vec![("/sys/devices/system/node/node0/cpulist", "0,2"), (&list, "1,3")],
        ),
        ("slit-unreachable", vec![(&*distance, "255 10")]),
        (
            "memory-offline",
            vec![block, ("/sys/devices/system/node/node1/memory5/state", "offline")],
        ),
        ("cpu-only-node", vec![(&*memory, "Node 1 MemTotal: 0 kB\n")]),
        (
            "one-memory-tier",
            vec![
                ("/sys/kernel/mm/numa/demotion_enabled", "true"),
                ("/sys/devices/virtual/memory_tiering/memory_tier4/nodelist", "0-1"),
                ("/sys/devices/system/node/node0/cpulist", "0-3"),
                (&list, ""),
            ],
        ),
    ] {
        let diagnosis = machine(&files);
        assert!(has(&diagnosis, code), "{code}: {:#?}", diagnosis.findings);
        assert!(!has(&machine(&[]), code));
    }
}

#[test]
fn advice_about_hardware_is_not_for_guests() {
    let memory = format!("{NODE1}/meminfo");
    let without_memory = (&*memory, "Node 1 MemTotal: 0 kB\n");
    for (name, expected) in
        [("VMware", "numa.vcpu"), ("Hyper-V", "Settings, Processor, NUMA"), ("KVM", "libvirt")]
    {
        let shown = screen(&machine(&[without_memory, ("/nearfar/hypervisor", name)]));
        assert!(shown.contains(expected) && !shown.contains("Put modules"), "{name}: {shown}");
    }
    let metal = screen(&machine(&[without_memory]));
    assert!(metal.contains("Put modules") && !metal.contains("On the host"), "{metal}");
}

#[test]
fn the_command_line_is_changed_where_the_machine_has_it() {
    let options = ("/proc/cmdline", "ro numa=off");
    let arm = ("/proc/sys/kernel/arch", "aarch64");
    let board = ("/proc/device-tree/model", "Raspberry Pi 5 Model B Rev 1.0");
    for (files, expected) in [
        (&[options][..], "/etc/default/grub"),
        (&[options, arm], "extlinux.conf"),
        (&[options, arm, board], "/boot/firmware/cmdline.txt"),
    ] {
        let shown = screen(&machine(files));
        assert!(shown.contains(expected), "{expected}: {shown}");
        assert_eq!(shown.contains("grub"), expected.contains("grub"), "{shown}");
    }
}

#[test]
fn the_headline_counts_all_findings() {
    let device = "/sys/bus/pci/devices/0000:00:1f.0";
    for diagnosis in [machine(&[]), machine(&[("/proc/cmdline", device)])] {
        let warnings =
            diagnosis.findings.iter().filter(|finding| finding.severity <= Severity::Warning);
        let (warnings, shown) = (warnings.count(), screen(&diagnosis));
        if diagnosis.verdict == DiagnosisVerdict::Visible {
            assert_eq!(shown.contains("No fault was found."), warnings == 0, "{shown}");
        }
    }
}
