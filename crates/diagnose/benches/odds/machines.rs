//! Simulated machines without SRAT with a known truth, as a live machine, a capture or a folder of
//! tables shows them.

use nearfar_diagnose::{DiagnosisVerdict, Witnesses};
use nearfar_machine::Source;

const CPU: &str = "/sys/devices/system/cpu";
const NODE: &str = "/sys/devices/system/node";
const TABLES: &str = "/sys/firmware/acpi/tables";

/// The truth about a machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Truth {
    /// One memory for all CPUs.
    OneMemory,
    /// Several memories that firmware does not describe.
    SeveralMemories,
    /// A guest: tables do not describe its host's memory.
    Guest,
}

impl Truth {
    /// Whether a verdict is false.
    pub(crate) fn is_contradicted_by(self, verdict: DiagnosisVerdict) -> bool {
        match verdict {
            DiagnosisVerdict::Uniform => self == Self::SeveralMemories,
            DiagnosisVerdict::WithheldByFirmware => self != Self::SeveralMemories,
            DiagnosisVerdict::WithheldByHypervisor => self != Self::Guest,
            DiagnosisVerdict::Unknown => false,
            _ => true,
        }
    }
}

/// A kind of machine.
pub(crate) struct MachineKind {
    pub(crate) name: &'static str,
    pub(crate) truth: Truth,
    /// Models of its CPUs; "" where `/proc/cpuinfo` has no known model.
    models: &'static [&'static str],
    /// Sockets that hold a processor.
    sockets: &'static [u32],
    /// CPUs in a socket.
    cpus: &'static [u32],
    /// Power management profiles that were observed on such boards.
    profiles: &'static [u8],
    /// The OEM id of its tables.
    oem: &'static str,
}

pub(crate) const KINDS: [MachineKind; 8] = [
    MachineKind {
        name: "notebook",
        truth: Truth::OneMemory,
        models: &[
            "Intel(R) Core(TM) i5-8250U CPU @ 1.60GHz",
            "Intel(R) Core(TM) Ultra 7 155H",
            "AMD Ryzen 7 PRO 4750U with Radeon Graphics",
            "AMD Turion(tm) X2 Dual-Core Mobile RM-74",
            "Intel(R) Core(TM)2 Duo CPU T7300 @ 2.00GHz",
            "Intel(R) N100",
            "Intel(R) Celeron(R) N4020 CPU @ 1.10GHz",
        ],
        sockets: &[1],
        cpus: &[1, 2, 4, 8, 16, 22],
        profiles: &[2, 2, 2, 2, 2, 2, 2, 2, 8, 1, 0],
        oem: "LENOVO",
    },
    MachineKind {
        name: "desktop",
        truth: Truth::OneMemory,
        models: &[
            "Intel(R) Core(TM) i7-2600 CPU @ 3.40GHz",
            "13th Gen Intel(R) Core(TM) i9-13900K",
            "AMD Ryzen 7 5800X 8-Core Processor",
            "AMD Phenom(tm) II X4 955 Processor",
            "Intel(R) Core(TM)2 Quad CPU Q6600 @ 2.40GHz",
            "Intel(R) Pentium(R) 4 CPU 3.00GHz",
            "Intel(R) Pentium(R) Gold G5400 CPU @ 3.70GHz",
        ],
        sockets: &[1],
        cpus: &[1, 2, 4, 8, 16, 32],
        profiles: &[1, 1, 1, 1, 0, 3, 6],
        oem: "ALASKA",
    },
    MachineKind {
        name: "server, 1 socket",
        truth: Truth::OneMemory,
        models: &[
            "Intel(R) Xeon(R) E-2288G CPU @ 3.70GHz",
            "Intel(R) Xeon(R) CPU E3-1230 V2 @ 3.30GHz",
            "AMD EPYC 7302P 16-Core Processor",
            "Intel(R) Xeon(R) Silver 4210R CPU @ 2.40GHz",
            "Ampere(R) Altra(R) Processor",
            "",
        ],
        sockets: &[1],
        cpus: &[4, 8, 16, 32, 80],
        profiles: &[4, 4, 7, 1, 0, 5],
        oem: "DELL",
    },
    MachineKind {
        name: "server, 1 socket of several dies",
        truth: Truth::SeveralMemories,
        models: &["AMD EPYC 7551P 32-Core Processor", "AMD Opteron(tm) Processor 6174"],
        sockets: &[1],
        cpus: &[12, 64],
        profiles: &[4, 1, 0],
        oem: "SUPERM",
    },
    MachineKind {
        name: "server, 2 or 4 sockets, interleaving",
        truth: Truth::SeveralMemories,
        models: &[
            "Intel(R) Xeon(R) Gold 6148 CPU @ 2.40GHz",
            "Intel(R) Xeon(R) CPU E5-2680 v4 @ 2.40GHz",
            "Intel(R) Xeon(R) CPU X5570 @ 2.93GHz",
            "AMD EPYC 7742 64-Core Processor",
            "AMD Opteron(tm) Processor 8218",
            "Genuine Intel(R) CPU 0000 @ 2.60GHz",
            "",
        ],
        sockets: &[2, 2, 2, 4],
        cpus: &[2, 4, 8, 16, 64],
        profiles: &[4, 4, 7, 1, 1, 0, 3],
        oem: "SUPERM",
    },
    MachineKind {
        name: "server, 2 sockets on a front-side bus",
        truth: Truth::OneMemory,
        models: &[
            "Intel(R) Xeon(R) CPU E5430 @ 2.66GHz",
            "Intel(R) Xeon(TM) CPU 3.40GHz",
            "AMD Athlon(tm) MP 2000+",
        ],
        sockets: &[2],
        cpus: &[1, 2, 4],
        profiles: &[0, 4, 1],
        oem: "HP",
    },
    MachineKind {
        name: "guest",
        truth: Truth::Guest,
        models: &[
            "QEMU Virtual CPU version 2.5+",
            "Intel(R) Xeon(R) Platinum 8259CL CPU @ 2.50GHz",
            "AMD EPYC 7551 32-Core Processor",
            "Intel(R) Core(TM) i7-2600 CPU @ 3.40GHz",
            "",
        ],
        sockets: &[1, 1, 2, 8],
        cpus: &[1, 2, 4, 8],
        profiles: &[0, 1],
        oem: "BOCHS",
    },
    MachineKind {
        name: "board with a device tree, clusters",
        truth: Truth::OneMemory,
        models: &["Cortex-A53", "Cortex-A72"],
        sockets: &[2],
        cpus: &[2, 4],
        profiles: &[],
        oem: "",
    },
];

/// The data that can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ReadableData {
    /// sysfs, procfs, tables and log. Each of them is missing in some machines.
    Machine,
    Tables,
}

pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % sides.max(1) as u64) as usize
    }

    fn one_of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.roll(choices.len())]
    }

    /// True with this probability, in per cent.
    fn percent(&mut self, chance: usize) -> bool {
        self.roll(100) < chance
    }
}

/// One machine of a kind.
pub(crate) fn witnesses(kind: &MachineKind, seen: ReadableData, dice: &mut Dice) -> Witnesses {
    let (model, sockets, cpus) =
        (dice.one_of(kind.models), dice.one_of(kind.sockets), dice.one_of(kind.cpus));
    let mut files: Vec<(String, Vec<u8>)> = Vec::new();
    let is_board = kind.profiles.is_empty();
    let all = sockets * cpus;
    if !is_board && (seen == ReadableData::Tables || dice.percent(70)) {
        let profile = dice.one_of(kind.profiles);
        let mut fadt = vec![0; 80];
        fadt[9] = profile;
        let mut madt = vec![0; 8];
        (0..all).for_each(|id| madt.extend([0, 8, id as u8, id as u8, 1, 0, 0, 0]));
        for (name, content) in [("FACP", fadt), ("APIC", madt), ("DSDT", Vec::new())] {
            files.push((format!("{TABLES}/{name}"), table(name, kind.oem, &content)));
        }
    }
    if seen == ReadableData::Tables {
        let machine = Witnesses::read(&Source::from_files(files));
        return Witnesses { topology: None, environment: None, ..machine };
    }
    let mut file = |path: String, text: String| files.push((path, text.into_bytes()));
    if !dice.percent(10) {
        let is_guest = kind.truth == Truth::Guest;
        let flag = if is_guest { " hypervisor" } else { "" };
        let one = |id: u32| match is_board {
            true => format!(
                "processor : {id}\nCPU implementer : 0x41\nCPU architecture: 8\nCPU part : \
                 0xd03\n\n"
            ),
            false => format!(
                "processor : {id}\nmodel name : {model}\nflags : fpu lm{flag}\napicid : {id}\n\n"
            ),
        };
        file("/proc/cpuinfo".to_owned(), (0..all).map(one).collect());
        if is_guest {
            file("/sys/class/dmi/id/sys_vendor".to_owned(), "QEMU".to_owned());
        }
    } else if kind.truth == Truth::Guest {
        file("/sys/class/dmi/id/sys_vendor".to_owned(), "QEMU".to_owned());
        file("/sys/hypervisor/type".to_owned(), "xen".to_owned());
    }
    file(format!("{CPU}/online"), list(0, all));
    let names_packages = !dice.percent(10);
    for id in 0..all {
        let first = id / cpus * cpus;
        file(format!("{CPU}/cpu{id}/topology/core_cpus_list"), id.to_string());
        if names_packages {
            file(format!("{CPU}/cpu{id}/topology/physical_package_id"), (id / cpus).to_string());
            file(format!("{CPU}/cpu{id}/topology/package_cpus_list"), list(first, cpus));
        }
    }
    file(format!("{NODE}/node0/cpulist"), list(0, all));
    file(format!("{NODE}/node0/meminfo"), "Node 0 MemTotal: 8388608 kB\n".to_owned());
    if dice.percent(70) {
        let log = "[    0.0] Linux version 6.1.0 (x)\n[    0.1] No NUMA configuration found\n";
        file("/var/log/dmesg".to_owned(), log.to_owned());
    }
    Witnesses::read(&Source::from_files(files))
}

fn list(first: u32, count: u32) -> String {
    if count == 1 { first.to_string() } else { format!("{first}-{}", first + count - 1) }
}

/// A table with a valid checksum.
fn table(signature: &str, oem: &str, content: &[u8]) -> Vec<u8> {
    let mut bytes = signature.as_bytes().to_vec();
    bytes.extend((36 + content.len() as u32).to_le_bytes());
    bytes.extend([2, 0]);
    bytes.extend(oem.as_bytes());
    bytes.resize(36, b' ');
    bytes.extend(content);
    bytes[9] = 0u8.wrapping_sub(bytes.iter().fold(0, |sum: u8, byte| sum.wrapping_add(*byte)));
    bytes
}
