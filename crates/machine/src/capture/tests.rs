use std::fs;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use super::*;

#[test]
fn memory_side_caches_are_captured() {
    let cache = "/sys/devices/system/node/node0/memory_side_cache/index1/size";
    let cpu = ("/sys/devices/system/cpu/online", "0");
    let machine =
        Source::from_files([cpu, ("/sys/devices/system/node/online", "0"), (cache, "17179869184")]);
    let capture = Capture::read(machine, Privacy::Removed, |_| {});
    assert!(capture.manifest().contains(cache), "{}", capture.manifest());
}
use nearfar_model::NodeId;

use crate::interrupts::InterruptSnapshot;
use crate::resctrl::MemoryTraffic;
use crate::source::FileContents;

const CPU: &str = "/sys/devices/system/cpu";

fn table(signature: &str) -> Vec<u8> {
    let mut bytes = signature.as_bytes().to_vec();
    bytes.extend(36u32.to_le_bytes());
    bytes.resize(36, 0);
    bytes[9] = bytes.iter().fold(0u8, |sum, &byte| sum.wrapping_sub(byte));
    bytes
}

/// Two CPUs, one node, two tables, a memory map with one block.
fn machine() -> Source {
    let text = |path: &str, content: &str| (path.to_owned(), content.as_bytes().to_vec());
    Source::from_files([
        text(&format!("{CPU}/online"), "0-1\n"),
        text(&format!("{CPU}/cpu0/topology/core_cpus_list"), "0-1\n"),
        text(&format!("{CPU}/cpu1/topology/core_cpus_list"), "0-1\n"),
        text("/sys/devices/system/node/node0/cpulist", "0-1\n"),
        text("/sys/devices/system/node/node0/memory0/state", "online\n"),
        text("/sys/devices/system/memory/block_size_bytes", "8000000\n"),
        text("/sys/devices/system/memory/memory0/state", "online\n"),
        text("/sys/firmware/memmap/0/start", "0x0\n"),
        text("/sys/firmware/memmap/0/end", "0x7ffffff\n"),
        text("/sys/firmware/memmap/0/type", "System RAM\n"),
        text("/proc/cpuinfo", "model name : EPYC 9354\nSerial : 4711\n"),
        text("/proc/cmdline", "root=/dev/secret numa=off\n"),
        text("/proc/sys/kernel/hostname", "apollo\n"),
        text("/sys/class/net/eth0/address", "52:54:00:12:34:56\n"),
        text(
            "/var/log/dmesg",
            "[    0.000000] Linux version 6.1.0 (me@apollo)\n[    0.1] NUMA turned off\n",
        ),
        ("/sys/firmware/acpi/tables/SRAT".to_owned(), table("SRAT")),
        ("/sys/firmware/acpi/tables/DSDT".to_owned(), table("DSDT")),
    ])
}

fn written(capture: &Capture, folder: &Path) -> Source {
    let path = folder.join("c.tar.gz");
    let mut file = fs::File::create(&path).unwrap();
    capture.write(&mut file).unwrap();
    file.flush().unwrap();
    Source::open(&path).unwrap()
}

#[test]
fn readers_get_the_same_from_a_capture() {
    let folder = tempfile::tempdir().unwrap();
    for privacy in [Privacy::Removed, Privacy::Kept] {
        let (before, after) =
            (machine(), written(&Capture::read(machine(), privacy, |_| {}), folder.path()));
        assert_eq!(Topology::read(&after).unwrap(), Topology::read(&before).unwrap());
        let [was, is] = [&before, &after].map(|source| {
            let environment = Environment::read(source);
            Environment { boot: Environment::read(&machine()).boot, ..environment }
        });
        assert_eq!(is, was);
        let [was, is] = [&before, &after].map(|source| {
            let firmware = firmware_tables::read(source);
            let map = PhysicalMap::read(&firmware, Some(source), &kernel_log::read(source));
            (firmware.tables, firmware.smbios, firmware.device_tree, map)
        });
        assert_eq!(is, was);
        assert_eq!(kernel_log::read(&after).events.len(), kernel_log::read(&before).events.len());
    }
}

#[test]
fn private_data_is_removed() {
    let folder = tempfile::tempdir().unwrap();
    let capture = Capture::read(machine(), Privacy::Removed, |_| {});
    let after = written(&capture, folder.path());
    assert_eq!(after.text("/proc/cmdline").as_deref(), Some("numa=off"));
    assert_eq!(after.text("/proc/cpuinfo").as_deref(), Some("model name : EPYC 9354"));
    assert!(
        !after.exists("/proc/sys/kernel/hostname") && !after.exists("/sys/class/net/eth0/address")
    );
    assert!(!after.text("/var/log/dmesg").unwrap().contains("apollo"));
    let full = written(&Capture::read(machine(), Privacy::Kept, |_| {}), folder.path());
    assert_eq!(full.text("/proc/cmdline").as_deref(), Some("root=/dev/secret numa=off"));
}

#[test]
fn manifest_lists_files_and_removals() {
    let manifest = Capture::read(machine(), Privacy::Removed, |_| {}).manifest();
    assert!(manifest.starts_with(CAPTURE_SCHEMA), "{manifest}");
    assert!(manifest.contains("  /proc/cmdline: 1 other parameter\n"), "{manifest}");
    assert!(manifest.contains("  /sys/firmware/acpi/tables/SRAT 36\n"), "{manifest}");
    assert!(!manifest.contains("apollo"), "{manifest}");
    assert!(
        Capture::read(machine(), Privacy::Kept, |_| {})
            .manifest()
            .contains("Nothing was taken out")
    );
}

#[test]
fn unreadable_files_stay_denied() {
    let folder = tempfile::tempdir().unwrap();
    let mut capture = Capture::read(machine(), Privacy::Removed, |_| {});
    let path = "/sys/firmware/acpi/tables/SRAT";
    capture.items.insert(path.to_owned(), CapturedItem::Denied);
    assert_eq!(capture.denied().collect::<Vec<_>>(), [path]);
    assert!(
        capture.manifest().contains("  /sys/firmware/acpi/tables/SRAT: unreadable: not root\n")
    );
    let after = written(&capture, folder.path());
    assert_eq!(after.contents(path), FileContents::Denied);
    assert_eq!(firmware_tables::read(&after).denied().collect::<Vec<_>>(), ["SRAT"]);
}

#[test]
fn the_same_machine_gives_the_same_bytes() {
    let bytes = || {
        let mut bytes = Vec::new();
        Capture::read(machine(), Privacy::Removed, |_| {}).write(&mut bytes).unwrap();
        bytes
    };
    assert_eq!(bytes(), bytes());
}

#[test]
fn the_live_machine_is_captured() {
    let folder = tempfile::tempdir().unwrap();
    let capture = Capture::read(Source::live(), Privacy::Removed, |_| {});
    let after = written(&capture, folder.path());
    let (was, is) = (Topology::read(&Source::live()).unwrap(), Topology::read(&after).unwrap());
    assert_eq!(
        (is.cpus.len(), is.caches.len(), is.nodes.len()),
        (was.cpus.len(), was.caches.len(), was.nodes.len())
    );
    assert_eq!(is.oddities, was.oddities);
    assert_eq!(Environment::read(&after).hypervisor, Environment::read(&Source::live()).hypervisor);
    assert!(!capture.items.contains_key("/proc/sys/kernel/hostname"));
}

#[test]
fn empty_machine_is_captured() {
    let folder = tempfile::tempdir().unwrap();
    let capture = Capture::read(Source::from_files([("/x", "")]), Privacy::Removed, |_| {});
    assert_eq!(capture.files(), 1, "only the list of what is kept");
    assert!(Topology::read(&written(&capture, folder.path())).is_err());
}

/// Two cards named by their addresses, two disks behind controllers named by UUIDs, each pair on
/// two nodes, and a tunnel.
fn machine_of_devices(folder: &Path) {
    let devices = folder.join("sys/devices");
    let link = |from: &str, to: &str| {
        let from = folder.join("sys").join(from);
        fs::create_dir_all(from.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(to, from).unwrap();
    };
    let device = |path: &str, node: &str| {
        fs::create_dir_all(devices.join(path)).unwrap();
        fs::write(devices.join(path).join("numa_node"), node).unwrap();
    };
    for (node, (card, disk)) in
        [("enx525400aaaaaa", "sda"), ("enx525400bbbbbb", "sdb")].into_iter().enumerate()
    {
        let card_at = format!("pci0000:00/0000:00:0{node}.0");
        let disk_at = format!("VMBUS:01/{node}db74aeb-8439-43d8-8015-6f876f42533e/host{node}");
        device(&card_at, &node.to_string());
        device(&disk_at, &node.to_string());
        fs::create_dir_all(devices.join(&card_at).join("net").join(card)).unwrap();
        link(&format!("class/net/{card}"), &format!("../../devices/{card_at}/net/{card}"));
        link(&format!("devices/{card_at}/net/{card}/device"), "../..");
        link(&format!("block/{disk}/device"), &format!("../../devices/{disk_at}"));
    }
    fs::create_dir_all(devices.join("virtual/net/wg-apollo")).unwrap();
    link("class/net/wg-apollo", "../../devices/virtual/net/wg-apollo");
    fs::create_dir_all(devices.join("system/cpu")).unwrap();
    fs::write(devices.join("system/cpu/online"), "0").unwrap();
}

#[test]
fn devices_keep_nodes_without_software_names() {
    let folder = tempfile::tempdir().unwrap();
    machine_of_devices(folder.path());
    let devices = |source: &Source| Topology::read(source).unwrap().devices;
    let before = devices(&Source::open(folder.path()).unwrap());
    let listed: Vec<(&str, Option<u32>)> = before
        .iter()
        .map(|device| (device.name.as_str(), device.node.map(|node| node.0)))
        .collect();
    assert_eq!(
        listed,
        [
            ("enx000000000000", Some(0)),
            ("enx000000000001", Some(1)),
            ("sda", Some(0)),
            ("sdb", Some(1))
        ]
    );

    let capture = Capture::read(Source::open(folder.path()).unwrap(), Privacy::Removed, |_| {});
    let packed = tempfile::tempdir().unwrap();
    let after = written(&capture, packed.path());
    assert_eq!(devices(&after), before);
    let cards = after.list("/sys/class/net");
    assert!(
        cards.len() == 2 && cards.iter().all(|card| card.starts_with("enx00000000000")),
        "{cards:?}"
    );

    let unpacked = tempfile::tempdir().unwrap();
    let file = fs::File::open(packed.path().join("c.tar.gz")).unwrap();
    tar::Archive::new(flate2::read::GzDecoder::new(file)).unpack(unpacked.path()).unwrap();
    assert_eq!(devices(&Source::open(unpacked.path()).unwrap()), before);
    let link = unpacked
        .path()
        .join("nearfar-capture/sys/class/net")
        .join(&cards[1])
        .join("device/numa_node");
    assert_eq!(fs::read_to_string(link).unwrap(), "1", "its links lead into it, wherever it lies");
}

#[test]
fn traffic_counters_are_captured_without_names_of_groups() {
    let machine = || {
        Source::from_files([
            ("/sys/devices/system/cpu/online", "0-1".to_owned()),
            ("/sys/devices/system/node/online", "0-1".to_owned()),
            ("/sys/devices/system/node/node0/cpulist", "0".to_owned()),
            ("/sys/devices/system/node/node1/cpulist", "1".to_owned()),
            ("/sys/devices/system/cpu/cpu0/cache/index3/id", "0".to_owned()),
            ("/sys/devices/system/cpu/cpu1/cache/index3/id", "4".to_owned()),
            ("/sys/fs/resctrl/mon_data/mon_L3_00/mbm_local_bytes", "100".to_owned()),
            ("/sys/fs/resctrl/mon_data/mon_L3_00/mbm_total_bytes", "150".to_owned()),
            ("/sys/fs/resctrl/mon_data/mon_L3_04/mbm_total_bytes", "Unavailable".to_owned()),
            ("/sys/fs/resctrl/customer7/mon_data/mon_L3_00/mbm_total_bytes", "9".to_owned()),
        ])
    };
    let folder = tempfile::tempdir().unwrap();
    let after = written(&Capture::read(machine(), Privacy::Removed, |_| {}), folder.path());
    let traffic =
        |source: &Source| TrafficDomains::find(source, &NodeSummaries::read(source)).read(source);
    let own = traffic(&after);
    let node_0 = MemoryTraffic { local: Some(100), total: Some(150) };
    assert_eq!(own[&NodeId(0)], node_0);
    assert_eq!(own[&NodeId(1)], MemoryTraffic::default());
    assert_eq!(traffic(&machine())[&NodeId(0)].total, Some(159));
    assert!(!after.exists("/sys/fs/resctrl/customer7"));
}

#[test]
fn paths_with_dots_are_skipped() {
    let machine = || {
        Source::from_files([
            ("/sys/devices/system/cpu/online", "0"),
            ("/proc/self/cgroup", "0::/../c2\n"),
            ("/proc/mounts", "cgroup2 /sys/fs/cgroup cgroup2 rw 0 0\n"),
            ("/sys/fs/cgroup/cgroup.controllers", "cpuset"),
            ("/sys/fs/c2/cpuset.cpus.effective", "0"),
            ("/sys/fs/c2/memory.max", "4096"),
        ])
    };
    let folder = tempfile::tempdir().unwrap();
    let capture = Capture::read(machine(), Privacy::Removed, |source| {
        assert!(source.exists("/sys/fs/cgroup/../c2/memory.max"));
    });
    written(&capture, folder.path());
}

/// Three interrupts: two that root may move, and one that the kernel placed.
fn machine_of_interrupts(folder: &Path) -> Source {
    let file = |path: &str, text: &str, mode: u32| {
        let path = folder.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
    };
    file("sys/devices/system/cpu/online", "0-1\n", 0o444);
    let table = " CPU0 CPU1\n 5: 1 2 X 5-edge a\n 6: 1 2 X 6-edge b\n 7: 1 2 X 7-edge c\n";
    file("proc/interrupts", table, 0o444);
    for (number, mode) in [(5, 0o644), (6, 0o444), (7, 0o600)] {
        file(&format!("proc/irq/{number}/smp_affinity_list"), "0-1\n", mode);
    }
    Source::open(folder).unwrap()
}

#[test]
fn archives_keep_which_interrupts_root_may_move() {
    let [machine, packed, unpacked] = [(); 3].map(|()| tempfile::tempdir().unwrap());
    let writable = |source: &Source| {
        let snapshot = InterruptSnapshot::read(source).unwrap();
        [5, 6, 7].map(|number| snapshot.affinity[&number].is_writable)
    };
    let was = writable(&machine_of_interrupts(machine.path()));
    assert_eq!(was, [Some(true), Some(false), Some(true)]);
    let read = |source: &Source| {
        InterruptSnapshot::read(source).unwrap();
    };
    for privacy in [Privacy::Removed, Privacy::Kept] {
        let source = machine_of_interrupts(machine.path());
        let archive = written(&Capture::read(source, privacy, read), packed.path());
        assert_eq!(writable(&archive), was);
        // A capture of the capture, and an unpacked one.
        assert_eq!(writable(&written(&Capture::read(archive, privacy, read), packed.path())), was);
    }
    let modes: Vec<u32> = entries(packed.path()).iter().map(|(_, mode)| *mode).collect();
    assert!(modes.iter().all(|mode| matches!(mode, 0o755 | 0o644 | 0o444)), "{modes:?}");
    let read_only: Vec<String> = entries(packed.path())
        .into_iter()
        .filter(|(_, mode)| *mode == 0o444)
        .map(|entry| entry.0)
        .collect();
    assert_eq!(read_only, ["nearfar-capture/proc/irq/6/smp_affinity_list"]);
    let file = fs::File::open(packed.path().join("c.tar.gz")).unwrap();
    tar::Archive::new(flate2::read::GzDecoder::new(file)).unpack(unpacked.path()).unwrap();
    assert_eq!(writable(&Source::open(unpacked.path()).unwrap()), was);
}

#[test]
fn captures_with_one_mode_for_all_show_no_modes() {
    let [machine, packed] = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let source = machine_of_interrupts(machine.path());
    let mut older = Capture::read(source, Privacy::Removed, |source| {
        InterruptSnapshot::read(source).unwrap();
    });
    for item in older.items.values_mut() {
        if let CapturedItem::File { access, .. } = item {
            *access = FileAccess::Writable;
        }
    }
    let snapshot = InterruptSnapshot::read(&written(&older, packed.path())).unwrap();
    assert_eq!(snapshot.affinity.len(), 3);
    assert!(snapshot.affinity.values().all(|value| value.is_writable.is_none()));
}

/// Names and modes in the written archive.
fn entries(folder: &Path) -> Vec<(String, u32)> {
    let file = fs::File::open(folder.join("c.tar.gz")).unwrap();
    let mut archive = tar::Archive::new(flate2::read::GzDecoder::new(file));
    let entry = |entry: tar::Entry<'_, _>| {
        let name = entry.path().unwrap().to_str().unwrap().to_owned();
        (name, entry.header().mode().unwrap())
    };
    archive.entries().unwrap().map(|one| entry(one.unwrap())).collect()
}
