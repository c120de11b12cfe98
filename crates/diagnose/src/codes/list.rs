//! All codes.

use super::{Code, Remedy};
use crate::document::Severity::{self, Error, Note, Warning};

const fn code(
    name: &'static str,
    table: Option<&'static str>,
    severity: Severity,
    meaning: &'static str,
    remedy: Remedy,
) -> Code {
    Code { name, table, severity, meaning, remedy }
}

const SRAT: Option<&str> = Some("SRAT");
const SLIT: Option<&str> = Some("SLIT");
const HMAT: Option<&str> = Some("HMAT");
const CEDT: Option<&str> = Some("CEDT");
const COPY_AGAIN: Remedy = Remedy::Words(
    "Copy it again, as root: /sys/firmware/acpi/tables/SRAT is for root only, and other users' copies are empty.",
);
const TREE: Option<&str> = Some("device tree");

/// All codes: first what takes all nodes away, then distances, then what is taken in silence, then the rest.
pub(super) static ALL: &[Code] = &[
    // Nobody was asked, or somebody said no.
    code(
        "no-config-numa",
        None,
        Error,
        "The kernel was built without NUMA.",
        Remedy::Words("Use a kernel with CONFIG_NUMA=y: distributions' kernels for servers have it."),
    ),
    code("numa-off", None, Error, "numa=off is on the kernel's command line.", Remedy::TakeOff("numa=off")),
    code(
        "numa-noacpi",
        None,
        Error,
        "numa=noacpi is on the kernel's command line: it passes the SRAT over.",
        Remedy::TakeOff("numa=noacpi"),
    ),
    code(
        "acpi-off",
        None,
        Error,
        "acpi=off is on the kernel's command line: it reads no table.",
        Remedy::TakeOff("acpi=off"),
    ),
    code("numa-fake", None, Warning, "Nodes are made up on the kernel's command line.", Remedy::TakeOff("numa=fake")),
    code("emulation-failed", None, Warning, "numa=fake= could not be done.", Remedy::TakeOff("numa=fake")),
    // Firmware says nothing.
    code("no-srat", SRAT, Error, "Firmware has no SRAT: it tells of no node.", Remedy::ShowNodes),
    code("srat-unreadable", SRAT, Warning, "The SRAT could not be read: its file is no table.", COPY_AGAIN),
    code("srat-no-memory", SRAT, Error, "No enabled entry of the SRAT is about memory.", Remedy::ShowNodes),
    code("no-numa-configuration", None, Error, "The kernel found nothing that tells of nodes.", Remedy::ShowNodes),
    code("one-domain", SRAT, Error, "Firmware puts all CPUs and all memory in one domain.", Remedy::SplitPackage),
    code(
        "node-interleaving",
        None,
        Error,
        "The memory of several nodes is interleaved: the northbridge says so.",
        Remedy::ShowNodes,
    ),
    code(
        "tree-names-no-node",
        TREE,
        Error,
        "The device tree names no node.",
        Remedy::Words(
            "Name the nodes in the device tree: numa-node-id in its memory, CPU and bus nodes, and a distance-map; or start the machine with ACPI, where its firmware has that.",
        ),
    ),
    // Firmware speaks, and the kernel does not take it.
    code("srat-not-used", SRAT, Error, "The kernel did not take the SRAT.", Remedy::NewerFirmware),
    code(
        "srat-cpu-entry-length",
        SRAT,
        Error,
        "An entry of the SRAT about a CPU has another length than its type.",
        Remedy::NewerFirmware,
    ),
    code(
        "srat-memory-entry-length",
        SRAT,
        Error,
        "An entry of the SRAT about memory is too short.",
        Remedy::NewerFirmware,
    ),
    code(
        "srat-zero-length-entry",
        SRAT,
        Error,
        "An entry of the SRAT has no length, so nothing after it can be found.",
        Remedy::NewerFirmware,
    ),
    code(
        "too-many-domains",
        SRAT,
        Error,
        "The SRAT has more domains than the kernel has room for.",
        Remedy::Words("Use a kernel with a larger CONFIG_NODES_SHIFT, or a BIOS that numbers its domains from 0."),
    ),
    code(
        "too-many-ranges",
        SRAT,
        Error,
        "The SRAT has more ranges of memory than the kernel has room for.",
        Remedy::Words(
            "Use a kernel with a larger CONFIG_NODES_SHIFT; or turn memory hot plug off in the setup, whose ranges fill the SRAT.",
        ),
    ),
    code("nodes-overlap", SRAT, Error, "Two nodes claim the same memory.", Remedy::NewerFirmware),
    code("ram-not-covered", SRAT, Error, "No entry of the SRAT covers a part of RAM.", Remedy::NewerFirmware),
    code(
        "node-alignment",
        SRAT,
        Error,
        "Nodes end at addresses finer than the kernel can tell apart.",
        Remedy::Words("Use a 64-bit kernel with SPARSEMEM_VMEMMAP."),
    ),
    code(
        "tree-property-invalid",
        TREE,
        Error,
        "A property about nodes in the device tree makes no sense.",
        Remedy::Words("Correct the device tree."),
    ),
    code(
        "tree-distance-invalid",
        TREE,
        Error,
        "A distance in the device tree cannot be: 10 is a node's to itself, others are more.",
        Remedy::Words("Correct the distance-matrix in the device tree."),
    ),
    code(
        "fewer-nodes-than-promised",
        SRAT,
        Error,
        "The tables promise several nodes, the kernel shows one, and nothing says why.",
        Remedy::Words("Read the kernel's log of the boot: as root 'nearfar diagnose' does, or give it with --log."),
    ),
    // Distances and performance.
    code(
        "slit-invalid",
        SLIT,
        Error,
        "The kernel does not believe the SLIT, and takes 10 and 20.",
        Remedy::NewerFirmware,
    ),
    code("hmat-revision", HMAT, Error, "The HMAT has a revision that the kernel does not know.", Remedy::NewerFirmware),
    code(
        "hmat-structure-length",
        HMAT,
        Error,
        "A structure of the HMAT has a wrong length; the kernel drops the whole table.",
        Remedy::NewerFirmware,
    ),
    code(
        "hmat-zero-length-entry",
        HMAT,
        Error,
        "A structure of the HMAT has no length; the kernel drops the whole table.",
        Remedy::NewerFirmware,
    ),
    code(
        "hmat-unknown-domain",
        HMAT,
        Error,
        "The HMAT speaks of memory that the SRAT does not have; the kernel drops the whole table.",
        Remedy::NewerFirmware,
    ),
    code("hmat-invalid", HMAT, Error, "The kernel drops the HMAT.", Remedy::NewerFirmware),
    code("hmat-without-nodes", HMAT, Note, "The HMAT is not read where there is no SRAT.", Remedy::Nothing),
    code("numa-nohmat", HMAT, Warning, "numa=nohmat is on the kernel's command line.", Remedy::TakeOff("numa=nohmat")),
    // Taken in silence.
    code(
        "ram-hole-forgiven",
        SRAT,
        Error,
        "No entry of the SRAT covers a little RAM: too little for the kernel to refuse the table, enough for Linux 6.1 to die of it.",
        Remedy::NewerFirmware,
    ),
    code(
        "initiator-disabled-first",
        SRAT,
        Error,
        "A disabled generic initiator stands before entries about CPUs: the kernel drops these and deals CPUs out in turn.",
        Remedy::NewerFirmware,
    ),
    code(
        "node-overlaps-itself",
        SRAT,
        Warning,
        "Two ranges of one node overlap; the kernel joins them.",
        Remedy::NewerFirmware,
    ),
    code(
        "nodes-overlap-unnoticed",
        SRAT,
        Warning,
        "Two nodes claim the same memory, and this kernel does not notice.",
        Remedy::NewerFirmware,
    ),
    code("slit-cut-short", SLIT, Warning, "The SLIT promises more distances than it holds.", Remedy::NewerFirmware),
    code(
        "siblings-on-two-nodes",
        SRAT,
        Warning,
        "CPUs that share a cache are on two nodes: the SRAT and the processors disagree.",
        Remedy::Words(
            "Normal where sub-NUMA clustering splits a cache, and in guests whose virtual caches span nodes; else look for a newer BIOS: it numbers CPUs wrongly.",
        ),
    ),
    code(
        "cpus-in-one-node",
        SRAT,
        Warning,
        "Every CPU is in one node, and there are several.",
        Remedy::Words("Normal where the others are CXL, HBM or persistent memory; else look for a newer BIOS."),
    ),
    code(
        "srat-domain-cut",
        SRAT,
        Warning,
        "An entry's domain has more bits than the SRAT's revision allows; the kernel looks at 8 of them.",
        Remedy::NewerFirmware,
    ),
    code(
        "srat-empty-range",
        SRAT,
        Warning,
        "An entry of the SRAT is about no memory: its range is empty.",
        Remedy::NewerFirmware,
    ),
    code("srat-cpu-twice", SRAT, Warning, "A CPU is in two domains of the SRAT.", Remedy::NewerFirmware),
    code(
        "cpus-without-domain",
        SRAT,
        Warning,
        "CPUs of the MADT have no entry in the SRAT: the kernel chooses their nodes.",
        Remedy::NewerFirmware,
    ),
    code("cpus-not-in-madt", SRAT, Warning, "CPUs of the SRAT are not in the MADT.", Remedy::NewerFirmware),
    code(
        "msct-disagrees",
        Some("MSCT"),
        Warning,
        "The SRAT names a domain that the MSCT says there is not.",
        Remedy::NewerFirmware,
    ),
    code(
        "msct-promises-more",
        Some("MSCT"),
        Note,
        "The MSCT has room for more domains than the SRAT names.",
        Remedy::Nothing,
    ),
    code(
        "crat-knows-more",
        Some("CRAT"),
        Warning,
        "AMD's CRAT has memory in more domains than the SRAT.",
        Remedy::ShowNodes,
    ),
    code("slit-asymmetric", SLIT, Warning, "A distance of the SLIT differs by direction.", Remedy::NewerFirmware),
    code(
        "slit-unreachable",
        SLIT,
        Warning,
        "A distance of the SLIT is 255: a domain that cannot be reached.",
        Remedy::NewerFirmware,
    ),
    code(
        "slit-default",
        SLIT,
        Warning,
        "Every distance between two nodes is 20, the number that stands for none.",
        Remedy::Words("Measure instead: 'nearfar survey'. A newer BIOS may have a SLIT with numbers."),
    ),
    code("slit-too-small", SLIT, Warning, "The SLIT has fewer domains than the SRAT.", Remedy::NewerFirmware),
    code(
        "hmat-revision-1-units",
        HMAT,
        Warning,
        "Numbers of an HMAT of revision 1 make sense in other units only: the kernel shows them too large or too small.",
        Remedy::NewerFirmware,
    ),
    code(
        "hmat-implausible",
        HMAT,
        Warning,
        "Numbers of the HMAT are no latencies or bandwidths that memory has.",
        Remedy::NewerFirmware,
    ),
    code(
        "cfmws-alignment",
        CEDT,
        Warning,
        "A CXL window does not begin and end at multiples of 256 MiB.",
        Remedy::NewerFirmware,
    ),
    code(
        "cxl-window-without-node",
        CEDT,
        Warning,
        "There is no node left for a CXL window.",
        Remedy::Words("Use a kernel with a larger CONFIG_NODES_SHIFT."),
    ),
    code(
        "pci-without-node",
        None,
        Warning,
        "Firmware does not say which node a PCI bus hangs on (_PXM is missing): devices there have numa_node -1.",
        Remedy::Words(
            "Look for a newer BIOS; until then write the node into the device's numa_node in sysfs, as root.",
        ),
    ),
    code(
        "memory-only-node",
        None,
        Warning,
        "A node has memory and no CPU.",
        Remedy::Words(
            "Normal for CXL, HBM, persistent memory and graphics cards; else a processor is missing, disabled or left out.",
        ),
    ),
    code(
        "cpu-only-node",
        None,
        Warning,
        "A node has CPUs and no memory: all that they use is elsewhere.",
        Remedy::Words("Put modules into that socket's slots, or see in the setup which were disabled."),
    ),
    code(
        "packages-share-a-node",
        SRAT,
        Warning,
        "Several packages are in one node, while others have nodes of their own.",
        Remedy::Words(
            "See whether a socket has no memory module: kernels put its CPUs into another node. Else look for a newer BIOS.",
        ),
    ),
    code(
        "prediction-differs",
        None,
        Warning,
        "The tables and the running kernel tell different stories.",
        Remedy::Words(
            "The tables may be of another boot than the log; else this kernel has a rule that nearfar does not know: please report it.",
        ),
    ),
    // Modules, bytes, access.
    code("dimms-missing", None, Error, "A socket has no memory module.", Remedy::Nothing),
    code("dimms-lopsided", None, Warning, "Sockets have unequal memory.", Remedy::Nothing),
    code("dimm-channels-lopsided", None, Warning, "Channels of one socket have unequal memory.", Remedy::Nothing),
    code("dimm-channels-empty", None, Note, "Memory channels stand empty.", Remedy::Nothing),
    code("memory-left-out", None, Warning, "The kernel has less memory than the modules hold.", Remedy::Nothing),
    code(
        "bad-checksum",
        None,
        Warning,
        "A table's bytes do not add up to 0; the kernel goes by it all the same.",
        Remedy::NewerFirmware,
    ),
    code("table-damaged", None, Warning, "A table is damaged.", Remedy::NewerFirmware),
    code("table-padded", None, Note, "Bytes follow what a table says: harmless, and careless.", Remedy::Nothing),
    code(
        "nodes-share-cpus",
        None,
        Warning,
        "Several nodes list the same CPUs: at most one of them can be right.",
        Remedy::Words(
            "Do not go by these nodes: measure instead ('nearfar survey'). They may be made up (numa=fake=).",
        ),
    ),
    code(
        "outside-the-nodes",
        None,
        Warning,
        "CPUs or memory are outside the nodes that are online.",
        Remedy::Words("Bring the node online, or start the machine again: what is outside is in no figure."),
    ),
    code(
        "distance-of-local",
        None,
        Warning,
        "The kernel shows 10, the distance of local memory, between two nodes.",
        Remedy::Words("Measure instead: 'nearfar survey'."),
    ),
    code("table-unreadable", None, Note, "A file stands among the tables and is none.", Remedy::Nothing),
    code(
        "tables-unreadable",
        None,
        Note,
        "Firmware's tables are there, and only root may read them.",
        Remedy::Words(
            "Run this as root (sudo nearfar diagnose; sudo nearfar capture, to read it elsewhere), or have root copy /sys/firmware/acpi/tables and give it with --tables.",
        ),
    ),
    code(
        "log-unreadable",
        None,
        Note,
        "The kernel's log is there, and only root may read it.",
        Remedy::Words("Run this as root, or give the output of dmesg or 'journalctl -k -b' with --log."),
    ),
    code(
        "log-without-boot",
        None,
        Note,
        "The kernel's log has lost its beginning, where it speaks of nodes.",
        Remedy::Words("Give the log of the boot with --log: 'journalctl -k -b', /var/log/dmesg, or a console's."),
    ),
];
