//! What the kernel takes without a word in its log.

use super::{CEDT, HMAT, SLIT, SRAT, code};
use crate::codes::{Code, Remedy};
use crate::document::Severity::{Error, Note, Warning};

pub(super) static SILENT: &[Code] = &[
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
];
