//! All codes.

use super::{Code, RemedyKind};
use crate::document::Severity::{self, Error, Note, Warning};

const fn code(
    name: &'static str,
    table: Option<&'static str>,
    severity: Severity,
    remedy: RemedyKind,
) -> Code {
    Code { name, table, severity, remedy }
}

const SRAT: Option<&str> = Some("SRAT");
const SLIT: Option<&str> = Some("SLIT");
const HMAT: Option<&str> = Some("HMAT");
const CEDT: Option<&str> = Some("CEDT");
const TREE: Option<&str> = Some("device tree");

/// Ordered by effect: codes that hide all nodes, then distances, then the rest, then faults that
/// the kernel does not log.
pub(super) static ALL: &[Code] = &[
    // NUMA is disabled, in the kernel's configuration or on its command line.
    code("no-config-numa", None, Error, RemedyKind::OfCode),
    code("numa-off", None, Error, RemedyKind::TakeOff("numa=off")),
    code("numa-noacpi", None, Error, RemedyKind::TakeOff("numa=noacpi")),
    code("acpi-off", None, Error, RemedyKind::TakeOff("acpi=off")),
    code("numa-fake", None, Warning, RemedyKind::TakeOff("numa=fake")),
    code("emulation-failed", None, Warning, RemedyKind::TakeOff("numa=fake")),
    // Firmware describes no nodes.
    code("no-srat", SRAT, Error, RemedyKind::ShowNodes),
    code("srat-unreadable", SRAT, Warning, RemedyKind::OfCode),
    code("srat-no-memory", SRAT, Error, RemedyKind::ShowNodes),
    code("no-numa-configuration", None, Error, RemedyKind::ShowNodes),
    code("one-domain", SRAT, Error, RemedyKind::SplitPackage),
    code("node-interleaving", None, Error, RemedyKind::ShowNodes),
    code("tree-names-no-node", TREE, Error, RemedyKind::OfCode),
    // Firmware describes nodes, and the kernel rejects them.
    code("srat-not-used", SRAT, Error, RemedyKind::NewerFirmware),
    code("srat-cpu-entry-length", SRAT, Error, RemedyKind::NewerFirmware),
    code("srat-memory-entry-length", SRAT, Error, RemedyKind::NewerFirmware),
    code("srat-zero-length-entry", SRAT, Error, RemedyKind::NewerFirmware),
    code("too-many-domains", SRAT, Error, RemedyKind::OfCode),
    code("too-many-ranges", SRAT, Error, RemedyKind::OfCode),
    code("nodes-overlap", SRAT, Error, RemedyKind::NewerFirmware),
    code("ram-not-covered", SRAT, Error, RemedyKind::NewerFirmware),
    code("node-alignment", SRAT, Error, RemedyKind::OfCode),
    code("tree-property-invalid", TREE, Error, RemedyKind::OfCode),
    code("tree-distance-invalid", TREE, Error, RemedyKind::OfCode),
    code("fewer-nodes-than-promised", SRAT, Error, RemedyKind::OfCode),
    // Distances and performance.
    code("slit-invalid", SLIT, Error, RemedyKind::NewerFirmware),
    code("hmat-revision", HMAT, Error, RemedyKind::NewerFirmware),
    code("hmat-structure-length", HMAT, Error, RemedyKind::NewerFirmware),
    code("hmat-zero-length-entry", HMAT, Error, RemedyKind::NewerFirmware),
    code("hmat-unknown-domain", HMAT, Error, RemedyKind::NewerFirmware),
    code("hmat-invalid", HMAT, Error, RemedyKind::NewerFirmware),
    code("hmat-without-nodes", HMAT, Note, RemedyKind::Nothing),
    code("numa-nohmat", HMAT, Warning, RemedyKind::TakeOff("numa=nohmat")),
    // Modules, damaged tables, access rights.
    code("dimms-missing", None, Error, RemedyKind::OfCode),
    code("dimms-lopsided", None, Warning, RemedyKind::OfCode),
    code("dimm-channels-lopsided", None, Warning, RemedyKind::OfCode),
    code("dimm-channels-empty", None, Note, RemedyKind::OfCode),
    code("memory-left-out", None, Warning, RemedyKind::Nothing),
    code("bad-checksum", None, Warning, RemedyKind::NewerFirmware),
    code("table-damaged", None, Warning, RemedyKind::NewerFirmware),
    code("table-padded", None, Note, RemedyKind::Nothing),
    code("nodes-share-cpus", None, Warning, RemedyKind::OfCode),
    code("outside-the-nodes", None, Warning, RemedyKind::OfCode),
    code("distance-of-local", None, Warning, RemedyKind::OfCode),
    code("table-unreadable", None, Note, RemedyKind::Nothing),
    code("tables-unreadable", None, Note, RemedyKind::OfCode),
    code("log-unreadable", None, Note, RemedyKind::OfCode),
    code("log-without-boot", None, Note, RemedyKind::OfCode),
    // Faults that the kernel does not log.
    code("ram-hole-forgiven", SRAT, Error, RemedyKind::NewerFirmware),
    code("initiator-disabled-first", SRAT, Error, RemedyKind::NewerFirmware),
    code("node-overlaps-itself", SRAT, Warning, RemedyKind::NewerFirmware),
    code("nodes-overlap-unnoticed", SRAT, Warning, RemedyKind::NewerFirmware),
    code("slit-cut-short", SLIT, Warning, RemedyKind::NewerFirmware),
    code("siblings-on-two-nodes", SRAT, Warning, RemedyKind::OfCode),
    code("cpus-in-one-node", SRAT, Warning, RemedyKind::OfCode),
    code("srat-domain-cut", SRAT, Warning, RemedyKind::NewerFirmware),
    code("srat-empty-range", SRAT, Warning, RemedyKind::NewerFirmware),
    code("srat-cpu-twice", SRAT, Warning, RemedyKind::NewerFirmware),
    code("cpus-without-domain", SRAT, Warning, RemedyKind::NewerFirmware),
    code("cpus-not-in-madt", SRAT, Warning, RemedyKind::NewerFirmware),
    code("msct-disagrees", Some("MSCT"), Warning, RemedyKind::NewerFirmware),
    code("msct-promises-more", Some("MSCT"), Note, RemedyKind::Nothing),
    code("crat-knows-more", Some("CRAT"), Warning, RemedyKind::ShowNodes),
    code("slit-asymmetric", SLIT, Warning, RemedyKind::NewerFirmware),
    code("slit-unreachable", SLIT, Warning, RemedyKind::NewerFirmware),
    code("slit-default", SLIT, Warning, RemedyKind::OfCode),
    code("slit-too-small", SLIT, Warning, RemedyKind::NewerFirmware),
    code("hmat-revision-1-units", HMAT, Warning, RemedyKind::NewerFirmware),
    code("hmat-implausible", HMAT, Warning, RemedyKind::NewerFirmware),
    code("cfmws-alignment", CEDT, Warning, RemedyKind::NewerFirmware),
    code("cxl-window-without-node", CEDT, Warning, RemedyKind::OfCode),
    code("pci-without-node", None, Warning, RemedyKind::OfCode),
    // Devices.
    code("device-without-node", None, Warning, RemedyKind::OfCode),
    code("device-node-not-used", None, Warning, RemedyKind::OfCode),
    code("device-node-measured", None, Warning, RemedyKind::OfCode),
    code("device-witnesses-disagree", None, Warning, RemedyKind::OfCode),
    code("device-node-without-cpus", None, Note, RemedyKind::OfCode),
    code("devices-on-one-node-of-package", None, Note, RemedyKind::OfCode),
    code("link-narrow", None, Warning, RemedyKind::OfCode),
    code("port-narrow", None, Note, RemedyKind::OfCode),
    code("link-slow", None, Note, RemedyKind::OfCode),
    code("device-apart-from-peers", None, Note, RemedyKind::OfCode),
    code("pair-disagrees", None, Warning, RemedyKind::OfCode),
    code("kfd-gpu-absent", None, Warning, RemedyKind::OfCode),
    code("witness-failed", None, Note, RemedyKind::OfCode),
    // Interrupts.
    code("irq-far-from-device", None, Warning, RemedyKind::OfCode),
    code("irq-managed-far", None, Note, RemedyKind::OfCode),
    code("irq-queues-on-one-cpu", None, Warning, RemedyKind::OfCode),
    code("irq-fewer-queues", None, Note, RemedyKind::OfCode),
    code("irq-device-node-unknown", None, Warning, RemedyKind::OfCode),
    code("irq-line-shared", None, Warning, RemedyKind::OfCode),
    code("irq-line-shared-unknown", None, Note, RemedyKind::OfCode),
    code("rps-across-nodes", None, Warning, RemedyKind::OfCode),
    code("xps-across-nodes", None, Warning, RemedyKind::OfCode),
    code("irq-changed-under-irqbalance", None, Note, RemedyKind::OfCode),
    code("memory-only-node", None, Warning, RemedyKind::OfCode),
    code("cpu-only-node", None, Warning, RemedyKind::OfCode),
    code("packages-share-a-node", SRAT, Warning, RemedyKind::OfCode),
    code("prediction-differs", None, Warning, RemedyKind::OfCode),
];
