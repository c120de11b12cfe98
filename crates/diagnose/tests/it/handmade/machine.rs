//! Machines written by hand: files of /sys and /proc, and tables byte by byte.

use nearfar_diagnose::{Diagnosis, Witnesses, diagnose};
use nearfar_machine::Source;

pub(crate) const GIB: u64 = 1 << 30;
const CPU: &str = "/sys/devices/system/cpu";
const NODE: &str = "/sys/devices/system/node";

/// A table of any kind: its content after the header, with a valid checksum.
pub(crate) fn table(signature: &str, revision: u8, content: &[u8]) -> Vec<u8> {
    let mut bytes = signature.as_bytes().to_vec();
    bytes.extend((36 + content.len() as u32).to_le_bytes());
    bytes.extend([revision, 0]);
    bytes.extend(b"HAND  BYHAND  ");
    bytes.resize(36, 0);
    bytes.extend(content);
    bytes[9] = 0u8.wrapping_sub(bytes.iter().fold(0, |sum: u8, byte| sum.wrapping_add(*byte)));
    bytes
}

/// A SRAT of these entries.
pub(crate) fn srat(entries: &[Vec<u8>]) -> Vec<u8> {
    let mut content = vec![1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    content.extend(entries.concat());
    table("SRAT", 3, &content)
}

/// Type 0: an enabled CPU.
pub(crate) fn cpu(apic_id: u8, domain: u8) -> Vec<u8> {
    vec![0, 16, domain, apic_id, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
}

/// Type 1: enabled memory.
pub(crate) fn memory(domain: u8, base: u64, size: u64) -> Vec<u8> {
    let mut entry = vec![1, 40, domain, 0, 0, 0, 0, 0];
    entry.extend(base.to_le_bytes());
    entry.extend(size.to_le_bytes());
    entry.extend([0, 0, 0, 0, 1, 0, 0, 0]);
    entry.resize(40, 0);
    entry
}

/// Type 5: a generic initiator that is disabled.
pub(crate) fn disabled_initiator(domain: u8) -> Vec<u8> {
    let mut entry = vec![5, 32, 0, 1, domain, 0, 0, 0];
    entry.resize(32, 0);
    entry
}

pub(crate) fn slit(rows: &[&[u8]]) -> Vec<u8> {
    let mut content = (rows.len() as u64).to_le_bytes().to_vec();
    content.extend(rows.concat());
    table("SLIT", 1, &content)
}

/// Two domains with two CPUs and 1 GiB each.
pub(crate) fn two_domains() -> Vec<Vec<u8>> {
    vec![cpu(0, 0), cpu(1, 0), cpu(2, 1), cpu(3, 1), memory(0, 0, GIB), memory(1, GIB, GIB)]
}

/// One machine of four CPUs.
pub(crate) struct Machine {
    files: Vec<(String, Vec<u8>)>,
}

impl Machine {
    /// Bare metal with this many packages of Xeons with a memory each, and these CPUs on each node.
    pub(crate) fn new(packages: usize, nodes: &[&str]) -> Self {
        let mut machine = Self { files: Vec::new() };
        machine.model("Intel(R) Xeon(R) CPU E5-2620 0 @ 2.00GHz", false);
        machine.file("/proc/version", "Linux version 6.1.0-28-amd64 (hand)");
        machine.file("/proc/cmdline", "ro quiet");
        machine.file("/sys/class/dmi/id/sys_vendor", "Dell Inc.");
        machine.file("/sys/class/dmi/id/product_name", "Precision T5810");
        machine.file(&format!("{CPU}/online"), "0-3");
        let each = 4 / packages;
        for id in 0..4 {
            let first = id / each * each;
            machine.file(&format!("{CPU}/cpu{id}/topology/core_cpus_list"), &id.to_string());
            machine.file(
                &format!("{CPU}/cpu{id}/topology/physical_package_id"),
                &(id / each).to_string(),
            );
            let list = format!("{first}-{}", first + each - 1);
            machine.file(&format!("{CPU}/cpu{id}/topology/package_cpus_list"), &list);
        }
        for (id, cpus) in nodes.iter().enumerate() {
            machine.node(id, cpus, 1 << 20);
        }
        machine.ram();
        machine
    }

    /// RAM of 2 GiB, as firmware's map has it.
    fn ram(&mut self) {
        for (index, (start, end)) in
            [(0u64, 0x9_fbff_u64), (0x10_0000, 0x7fff_ffff)].into_iter().enumerate()
        {
            let folder = format!("/sys/firmware/memmap/{index}");
            self.file(&format!("{folder}/start"), &format!("{start:#x}"));
            self.file(&format!("{folder}/end"), &format!("{end:#x}"));
            self.file(&format!("{folder}/type"), "System RAM");
        }
    }

    pub(crate) fn file(&mut self, path: &str, content: &str) {
        self.files.retain(|(known, _)| known != path);
        self.files.push((path.to_owned(), content.as_bytes().to_vec()));
    }

    /// The CPU model, in a guest or not.
    pub(crate) fn model(&mut self, name: &str, guest: bool) {
        let flag = if guest { " hypervisor" } else { "" };
        let one = |id: usize| {
            format!(
                "processor : {id}\nmodel name : {name}\nflags : fpu lm{flag}\napicid : {id}\n\n"
            )
        };
        self.file("/proc/cpuinfo", &(0..4).map(one).collect::<String>());
        if guest {
            self.file("/sys/class/dmi/id/sys_vendor", "QEMU");
            self.file("/sys/class/dmi/id/product_name", "Standard PC");
        }
    }

    /// A node with CPUs and memory.
    pub(crate) fn node(&mut self, id: usize, cpus: &str, kib: u64) {
        self.file(&format!("{NODE}/node{id}/cpulist"), cpus);
        self.file(&format!("{NODE}/node{id}/meminfo"), &format!("Node {id} MemTotal: {kib} kB\n"));
    }

    /// A table, as the kernel shows it; beside it a DSDT, which every machine has.
    pub(crate) fn table(&mut self, name: &str, bytes: Vec<u8>) {
        self.files.push((format!("/sys/firmware/acpi/tables/{name}"), bytes));
    }

    /// Any file of bytes.
    pub(crate) fn bytes(&mut self, path: &str, bytes: Vec<u8>) {
        self.files.push((path.to_owned(), bytes));
    }

    /// The log of the boot, after its first line.
    pub(crate) fn log(&mut self, lines: &str) {
        self.file(
            "/var/log/dmesg",
            &format!("[    0.000000] Linux version 6.1.0-28-amd64 (hand)\n{lines}"),
        );
    }

    pub(crate) fn witnesses(self) -> Witnesses {
        let mut files = self.files;
        files.push(("/sys/firmware/acpi/tables/DSDT".to_owned(), table("DSDT", 2, &[])));
        Witnesses::read(&Source::from_files(files))
    }

    pub(crate) fn diagnosis(self) -> Diagnosis {
        diagnose(&self.witnesses())
    }
}
