use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use nearfar_model::{CpuId, CpuSet, NodeId};
use proptest::prelude::*;

use super::*;
use crate::inventory::{Inventory, InventoryScope};
use crate::pci::PciAddress;
use crate::source::Source;

fn table(text: &str) -> InterruptTable {
    InterruptTable::parse(text.as_bytes()).unwrap()
}

/// Chip, input, trigger and actions of the only line.
fn parts(rest: &str) -> (String, Option<u64>, String, String) {
    let table = table(&format!("           CPU0       CPU1\n  9:   3   4{rest}\n"));
    let [line] = table.lines.as_slice() else { panic!("{table:?}") };
    assert_eq!((line.number, line.counts.as_slice()), (Some(9), [3, 4].as_slice()));
    let text = |text: &Option<String>| text.clone().unwrap_or_default();
    (text(&line.chip), line.input, text(&line.trigger), line.actions.join("|"))
}

fn cpus(list: &str) -> CpuSet {
    CpuSet::parse_list(list).unwrap()
}

#[test]
fn lines_of_all_architectures_are_taken_apart() {
    let cases = [
        // x86, Linux 6.
        ("  IO-APIC   5-edge      ACPI:Ged", ("IO-APIC", Some(5), "edge", "ACPI:Ged")),
        (
            " PCI-MSIX-0000:00:01.0   3-edge      virtio0-stats",
            ("PCI-MSIX-0000:00:01.0", Some(3), "edge", "virtio0-stats"),
        ),
        (" IR-PCI-MSI 524288-edge      nvme0q0", ("IR-PCI-MSI", Some(524_288), "edge", "nvme0q0")),
        (
            "  IO-APIC  16-fasteoi   i801_smbus, ehci_hcd:usb1",
            ("IO-APIC", Some(16), "fasteoi", "i801_smbus|ehci_hcd:usb1"),
        ),
        ("  IO-APIC   7-fasteoi   pinctrl_amd", ("IO-APIC", Some(7), "fasteoi", "pinctrl_amd")),
        // x86, Linux 3.
        ("   IO-APIC-edge      timer", ("IO-APIC", None, "edge", "timer")),
        (
            "   IO-APIC-fasteoi   uhci_hcd:usb4, radeon",
            ("IO-APIC", None, "fasteoi", "uhci_hcd:usb4|radeon"),
        ),
        ("  HPET_MSI-edge      hpet2", ("HPET_MSI", None, "edge", "hpet2")),
        ("   IO-APIC-edge    ", ("IO-APIC", None, "edge", "")),
        ("   PCI-MSI-edge      eth0-tx-edge", ("PCI-MSI", None, "edge", "eth0-tx-edge")),
        // x86 without APIC, and Xen.
        ("    XT-PIC   0  timer", ("XT-PIC", Some(0), "", "timer")),
        ("  xen-dyn    -event     eth0-q0-tx", ("xen-dyn", None, "event", "eth0-q0-tx")),
        ("   xen-percpu    -virq      timer0", ("xen-percpu", None, "virq", "timer0")),
        // Arm.
        ("     GICv3  27 Level     arch_timer", ("GICv3", Some(27), "level", "arch_timer")),
        (
            "   ITS-MSI 134742016 Edge      nvme0q0",
            ("ITS-MSI", Some(134_742_016), "edge", "nvme0q0"),
        ),
        (
            " ITS-PCI-MSIX-000c:01:00.0   0 Edge      mlx5_async0@pci:000c:01:00.0",
            ("ITS-PCI-MSIX-000c:01:00.0", Some(0), "edge", "mlx5_async0@pci:000c:01:00.0"),
        ),
        ("     GICv2  95 Level     xhci-hcd:usb1", ("GICv2", Some(95), "level", "xhci-hcd:usb1")),
        (" 9000000.gpio   3 Edge    -handle  button", ("9000000.gpio", Some(3), "edge", "button")),
        // POWER.
        ("  XICS   2 Edge      IPI", ("XICS", Some(2), "edge", "IPI")),
        (
            "  XIVE-IRQ 2097163 Level     xhci_hcd:usb1",
            ("XIVE-IRQ", Some(2_097_163), "level", "xhci_hcd:usb1"),
        ),
        (
            " pSeries-PCI-MSI 4096 Edge      ibmvscsi, x",
            ("pSeries-PCI-MSI", Some(4096), "edge", "ibmvscsi|x"),
        ),
        // RISC-V: a chip of two words.
        ("  SiFive PLIC   8 Edge      virtio0", ("SiFive PLIC", Some(8), "edge", "virtio0")),
        (
            "  RISC-V INTC   5 Edge      riscv-timer",
            ("RISC-V INTC", Some(5), "edge", "riscv-timer"),
        ),
        // s390.
        ("  PCI-MSI   3  nvme0q1", ("PCI-MSI", Some(3), "", "nvme0q1")),
        (
            "  zPCI-MSI   0-percpu    mlx5_comp0@pci:0000:00:00.0",
            ("zPCI-MSI", Some(0), "percpu", "mlx5_comp0@pci:0000:00:00.0"),
        ),
        // Chip and handler apart, and Dovetail (Xenomai 4, EVL).
        (
            "  PCI-MSI-0000:02:00.0   0    -edge      xhci_hcd",
            ("PCI-MSI-0000:02:00.0", Some(0), "edge", "xhci_hcd"),
        ),
        ("  IO-APIC   16    -fasteoi   a b, c", ("IO-APIC", Some(16), "fasteoi", "a b|c")),
        (
            "  PCI-MSI-0000:02:00.0   3 oob-edge      eth9",
            ("PCI-MSI-0000:02:00.0", Some(3), "edge", "eth9"),
        ),
        ("  GICv3  27 oob Level     arch_timer", ("GICv3", Some(27), "level", "arch_timer")),
        ("  GICv3  27 Level oob-x  timer", ("GICv3", Some(27), "level", "timer")),
        ("    SIPIC   1 oob  EVL reschedule", ("SIPIC", Some(1), "", "EVL reschedule")),
        ("    SIRQC  24      in-band irq work", ("SIRQC", Some(24), "", "in-band irq work")),
        ("", ("", None, "", "")),
    ];
    for (rest, (chip, input, trigger, actions)) in cases {
        let expected = (chip.to_owned(), input, trigger.to_owned(), actions.to_owned());
        assert_eq!(parts(rest), expected, "{rest}");
    }
}

#[test]
fn undecided_text_is_kept() {
    let table = table("  CPU0\n 4:  7   chip of words\n");
    let line = &table.lines[0];
    assert_eq!(line.description.as_deref(), Some("chip of words"));
    assert!(line.chip.is_none() && line.actions.is_empty());
}

#[test]
fn interrupts_of_cpus_have_a_description() {
    let text = "           CPU0       CPU4\nNMI:  1  2   Non-maskable interrupts\nERR:   5\n\
                IPI0:  3  4       Rescheduling interrupts\nMIS: 0\n \
                EXT:  1 2\n CLK:  1  2  [EXT] Clock Comparator\n";
    let table = table(text);
    assert_eq!(table.cpus, [CpuId(0), CpuId(4)]);
    let names: Vec<&str> = table.lines.iter().map(|line| line.name.as_str()).collect();
    assert_eq!(names, ["NMI", "ERR", "IPI0", "MIS", "EXT", "CLK"]);
    assert_eq!(table.lines[0].description.as_deref(), Some("Non-maskable interrupts"));
    assert_eq!((table.lines[1].counts.as_slice(), table.lines[2].total()), ([5].as_slice(), 7));
    assert!(table.lines.iter().all(|line| line.number.is_none()));
    assert!(table.oddities.is_empty());
}

#[test]
fn malformed_lines_are_reported() {
    let text = "  CPU0 CPU1\n 1: 5\n 2: 5 x IO-APIC 1-edge a\nno colon\n : 1 2\n \
                3: 99999999999999999999999 1 IO-APIC 3-edge a\n 4: 1 2 IO-APIC 4-edge a\n\
                99999999999: 1 2 IO-APIC 4-edge a\n";
    let table = table(text);
    assert_eq!((table.lines.len(), table.oddities.len()), (1, 6), "{table:?}");
    assert_eq!(table.oddities[0], "line '1: 5' is malformed");
}

#[test]
fn other_files_are_refused() {
    for text in ["", "MemTotal: 5 kB\n", "CPU0 CPU0\n", "CPU99999999999\n", "CPUx\n", "\u{0}"] {
        assert!(InterruptTable::parse(text.as_bytes()).is_err(), "{text}");
    }
    let error = InterruptTable::parse(b"\x1b[31mMemTotal").unwrap_err();
    assert_eq!(error.to_string(), "its first line names no CPUs: '?[31mMemTotal'");
}

proptest! {
    #[test]
    fn no_text_panics(text in any::<Vec<u8>>(), rest in "[ 0-9A-Za-z:,.@\\-é]{0,60}") {
        let _ = InterruptTable::parse(&text);
        let _ = InterruptTable::parse(&[b"  CPU0 CPU1\n".as_slice(), &text].concat());
        let line = format!(" CPU0\n7: 1 {rest}\n");
        let table = InterruptTable::parse(line.as_bytes()).unwrap();
        prop_assert_eq!(table.lines.len(), 1);
        prop_assert_eq!(table.lines[0].total(), 1);
    }

    /// The kernel's own format gives its parts back.
    #[test]
    fn the_kernels_format_reads_back(
        counts in prop::collection::vec(any::<u32>(), 1..9),
        input in 0..5_000_000_u64,
        action in "[a-z][a-zA-Z0-9@:._-]{0,20}",
    ) {
        let head: String = (0..counts.len()).map(|cpu| format!("CPU{cpu:<8}")).collect();
        let columns: String = counts.iter().map(|count| format!("{count:>10} ")).collect();
        let chip = "PCI-MSIX-0000:00:02.0";
        let line = format!(" 30: {columns} {chip} {input:>3}-edge      {action}");
        let text = format!("           {head}\n{line}\n");
        let table = InterruptTable::parse(text.as_bytes()).unwrap();
        let line = &table.lines[0];
        let expected: Vec<u64> = counts.iter().map(|count| u64::from(*count)).collect();
        prop_assert_eq!(&line.counts, &expected);
        prop_assert_eq!((line.input, &line.actions), (Some(input), &vec![action]));
    }
}

/// A machine in a folder, whose files have modes and links.
struct ModedFolder(tempfile::TempDir);

impl ModedFolder {
    fn new() -> Self {
        let machine = Self(tempfile::tempdir().unwrap());
        machine.file("sys/devices/system/cpu/online", "0-3");
        machine
    }

    fn file(&self, path: &str, text: &str) {
        let path = self.0.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn mode(&self, path: &str, mode: u32) {
        let path = self.0.path().join(path);
        fs::set_permissions(path, PermissionsExt::from_mode(mode)).unwrap();
    }

    fn link(&self, link: &str, target: &str) {
        let link = self.0.path().join(link);
        fs::create_dir_all(link.parent().unwrap()).unwrap();
        symlink(Path::new("/").join(target), link).unwrap();
    }

    fn source(&self) -> Source {
        Source::open(self.0.path()).unwrap()
    }
}

#[test]
fn unreadable_absent_and_malformed_files_differ() {
    let machine = ModedFolder::new();
    machine.file("proc/interrupts", " CPU0 CPU1\n 5: 1 2 IO-APIC 5-edge a\n 6: 1 2 X 6-edge b\n");
    machine.file("proc/irq/5/smp_affinity_list", "0-1\n");
    machine.file("proc/irq/5/effective_affinity_list", "");
    machine.mode("proc/irq/5/effective_affinity_list", 0);
    machine.file("proc/irq/5/affinity_hint", "zz");
    machine.file("proc/irq/5/node", "-1\n");
    machine.file("proc/irq/6/node", "1\n");
    let snapshot = InterruptSnapshot::read(&machine.source()).unwrap();
    let one = &snapshot.affinity[&5];
    assert_eq!(one.allowed, FileValue::Value(cpus("0-1")));
    assert_eq!(one.effective, FileValue::NotReadable);
    assert_eq!(one.hint, FileValue::Malformed("zz".to_owned()));
    assert_eq!(one.node, FileValue::Value(None));
    let other = &snapshot.affinity[&6];
    assert_eq!((&other.allowed, &other.effective), (&FileValue::Absent, &FileValue::Absent));
    assert_eq!(other.node, FileValue::Value(Some(NodeId(1))));
}

#[test]
fn modes_count_only_where_they_differ() {
    let machine = ModedFolder::new();
    machine.file("proc/interrupts", " CPU0\n 5: 1 X 5-edge a\n 6: 1 X 6-edge b\n");
    let files = ["proc/irq/5/smp_affinity_list", "proc/irq/6/smp_affinity_list"];
    let writable = || {
        let snapshot = InterruptSnapshot::read(&machine.source()).unwrap();
        [5, 6].map(|number| snapshot.affinity[&number].is_writable)
    };
    files.iter().for_each(|file| machine.file(file, "0"));
    assert_eq!(writable(), [None, None]);
    machine.mode(files[1], 0o444);
    assert_eq!(writable(), [Some(true), Some(false)]);
    machine.mode(files[0], 0o444);
    assert_eq!(writable(), [None, None]);
}

#[test]
fn sysfs_has_what_the_table_lacks() {
    let source = Source::from_files([
        ("/sys/devices/system/cpu/possible", "0-1"),
        ("/sys/kernel/irq/5/per_cpu_count", "3,4"),
        ("/sys/kernel/irq/5/chip_name", "GICv3"),
        ("/sys/kernel/irq/5/hwirq", "27"),
        ("/sys/kernel/irq/5/type", "Level"),
        ("/sys/kernel/irq/5/actions", "a,b"),
        ("/sys/kernel/irq/6/per_cpu_count", "0,0"),
        ("/sys/kernel/irq/7/per_cpu_count", "0"),
    ]);
    let snapshot = InterruptSnapshot::read(&source).unwrap();
    let [line] = snapshot.table.lines.as_slice() else { panic!("{snapshot:?}") };
    assert_eq!((line.counts.as_slice(), line.input), ([3, 4].as_slice(), Some(27)));
    assert_eq!(
        (line.actions.join("|"), line.trigger.as_deref()),
        ("a|b".to_owned(), Some("level"))
    );
    assert_eq!(snapshot.oddities.len(), 1);
    let nothing = Source::from_files([("/sys/devices/system/cpu/possible", "0")]);
    assert_eq!(InterruptSnapshot::read(&nothing).unwrap_err(), "/proc/interrupts does not exist");
}

#[test]
fn chips_of_strange_text_are_read_from_sysfs() {
    let source = Source::from_files([
        ("/proc/interrupts", " CPU0\n 5:  7   chip of words\n"),
        ("/sys/kernel/irq/5/chip_name", "xen-percpu"),
        ("/sys/kernel/irq/5/actions", "timer0"),
    ]);
    let snapshot = InterruptSnapshot::read(&source).unwrap();
    let line = snapshot.table.irq(5).unwrap();
    assert_eq!((line.chip.as_deref(), line.total()), (Some("xen-percpu"), 7));
    assert_eq!(line.actions, ["timer0"]);
}

#[test]
fn vectors_and_queues_belong_to_functions() {
    let machine = ModedFolder::new();
    let card = "sys/devices/pci0000:00/0000:00:03.0";
    machine.file(&format!("{card}/uevent"), "DRIVER=igb\nPCI_CLASS=20000\nPCI_ID=8086:1521\n");
    machine.file(&format!("{card}/msi_irqs/40"), "msix\n");
    machine.file(&format!("{card}/net/eth0/threaded"), "0\n");
    machine.file(&format!("{card}/net/eth0/queues/rx-0/rps_cpus"), "00000000,0000000c\n");
    machine.file(&format!("{card}/net/eth0/queues/rx-0/rps_flow_cnt"), "128\n");
    machine.file(&format!("{card}/net/eth0/queues/tx-0/xps_cpus"), "3\n");
    machine.file(&format!("{card}/net/eth0/queues/tx-0/xps_rxqs"), "2\n");
    machine.link("sys/class/net/eth0", &format!("{card}/net/eth0"));
    machine.link("sys/bus/pci/devices/0000:00:03.0", card);
    machine.file("sys/devices/virtual/net/br0/threaded", "0\n");
    machine.link("sys/class/net/br0", "sys/devices/virtual/net/br0");
    let disk = "sys/devices/pci0000:00/0000:00:04.0";
    machine.file(&format!("{disk}/uevent"), "DRIVER=ahci\nPCI_CLASS=10601\nPCI_ID=8086:2922\n");
    machine.file(&format!("{disk}/irq"), "11\n");
    let other = "sys/devices/pci0000:00/0000:00:05.0";
    machine.file(&format!("{other}/uevent"), "DRIVER=ahci\nPCI_CLASS=10601\nPCI_ID=8086:2922\n");
    machine.file(&format!("{other}/msi_irqs/41"), "msi\n");
    machine.link("sys/bus/pci/devices/0000:00:05.0", other);
    machine.link("sys/bus/pci/devices/0000:00:04.0", disk);
    machine.file(&format!("{disk}/block/sda/mq/0/cpu_list"), "0, 1, 2, 3\n");
    machine.link("sys/block/sda", &format!("{disk}/block/sda"));
    machine.file("proc/cmdline", "ro irqaffinity=0-1 isolcpus=managed_irq,domain,2-3");
    machine.file("proc/sys/net/core/rps_sock_flow_entries", "32768\n");
    let source = machine.source();
    let inventory = Inventory::read(&source, InventoryScope::Usual);
    let setup = InterruptSetup::read(&source, &inventory);
    let address = |text: &str| PciAddress::parse(text).unwrap();
    let vector =
        |number: u32| (setup.vectors[&number].kind, setup.vectors[&number].functions.clone());
    assert_eq!(vector(40), (VectorKind::MsiX, vec![address("0:3.0")]));
    assert_eq!(vector(41), (VectorKind::Msi, vec![address("0:5.0")]));
    assert_eq!(vector(11), (VectorKind::Line, vec![address("0:4.0")]));
    assert_eq!(setup.support[&address("0:4.0")], MessageSupport::Absent);
    let [network] = setup.network.as_slice() else { panic!("{:?}", setup.network) };
    assert_eq!((network.name.as_str(), network.address), ("eth0", Some(address("0:3.0"))));
    assert_eq!(network.threaded, FileValue::Value(false));
    assert_eq!(network.receive[0].rps, FileValue::Value(cpus("2-3")));
    assert_eq!(network.receive[0].flows, FileValue::Value(128));
    assert_eq!(network.transmit[0].xps, FileValue::Value(cpus("0-1")));
    assert_eq!(network.transmit[0].xps_receive, FileValue::Value(vec![1]));
    assert_eq!(setup.disks[0].queues[0].cpus, FileValue::Value(cpus("0-3")));
    assert_eq!(setup.boot.default_cpus, Some(cpus("0-1")));
    assert_eq!(setup.boot.managed_avoid, Some(cpus("2-3")));
    assert_eq!(setup.flow_entries, FileValue::Value(32768));
    assert_eq!(setup.balancer.state, BalancerState::Unknown);
}

#[test]
fn irqbalance_is_found_with_its_policy() {
    let balancer = |files: &[(&str, &str)]| {
        let source = Source::from_files(files.iter().copied());
        InterruptSetup::read(&source, &Inventory::read(&source, InventoryScope::Usual)).balancer
    };
    let running = balancer(&[
        ("/proc/7/comm", "irqbalance\n"),
        ("/proc/7/cmdline", ""),
        ("/proc/8/comm", "irqbalance\n"),
        (
            "/proc/8/cmdline",
            "/usr/sbin/irqbalance\0--foreground\0--banirq=24\0-i\x0025\0-i26\0--policyscript\0\
             /x.sh\0",
        ),
        (
            "/etc/default/irqbalance",
            "# IRQBALANCE_ONESHOT=\n\nexport IRQBALANCE_BANNED_CPULIST=\"2-3\"\nIRQBALANCE_ARGS=\n",
        ),
    ]);
    assert_eq!(running.state, BalancerState::Running);
    assert_eq!(running.banned_interrupts, [24, 25, 26]);
    assert_eq!(running.policy_script.as_deref(), Some("/x.sh"));
    assert_eq!(running.banned_cpus, Some(cpus("2-3")));
    assert_eq!(running.file_options, ["IRQBALANCE_BANNED_CPULIST=\"2-3\"", "IRQBALANCE_ARGS="]);
    let ended = balancer(&[("/proc/7/comm", "irqbalance\n"), ("/proc/7/cmdline", "")]);
    assert_eq!(ended.state, BalancerState::Unknown);
    let masked = balancer(&[("/etc/sysconfig/irqbalance", "IRQBALANCE_BANNED_CPUS=0000000c\n")]);
    assert_eq!((masked.state, masked.banned_cpus), (BalancerState::Unknown, Some(cpus("2-3"))));
}

#[test]
fn capabilities_name_messages() {
    let mut space = vec![0; 256];
    assert_eq!(MessageSupport::parse(&space), MessageSupport::Neither);
    space[0x06] = 0x10;
    space[0x34] = 0x40;
    space[0x40..0x42].copy_from_slice(&[0x01, 0x50]);
    space[0x50..0x52].copy_from_slice(&[0x05, 0x00]);
    assert_eq!(MessageSupport::parse(&space), MessageSupport::Msi);
    space[0x51] = 0x70;
    space[0x70..0x72].copy_from_slice(&[0x11, 0x40]);
    assert_eq!(MessageSupport::parse(&space), MessageSupport::MsiX);
    space[0x70] = 0x10;
    assert_eq!(MessageSupport::parse(&space), MessageSupport::Msi, "a cycle ends");
}

#[test]
fn boot_options_have_flags_before_cpus() {
    let options = |text: &str| IrqBootOptions::parse(text);
    assert_eq!(options("isolcpus=2-3").managed_avoid, None);
    assert_eq!(options("isolcpus=domain,managed_irq,2,3").managed_avoid, Some(cpus("2-3")));
    assert_eq!(options("irqaffinity=0 irqaffinity=1").default_cpus, Some(cpus("1")));
    assert_eq!(options("irqaffinity=x"), IrqBootOptions::default());
}

#[test]
fn addresses_in_names_become_zeros() {
    let table = table(" CPU0\n 5: 1 PCI-MSI 5-edge enx525400abcdef-rx-0\n");
    let snapshot = InterruptSnapshot::for_table(table);
    assert_eq!(snapshot.table.lines[0].actions, ["enx000000000000-rx-0"]);
}

#[test]
fn the_live_machine_has_interrupts() {
    // In a container the file may be absent.
    if let Ok(snapshot) = InterruptSnapshot::read(&Source::live()) {
        assert!(!snapshot.table.lines.is_empty());
        assert!(snapshot.oddities.is_empty(), "{:?}", snapshot.oddities);
    }
}
