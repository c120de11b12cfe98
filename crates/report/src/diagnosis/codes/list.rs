//! All codes in words.

use super::Code;

const fn bare(name: &'static str, meaning: &'static str) -> Code {
    Code { name, meaning, remedy: None }
}

const fn code(name: &'static str, meaning: &'static str, remedy: &'static str) -> Code {
    Code { name, meaning, remedy: Some(remedy) }
}

/// First what takes all nodes away, then distances, then the rest, then what the kernel takes
/// without a word in its log.
pub(super) static ALL: &[Code] = &[
    // Nobody was asked, or somebody said no.
    code(
        "no-config-numa",
        "The kernel was built without NUMA.",
        "Use a kernel with CONFIG_NUMA=y: distributions' kernels for servers have it.",
    ),
    bare("numa-off", "numa=off is on the kernel's command line."),
    bare("numa-noacpi", "numa=noacpi is on the kernel's command line: it passes the SRAT over."),
    bare("acpi-off", "acpi=off is on the kernel's command line: it reads no table."),
    bare("numa-fake", "Nodes are made up on the kernel's command line."),
    bare("emulation-failed", "numa=fake= could not be done."),
    // Firmware says nothing.
    bare("no-srat", "Firmware has no SRAT: it tells of no node."),
    code(
        "srat-unreadable",
        "The SRAT could not be read: its file is no table.",
        "Copy it again, as root: /sys/firmware/acpi/tables/SRAT is for root only, and other users' copies are empty.",
    ),
    bare("srat-no-memory", "No enabled entry of the SRAT is about memory."),
    bare("no-numa-configuration", "The kernel found nothing that tells of nodes."),
    bare("one-domain", "Firmware puts all CPUs and all memory in one domain."),
    bare("node-interleaving", "The memory of several nodes is interleaved: the northbridge says so."),
    code(
        "tree-names-no-node",
        "The device tree names no node.",
        "Name the nodes in the device tree: numa-node-id in its memory, CPU and bus nodes, and a distance-map; or start the machine with ACPI, where its firmware has that.",
    ),
    // Firmware speaks, and the kernel does not take it.
    bare("srat-not-used", "The kernel did not take the SRAT."),
    bare("srat-cpu-entry-length", "An entry of the SRAT about a CPU has another length than its type."),
    bare("srat-memory-entry-length", "An entry of the SRAT about memory is too short."),
    bare("srat-zero-length-entry", "An entry of the SRAT has no length, so nothing after it can be found."),
    code(
        "too-many-domains",
        "The SRAT has more domains than the kernel has room for.",
        "Use a kernel with a larger CONFIG_NODES_SHIFT, or a BIOS that numbers its domains from 0.",
    ),
    code(
        "too-many-ranges",
        "The SRAT has more ranges of memory than the kernel has room for.",
        "Use a kernel with a larger CONFIG_NODES_SHIFT; or turn memory hot plug off in the setup, whose ranges fill the SRAT.",
    ),
    bare("nodes-overlap", "Two nodes claim the same memory."),
    bare("ram-not-covered", "No entry of the SRAT covers a part of RAM."),
    code(
        "node-alignment",
        "Nodes end at addresses finer than the kernel can tell apart.",
        "Use a 64-bit kernel with SPARSEMEM_VMEMMAP.",
    ),
    code(
        "tree-property-invalid",
        "A property about nodes in the device tree makes no sense.",
        "Correct the device tree.",
    ),
    code(
        "tree-distance-invalid",
        "A distance in the device tree cannot be: 10 is a node's to itself, others are more.",
        "Correct the distance-matrix in the device tree.",
    ),
    code(
        "fewer-nodes-than-promised",
        "The tables promise several nodes, the kernel shows one, and nothing says why.",
        "Read the kernel's log of the boot: as root 'nearfar diagnose' does, or give it with --log.",
    ),
    // Distances and performance.
    bare("slit-invalid", "The kernel does not believe the SLIT, and takes 10 and 20."),
    bare("hmat-revision", "The HMAT has a revision that the kernel does not know."),
    bare("hmat-structure-length", "A structure of the HMAT has a wrong length; the kernel drops the whole table."),
    bare("hmat-zero-length-entry", "A structure of the HMAT has no length; the kernel drops the whole table."),
    bare(
        "hmat-unknown-domain",
        "The HMAT speaks of memory that the SRAT does not have; the kernel drops the whole table.",
    ),
    bare("hmat-invalid", "The kernel drops the HMAT."),
    bare("hmat-without-nodes", "The HMAT is not read where there is no SRAT."),
    bare("numa-nohmat", "numa=nohmat is on the kernel's command line."),
    // Modules, bytes, access.
    code(
        "dimms-missing",
        "A socket has no memory module.",
        "Where a processor sits in that socket, move modules there, as many and as large as at the others.",
    ),
    code(
        "dimms-lopsided",
        "Sockets have unequal memory.",
        "Give each socket the same modules: where one is smaller, programs there fill it and go on in the other's.",
    ),
    code(
        "dimm-channels-lopsided",
        "Channels of one socket have unequal memory.",
        "Give each channel of a socket the same modules.",
    ),
    code(
        "dimm-channels-empty",
        "Memory channels stand empty.",
        "Spread the modules over all channels, one each first.",
    ),
    bare("memory-left-out", "The kernel has less memory than the modules hold."),
    bare("bad-checksum", "A table's bytes do not add up to 0; the kernel goes by it all the same."),
    bare("table-damaged", "A table is damaged."),
    bare("table-padded", "Bytes follow what a table says: harmless, and careless."),
    code(
        "nodes-share-cpus",
        "Several nodes list the same CPUs: at most one of them can be right.",
        "Do not go by these nodes: measure instead ('nearfar survey'). They may be made up (numa=fake=).",
    ),
    code(
        "outside-the-nodes",
        "CPUs or memory are outside the nodes that are online.",
        "Bring the node online, or start the machine again: what is outside is in no figure.",
    ),
    code(
        "distance-of-local",
        "The kernel shows 10, the distance of local memory, between two nodes.",
        "Measure instead: 'nearfar survey'.",
    ),
    bare("table-unreadable", "A file stands among the tables and is none."),
    code(
        "tables-unreadable",
        "Firmware's tables are there, and only root may read them.",
        "Run this as root (sudo nearfar diagnose; sudo nearfar capture, to read it elsewhere), or have root copy /sys/firmware/acpi/tables and give it with --tables.",
    ),
    code(
        "log-unreadable",
        "The kernel's log is there, and only root may read it.",
        "Run this as root, or give the output of dmesg or 'journalctl -k -b' with --log.",
    ),
    code(
        "log-without-boot",
        "The kernel's log has lost its beginning, where it speaks of nodes.",
        "Give the log of the boot with --log: 'journalctl -k -b', /var/log/dmesg, or a console's.",
    ),
    // What the kernel takes without a word in its log.
    bare(
        "ram-hole-forgiven",
        "No entry of the SRAT covers a little RAM: too little for the kernel to refuse the table, enough for Linux 6.1 to die of it.",
    ),
    bare(
        "initiator-disabled-first",
        "A disabled generic initiator stands before entries about CPUs: the kernel drops these and deals CPUs out in turn.",
    ),
    bare("node-overlaps-itself", "Two ranges of one node overlap; the kernel joins them."),
    bare("nodes-overlap-unnoticed", "Two nodes claim the same memory, and this kernel does not notice."),
    bare("slit-cut-short", "The SLIT promises more distances than it holds."),
    code(
        "siblings-on-two-nodes",
        "CPUs that share a cache are on two nodes: the SRAT and the processors disagree.",
        "Normal where sub-NUMA clustering splits a cache, and in guests whose virtual caches span nodes; else look for a newer BIOS: it numbers CPUs wrongly.",
    ),
    code(
        "cpus-in-one-node",
        "Every CPU is in one node, and there are several.",
        "Normal where the others are CXL, HBM or persistent memory; else look for a newer BIOS.",
    ),
    bare(
        "srat-domain-cut",
        "An entry's domain has more bits than the SRAT's revision allows; the kernel looks at 8 of them.",
    ),
    bare("srat-empty-range", "An entry of the SRAT is about no memory: its range is empty."),
    bare("srat-cpu-twice", "A CPU is in two domains of the SRAT."),
    bare("cpus-without-domain", "CPUs of the MADT have no entry in the SRAT: the kernel chooses their nodes."),
    bare("cpus-not-in-madt", "CPUs of the SRAT are not in the MADT."),
    bare("msct-disagrees", "The SRAT names a domain that the MSCT says there is not."),
    bare("msct-promises-more", "The MSCT has room for more domains than the SRAT names."),
    bare("crat-knows-more", "AMD's CRAT has memory in more domains than the SRAT."),
    bare("slit-asymmetric", "A distance of the SLIT differs by direction."),
    bare("slit-unreachable", "A distance of the SLIT is 255: a domain that cannot be reached."),
    code(
        "slit-default",
        "Every distance between two nodes is 20, the number that stands for none.",
        "Measure instead: 'nearfar survey'. A newer BIOS may have a SLIT with numbers.",
    ),
    bare("slit-too-small", "The SLIT has fewer domains than the SRAT."),
    bare(
        "hmat-revision-1-units",
        "Numbers of an HMAT of revision 1 make sense in other units only: the kernel shows them too large or too small.",
    ),
    bare("hmat-implausible", "Numbers of the HMAT are no latencies or bandwidths that memory has."),
    bare("cfmws-alignment", "A CXL window does not begin and end at multiples of 256 MiB."),
    code(
        "cxl-window-without-node",
        "There is no node left for a CXL window.",
        "Use a kernel with a larger CONFIG_NODES_SHIFT.",
    ),
    code(
        "pci-without-node",
        "Firmware does not say which node a PCI bus hangs on (_PXM is missing): devices there have numa_node -1.",
        "Look for a newer BIOS; until then write the node into the device's numa_node in sysfs, as root.",
    ),
    code(
        "memory-only-node",
        "A node has memory and no CPU.",
        "Normal for CXL, HBM, persistent memory and graphics cards; else a processor is missing, disabled or left out.",
    ),
    code(
        "cpu-only-node",
        "A node has CPUs and no memory: all that they use is elsewhere.",
        "Put modules into that socket's slots, or see in the setup which were disabled.",
    ),
    code(
        "packages-share-a-node",
        "Several packages are in one node, while others have nodes of their own.",
        "See whether a socket has no memory module: kernels put its CPUs into another node. Else look for a newer BIOS.",
    ),
    code(
        "prediction-differs",
        "The tables and the running kernel tell different stories.",
        "The tables may be of another boot than the log; else this kernel has a rule that nearfar does not know: please report it.",
    ),
];
