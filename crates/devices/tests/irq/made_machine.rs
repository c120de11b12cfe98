//! Machines with interrupts that tests make.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use nearfar_devices::irq::{Earlier, IrqDocument, IrqFinding, IrqInput, assess};
use nearfar_devices::{DeviceContext, assess as assess_devices};
use nearfar_firmware::Firmware;
use nearfar_firmware::linux::KernelLog;
use nearfar_machine::interrupts::{
    BalancerState, InterruptSetup, InterruptSnapshot, MessageSupport,
};
use nearfar_machine::{Inventory, InventoryScope, PciAddress, PciNames, Source, Topology};
use nearfar_model::CpuSet;

/// An interrupt of a made machine: number, handler, chosen CPU, counters since boot of CPUs 0-7.
pub(crate) struct MadeIrq {
    pub(crate) number: u32,
    pub(crate) handler: &'static str,
    pub(crate) cpu: u32,
    pub(crate) counts: [u64; 8],
}

/// A machine of eight CPUs in a folder.
pub(crate) struct MadeInterrupts {
    folder: tempfile::TempDir,
    /// Whether its functions offer messages, where it matters.
    support: Option<MessageSupport>,
    balancer: BalancerState,
    banned_interrupts: Vec<u32>,
    /// Labels of the devices that are wanted; empty: all.
    only: Vec<String>,
}

/// Counters of one CPU.
pub(crate) fn on(cpu: usize, count: u64) -> [u64; 8] {
    let mut counts = [0; 8];
    counts[cpu] = count;
    counts
}

impl MadeInterrupts {
    fn with_nodes(nodes: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let machine = Self {
            folder,
            support: None,
            balancer: BalancerState::Unknown,
            banned_interrupts: Vec::new(),
            only: Vec::new(),
        };
        for (id, cpus) in nodes.iter().enumerate() {
            machine.file(&format!("sys/devices/system/node/node{id}/cpulist"), cpus);
            let distances: Vec<&str> =
                (0..nodes.len()).map(|other| if other == id { "10" } else { "20" }).collect();
            machine
                .file(&format!("sys/devices/system/node/node{id}/distance"), &distances.join(" "));
            for cpu in CpuSet::parse_list(cpus).unwrap().iter() {
                let package =
                    format!("sys/devices/system/cpu/cpu{cpu}/topology/physical_package_id");
                machine.file(&package, &id.to_string());
            }
        }
        let ids: Vec<String> = (0..nodes.len()).map(|id| id.to_string()).collect();
        machine.file("sys/devices/system/node/online", &ids.join(","));
        machine.file("sys/devices/system/cpu/online", "0-7");
        machine.file("proc/version", "Linux version 6.12.1 (x)");
        machine.file("proc/sys/kernel/osrelease", "6.12.1");
        machine
    }

    pub(crate) fn two_nodes() -> Self {
        Self::with_nodes(&["0-3", "4-7"])
    }

    pub(crate) fn one_node() -> Self {
        Self::with_nodes(&["0-7"])
    }

    /// The same machine whose functions support messages like this.
    pub(crate) fn supporting(self, support: MessageSupport) -> Self {
        Self { support: Some(support), ..self }
    }

    /// The same machine with irqbalance.
    pub(crate) fn balanced(self) -> Self {
        Self { balancer: BalancerState::Running, ..self }
    }

    /// The same machine with an irqbalance that leaves an interrupt alone.
    pub(crate) fn balanced_without(self, number: u32) -> Self {
        Self { banned_interrupts: vec![number], ..self.balanced() }
    }

    /// The same machine, looked at for one device.
    pub(crate) fn only(self, label: &str) -> Self {
        Self { only: vec![label.to_owned()], ..self }
    }

    pub(crate) fn file(&self, path: &str, text: &str) {
        let path = self.folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn link(&self, link: &str, target: &str) {
        let link = self.folder.path().join(link);
        fs::create_dir_all(link.parent().unwrap()).unwrap();
        symlink(Path::new("/").join(target), link).unwrap();
    }

    /// A network card `eth0` with MSI-X interrupts.
    pub(crate) fn network_card(&self, node: i32, interrupts: &[u32]) -> String {
        let folder = self.function("0000:01:00.0", "20000", node);
        for number in interrupts {
            self.file(&format!("{folder}/msi_irqs/{number}"), "msix");
        }
        self.file(&format!("{folder}/net/eth0/mtu"), "1500");
        self.link("sys/class/net/eth0", &format!("{folder}/net/eth0"));
        format!("{folder}/net/eth0")
    }

    /// A disk `nvme0n1` with MSI-X interrupts, and the CPUs of its queues.
    pub(crate) fn disk(&self, node: i32, interrupts: &[u32], queues: &[&str]) {
        let folder = self.function("0000:02:00.0", "10802", node);
        for number in interrupts {
            self.file(&format!("{folder}/msi_irqs/{number}"), "msix");
        }
        for (number, cpus) in queues.iter().enumerate() {
            self.file(&format!("{folder}/nvme/nvme0/nvme0n1/mq/{number}/cpu_list"), cpus);
        }
        self.link("sys/block/nvme0n1", &format!("{folder}/nvme/nvme0/nvme0n1"));
        self.link("sys/class/nvme/nvme0", &format!("{folder}/nvme/nvme0"));
    }

    /// A USB controller on a line.
    pub(crate) fn on_a_line(&self, address: &str, line: u32, node: i32) {
        let folder = self.function(address, "c0330", node);
        self.file(&format!("{folder}/irq"), &line.to_string());
    }

    fn function(&self, address: &str, class: &str, node: i32) -> String {
        let folder = format!("sys/devices/pci0000:00/{address}");
        let uevent = format!("DRIVER=driver\nPCI_CLASS={class}\nPCI_ID=8086:1521\n");
        self.file(&format!("{folder}/uevent"), &uevent);
        self.file(&format!("{folder}/numa_node"), &node.to_string());
        self.link(&format!("sys/bus/pci/devices/{address}"), &folder);
        folder
    }

    /// The counters, and where interrupts run.
    pub(crate) fn interrupts(&self, all: &[MadeIrq]) {
        let mut text = (0..8).map(|cpu| format!("CPU{cpu:<8}")).collect::<String>() + "\n";
        for one in all {
            let counts: String = one.counts.iter().map(|count| format!("{count:>10} ")).collect();
            let (number, handler) = (one.number, one.handler);
            text += &format!("{number:>3}: {counts} PCI-MSI {number}-edge      {handler}\n");
            self.file(&format!("proc/irq/{number}/smp_affinity_list"), "0-7");
            let effective = format!("proc/irq/{number}/effective_affinity_list");
            self.file(&effective, &one.cpu.to_string());
        }
        self.file("proc/interrupts", &text);
    }

    /// Makes the kernel manage an interrupt. Modes show it where one is free.
    pub(crate) fn manage(&self, number: u32) {
        let path = self.folder.path().join(format!("proc/irq/{number}/smp_affinity_list"));
        fs::set_permissions(path, PermissionsExt::from_mode(0o444)).unwrap();
    }

    pub(crate) fn snapshot(&self) -> InterruptSnapshot {
        InterruptSnapshot::read(&Source::open(self.folder.path()).unwrap()).unwrap()
    }

    /// The document of counts since boot.
    pub(crate) fn since_boot(&self) -> IrqDocument {
        if !self.folder.path().join("proc/interrupts").exists() {
            self.interrupts(&[]);
        }
        self.document(&self.snapshot(), None)
    }

    /// The document of counts between an earlier snapshot and now.
    pub(crate) fn document(
        &self,
        now: &InterruptSnapshot,
        earlier: Option<Earlier<'_>>,
    ) -> IrqDocument {
        let source = Source::open(self.folder.path()).unwrap();
        let topology = Topology::read(&source).ok();
        let inventory = Inventory::read(&source, InventoryScope::All);
        let context = DeviceContext {
            topology: topology.as_ref(),
            firmware: &Firmware::default(),
            log: &KernelLog::default(),
            domains: &std::collections::BTreeMap::new(),
            is_guest: false,
            measured: &[],
        };
        let scope = InventoryScope::All;
        let devices = assess_devices(&inventory, scope, &PciNames::default(), &context, None);
        let mut setup = InterruptSetup::read(&source, &inventory);
        setup.balancer.state = self.balancer;
        setup.balancer.banned_interrupts.clone_from(&self.banned_interrupts);
        if let Some(support) = self.support {
            let functions: Vec<PciAddress> = setup.support.keys().copied().collect();
            setup.support.extend(functions.into_iter().map(|address| (address, support)));
        }
        assess(IrqInput {
            devices: &devices,
            topology: topology.as_ref(),
            setup: Some(&setup),
            now,
            earlier,
            only: &self.only,
        })
    }
}

/// The codes of a document's findings.
pub(crate) fn codes(document: &IrqDocument) -> Vec<&'static str> {
    document.findings.iter().map(IrqFinding::code).collect()
}
