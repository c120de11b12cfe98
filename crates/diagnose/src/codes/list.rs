//! All codes, each declared once: `docs/why/diagnosis.md` is made of this list.

use nearfar_devices::DeviceFinding;
use nearfar_devices::irq::IrqFinding;
use nearfar_model::FindingCode;
use nearfar_model::Severity::{Error, Note, Warning};

use super::Code;
use super::RemedyKind::{
    Cells, DeviceNode, Hardware, Modules, NewerFirmware, Nothing, OfCode, ShowNodes, SplitPackage,
    TakeOff,
};

/// Codes of one kind, as a section of the page has them.
pub(super) struct Section {
    #[allow(dead_code)] // for the page, which a test writes
    pub(super) heading: &'static str,
    pub(super) codes: Codes,
}

/// Where codes are declared.
pub(super) enum Codes {
    Here(&'static [Code]),
    /// With the findings of another domain.
    Of(&'static [FindingCode]),
}

/// The sections of the page.
pub(super) static SECTIONS: &[Section] = &[
    Section { heading: "NUMA is disabled", codes: Codes::Here(DISABLED) },
    Section { heading: "Firmware describes no nodes", codes: Codes::Here(NOT_DESCRIBED) },
    Section { heading: "The kernel rejects firmware's nodes", codes: Codes::Here(REJECTED) },
    Section { heading: "Distances and performance", codes: Codes::Here(DISTANCES) },
    Section { heading: "Faults without a kernel message", codes: Codes::Here(FAULTS) },
    Section { heading: "Devices", codes: Codes::Of(DeviceFinding::CODES) },
    Section { heading: "Interrupts", codes: Codes::Of(IrqFinding::CODES) },
    Section { heading: "Modules, damaged tables, access rights", codes: Codes::Here(MODULES) },
];

const SRAT: Option<&str> = Some("SRAT");
const SLIT: Option<&str> = Some("SLIT");
const HMAT: Option<&str> = Some("HMAT");
const CEDT: Option<&str> = Some("CEDT");
const TREE: Option<&str> = Some("device tree");

/// Codes: name, the table at fault, severity, remedy, meaning.
macro_rules! codes {
    ($list:ident:
        $($name:literal, $table:expr, $severity:ident, $remedy:expr, $meaning:literal;)+
    ) => {
        static $list: &[Code] = &[$(Code {
            declared: FindingCode {
                code: $name,
                severity: $severity,
                meaning: $meaning,
                remedy: $remedy.text(),
            },
            table: $table,
            remedy: $remedy,
        }),+];
    };
}

codes! { DISABLED:
    "no-config-numa", None, Error, OfCode(
        "Use a kernel with CONFIG_NUMA=y, such as a distribution's server kernel."
    ),
        "The kernel was built without NUMA.";
    "numa-off", None, Error, TakeOff("numa=off"),
        "The kernel's command line has numa=off.";
    "numa-noacpi", None, Error, TakeOff("numa=noacpi"),
        "The kernel's command line has numa=noacpi, which skips the SRAT.";
    "acpi-off", None, Error, TakeOff("acpi=off"),
        "The kernel's command line has acpi=off, which skips all tables.";
    "numa-fake", None, Warning, TakeOff("numa=fake"),
        "The kernel's command line emulates nodes.";
    "emulation-failed", None, Warning, TakeOff("numa=fake"),
        "The emulation of numa=fake= failed.";
}

codes! { NOT_DESCRIBED:
    "no-srat", SRAT, Error, ShowNodes,
        "Firmware has no SRAT, and so no nodes.";
    "srat-no-memory", SRAT, Error, ShowNodes,
        "The SRAT has no enabled entry about memory.";
    "no-numa-configuration", None, Error, ShowNodes,
        "The kernel found no description of nodes.";
    "one-domain", SRAT, Error, SplitPackage,
        "Firmware puts all CPUs and all memory in one domain.";
    "node-interleaving", None, Error, ShowNodes,
        "The northbridge interleaves memory over several nodes.";
    "tree-names-no-node", TREE, Error, OfCode(
        "Add numa-node-id to memory, CPU and bus nodes of the device tree, and a distance-map. Or \
         boot with ACPI, where firmware has it."
    ),
        "The device tree names no node.";
}

codes! { REJECTED:
    "srat-not-used", SRAT, Error, NewerFirmware,
        "The kernel rejected the SRAT.";
    "srat-cpu-entry-length", SRAT, Error, NewerFirmware,
        "A CPU entry of the SRAT has the wrong length for its type.";
    "srat-memory-entry-length", SRAT, Error, NewerFirmware,
        "A memory entry of the SRAT is too short.";
    "srat-zero-length-entry", SRAT, Error, NewerFirmware,
        "An entry of the SRAT has length 0, so that later entries are unreadable.";
    "too-many-domains", SRAT, Error, OfCode(
        "Use a kernel with a larger CONFIG_NODES_SHIFT, or a BIOS that numbers its domains from 0."
    ),
        "The SRAT has more domains than the kernel supports.";
    "too-many-ranges", SRAT, Error, OfCode(
        "Use a kernel with a larger CONFIG_NODES_SHIFT. Or disable memory hotplug in the firmware \
         setup: its ranges fill the SRAT."
    ),
        "The SRAT has more memory ranges than the kernel supports.";
    "nodes-overlap", SRAT, Error, NewerFirmware,
        "Two nodes claim the same memory.";
    "ram-not-covered", SRAT, Error, NewerFirmware,
        "The SRAT does not cover all RAM.";
    "node-alignment", SRAT, Error, OfCode(
        "Use a 64-bit kernel with SPARSEMEM_VMEMMAP."
    ),
        "Nodes end at addresses that the kernel's alignment cannot represent.";
    "tree-property-invalid", TREE, Error, OfCode(
        "Correct the device tree."
    ),
        "A node property of the device tree is invalid.";
    "tree-distance-invalid", TREE, Error, OfCode(
        "Correct the distance-matrix in the device tree."
    ),
        "A distance in the device tree is invalid: it is 10 for local memory, and larger for \
         others.";
    "fewer-nodes-than-promised", SRAT, Error, OfCode(
        "Run 'nearfar diagnose' as root, which reads the kernel's log of the boot, or pass the log \
         with --log."
    ),
        "The tables have several nodes, the kernel shows one, and nothing explains it.";
}

codes! { DISTANCES:
    "slit-invalid", SLIT, Error, NewerFirmware,
        "The kernel rejects the SLIT, and uses 10 and 20.";
    "hmat-revision", HMAT, Error, NewerFirmware,
        "The kernel does not support the HMAT's revision.";
    "hmat-structure-length", HMAT, Error, NewerFirmware,
        "A structure of the HMAT has a wrong length; the kernel rejects the whole table.";
    "hmat-zero-length-entry", HMAT, Error, NewerFirmware,
        "A structure of the HMAT has length 0; the kernel rejects the whole table.";
    "hmat-unknown-domain", HMAT, Error, NewerFirmware,
        "The HMAT names memory that the SRAT does not have; the kernel rejects the whole table.";
    "hmat-invalid", HMAT, Error, NewerFirmware,
        "The kernel rejects the HMAT.";
    "hmat-without-nodes", HMAT, Note, Nothing,
        "Without a SRAT the kernel ignores the HMAT.";
    "numa-nohmat", HMAT, Warning, TakeOff("numa=nohmat"),
        "The kernel's command line has numa=nohmat.";
}

codes! { FAULTS:
    "ram-hole-forgiven", SRAT, Error, NewerFirmware,
        "The SRAT misses a little RAM: too little for the kernel to reject the table, enough to \
         crash Linux 6.1.";
    "initiator-disabled-first", SRAT, Error, NewerFirmware,
        "A disabled generic initiator precedes CPU entries: the kernel drops these and assigns \
         CPUs to nodes in turn.";
    "node-overlaps-itself", SRAT, Warning, NewerFirmware,
        "Two ranges of one node overlap; the kernel merges them.";
    "nodes-overlap-unnoticed", SRAT, Warning, NewerFirmware,
        "Two nodes claim the same memory, and this kernel does not check it.";
    "slit-cut-short", SLIT, Warning, NewerFirmware,
        "The SLIT is shorter than its number of distances requires.";
    "cpu-groups-contradict", None, Warning, NewerFirmware,
        "The kernel finds that CPUs of one core or cache are not in one larger group (\"arch \
         topology borken\"): caches and threads contradict each other.";
    "siblings-on-two-nodes", SRAT, Warning, Hardware(
        "Normal with sub-NUMA clustering, and in guests whose virtual caches span nodes. Otherwise \
         the BIOS numbers CPUs wrongly: look for a newer one."
    ),
        "CPUs that share a cache are on two nodes: the SRAT contradicts the processors.";
    "cpus-in-one-node", SRAT, Warning, Hardware(
        "Normal if the others are CXL, HBM or persistent memory. Otherwise look for a newer BIOS."
    ),
        "All CPUs are in one of several nodes.";
    "srat-domain-cut", SRAT, Warning, NewerFirmware,
        "A domain number exceeds the 8 bits of the SRAT's revision; the kernel cuts it.";
    "srat-empty-range", SRAT, Warning, NewerFirmware,
        "A memory entry of the SRAT has an empty range.";
    "srat-cpu-twice", SRAT, Warning, NewerFirmware,
        "A CPU is in two domains of the SRAT.";
    "cpus-without-domain", SRAT, Warning, NewerFirmware,
        "CPUs of the MADT have no SRAT entry: the kernel chooses their nodes.";
    "cpus-not-in-madt", SRAT, Warning, NewerFirmware,
        "CPUs of the SRAT are not in the MADT.";
    "msct-disagrees", Some("MSCT"), Warning, NewerFirmware,
        "The SRAT names a domain above the MSCT's maximum.";
    "msct-promises-more", Some("MSCT"), Note, Nothing,
        "The MSCT allows more domains than the SRAT names.";
    "crat-knows-more", Some("CRAT"), Warning, ShowNodes,
        "AMD's CRAT has memory in more domains than the SRAT.";
    "slit-asymmetric", SLIT, Warning, NewerFirmware,
        "A distance differs by direction.";
    "slit-unreachable", SLIT, Warning, NewerFirmware,
        "A distance between CPUs and memory is 255: the kernel takes that memory for unreachable.";
    "slit-default", SLIT, Warning, Hardware(
        "Measure the distances: 'nearfar survey'. A newer BIOS may have a real SLIT."
    ),
        "Every distance between two nodes is 20, the default for unknown distances.";
    "slit-too-small", SLIT, Warning, NewerFirmware,
        "The SLIT has fewer domains than the SRAT.";
    "hmat-revision-1-units", HMAT, Warning, NewerFirmware,
        "Numbers of a revision 1 HMAT have other units than specified: the kernel shows them too \
         large or too small.";
    "hmat-implausible", HMAT, Warning, NewerFirmware,
        "Numbers of the HMAT are implausible as latency or bandwidth.";
    "cfmws-alignment", CEDT, Warning, NewerFirmware,
        "A CXL window does not start and end at multiples of 256 MiB.";
    "cxl-window-without-node", CEDT, Warning, OfCode(
        "Use a kernel with a larger CONFIG_NODES_SHIFT."
    ),
        "The kernel has no node left for a CXL window.";
    "pci-without-node", None, Warning, DeviceNode(
        "Look for a newer BIOS. Until then, write the node to the device's numa_node in sysfs, as \
         root."
    ),
        "Firmware names no node for a PCI bus (_PXM is missing): its devices have numa_node -1.";
    "memory-only-node", None, Warning, Hardware(
        "Normal for CXL, HBM, persistent memory and graphics cards. Otherwise a processor is \
         missing or disabled."
    ),
        "Nodes have memory and no CPUs.";
    "cpu-only-node", None, Warning, Modules(
        "Put modules into the slots of their sockets, or check for disabled ones in the firmware \
         setup."
    ),
        "Nodes have CPUs and no memory: all their memory is remote.";
    "memory-offline", None, Warning, OfCode(
        "Bring it online: 'daxctl online-memory DEVICE' for CXL and dax, or 'echo online > state' \
         in each block of /sys/devices/system/memory (IBM Z: chmem -e). The policy for later \
         blocks is memhp_default_state on the kernel's command line, or auto_online_blocks there."
    ),
        "A node has memory that is present and offline: no program can use it.";
    "out-of-memory-on-node", None, Warning, OfCode(
        "By a memory policy: prefer the node instead of binding to it ('nearfar run --preferred \
         NODE'; systemd: NUMAPolicy=preferred), or name more nodes. By a cpuset: add nodes to \
         cpuset.mems. 'nearfar top' shows what each node has available."
    ),
        "The kernel killed a program since an allocation could use some nodes only, and these were \
         full.";
    "one-memory-tier", None, Warning, Hardware(
        "Use Linux 6.8 or later, and firmware with an HMAT (CXL: a CDAT): these make a slower \
         tier. Until then turn demotion off, or place memory by hand ('nearfar run \
         --weighted-interleave')."
    ),
        "Demotion is on, but all nodes with memory are in one tier: no page is ever demoted.";
    "nodes-cross-cpus", None, Warning, Cells(
        "Do not rely on these nodes: measure instead ('nearfar survey'). A newer BIOS may number \
         CPUs rightly."
    ),
        "Nodes cross packages, caches or cores: each has a part of the other, and neither is \
         inside the other.";
    "nodes-share-cpus", None, Warning, OfCode(
        "Do not rely on these nodes: measure instead ('nearfar survey'). They may be emulated \
         (numa=fake=)."
    ),
        "Several nodes list the same CPUs: at most one of them is right.";
    "outside-the-nodes", None, Warning, OfCode(
        "Bring the node online, or reboot: no figure includes what is outside."
    ),
        "CPUs or memory are outside the online nodes.";
    "distance-of-local", None, Warning, OfCode(
        "Measure the distances: 'nearfar survey'."
    ),
        "The kernel shows 10, the distance of local memory, between two nodes.";
    "packages-share-a-node", SRAT, Warning, Hardware(
        "Check for a socket without memory modules: kernels put its CPUs into another node. \
         Otherwise look for a newer BIOS."
    ),
        "Several packages share a node, while others have their own.";
    "prediction-differs", None, Warning, OfCode(
        "The tables may be of another boot than the log. Otherwise this kernel has a rule unknown \
         to nearfar: please report it."
    ),
        "The tables contradict the running kernel.";
}

codes! { MODULES:
    "dimms-missing", None, Error, OfCode(
        "If that socket has a processor, move modules there, as many and as large as in the \
         others."
    ),
        "A socket has no memory module.";
    "dimms-lopsided", None, Warning, OfCode(
        "Use the same modules in each socket: programs on a smaller one fill it, and continue with \
         remote memory."
    ),
        "Sockets have unequal memory.";
    "dimm-channels-lopsided", None, Warning, OfCode(
        "Use the same modules in each channel of a socket."
    ),
        "Channels of one socket have unequal memory.";
    "dimm-channels-empty", None, Note, OfCode(
        "Distribute the modules over all channels, one each first."
    ),
        "Memory channels are empty.";
    "memory-left-out", None, Warning, Nothing,
        "The kernel has less memory than the modules.";
    "outputs-differ", None, Warning, OfCode(
        "Print both again, one after the other: a setting or a boot may be between them. The \
         kernel's own files decide (/sys/devices/system)."
    ),
        "Two outputs of one machine disagree.";
    "bad-checksum", None, Warning, NewerFirmware,
        "A table's checksum is wrong, which the kernel does not check.";
    "table-damaged", None, Warning, NewerFirmware,
        "A table is damaged.";
    "table-padded", None, Note, Nothing,
        "A table has excess bytes at its end, which is harmless.";
    "srat-unreadable", SRAT, Warning, OfCode(
        "Copy it again, as root: only root can read /sys/firmware/acpi/tables/SRAT, and other \
         users' copies are empty."
    ),
        "The SRAT is unreadable: its file is not a table.";
    "table-unreadable", None, Note, Nothing,
        "A file among the tables is not a table.";
    "tables-unreadable", None, Note, OfCode(
        "Run this as root ('sudo nearfar diagnose', or 'sudo nearfar capture' for another \
         machine). Or copy /sys/firmware/acpi/tables as root, and pass it with --tables."
    ),
        "Only root can read firmware's tables.";
    "log-unreadable", None, Note, OfCode(
        "Run this as root, or pass the output of dmesg or 'journalctl -k -b' with --log."
    ),
        "Only root can read the kernel's log.";
    "log-without-boot", None, Note, OfCode(
        "Pass the log of the boot with --log: 'journalctl -k -b', /var/log/dmesg, or a console \
         log."
    ),
        "The kernel's log has lost its beginning, which lists the nodes.";
}
