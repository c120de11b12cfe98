//! All codes.

mod silent;

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

/// All codes.
pub(super) fn all() -> impl Iterator<Item = &'static Code> {
    SAID.iter().chain(silent::SILENT)
}

/// First what takes all nodes away, then distances, then the rest.
static SAID: &[Code] = &[
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
