//! All codes.

use super::{Code, Remedy};
use crate::document::Severity::{self, Error, Note, Warning};

const fn code(
    name: &'static str,
    table: Option<&'static str>,
    severity: Severity,
    remedy: Remedy,
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
    code("no-config-numa", None, Error, Remedy::OfCode),
    code("numa-off", None, Error, Remedy::TakeOff("numa=off")),
    code("numa-noacpi", None, Error, Remedy::TakeOff("numa=noacpi")),
    code("acpi-off", None, Error, Remedy::TakeOff("acpi=off")),
    code("numa-fake", None, Warning, Remedy::TakeOff("numa=fake")),
    code("emulation-failed", None, Warning, Remedy::TakeOff("numa=fake")),
    // Firmware describes no nodes.
    code("no-srat", SRAT, Error, Remedy::ShowNodes),
    code("srat-unreadable", SRAT, Warning, Remedy::OfCode),
    code("srat-no-memory", SRAT, Error, Remedy::ShowNodes),
    code("no-numa-configuration", None, Error, Remedy::ShowNodes),
    code("one-domain", SRAT, Error, Remedy::SplitPackage),
    code("node-interleaving", None, Error, Remedy::ShowNodes),
    code("tree-names-no-node", TREE, Error, Remedy::OfCode),
    // Firmware describes nodes, and the kernel rejects them.
    code("srat-not-used", SRAT, Error, Remedy::NewerFirmware),
    code("srat-cpu-entry-length", SRAT, Error, Remedy::NewerFirmware),
    code("srat-memory-entry-length", SRAT, Error, Remedy::NewerFirmware),
    code("srat-zero-length-entry", SRAT, Error, Remedy::NewerFirmware),
    code("too-many-domains", SRAT, Error, Remedy::OfCode),
    code("too-many-ranges", SRAT, Error, Remedy::OfCode),
    code("nodes-overlap", SRAT, Error, Remedy::NewerFirmware),
    code("ram-not-covered", SRAT, Error, Remedy::NewerFirmware),
    code("node-alignment", SRAT, Error, Remedy::OfCode),
    code("tree-property-invalid", TREE, Error, Remedy::OfCode),
    code("tree-distance-invalid", TREE, Error, Remedy::OfCode),
    code("fewer-nodes-than-promised", SRAT, Error, Remedy::OfCode),
    // Distances and performance.
    code("slit-invalid", SLIT, Error, Remedy::NewerFirmware),
    code("hmat-revision", HMAT, Error, Remedy::NewerFirmware),
    code("hmat-structure-length", HMAT, Error, Remedy::NewerFirmware),
    code("hmat-zero-length-entry", HMAT, Error, Remedy::NewerFirmware),
    code("hmat-unknown-domain", HMAT, Error, Remedy::NewerFirmware),
    code("hmat-invalid", HMAT, Error, Remedy::NewerFirmware),
    code("hmat-without-nodes", HMAT, Note, Remedy::Nothing),
    code("numa-nohmat", HMAT, Warning, Remedy::TakeOff("numa=nohmat")),
    // Modules, damaged tables, access rights.
    code("dimms-missing", None, Error, Remedy::OfCode),
    code("dimms-lopsided", None, Warning, Remedy::OfCode),
    code("dimm-channels-lopsided", None, Warning, Remedy::OfCode),
    code("dimm-channels-empty", None, Note, Remedy::OfCode),
    code("memory-left-out", None, Warning, Remedy::Nothing),
    code("bad-checksum", None, Warning, Remedy::NewerFirmware),
    code("table-damaged", None, Warning, Remedy::NewerFirmware),
    code("table-padded", None, Note, Remedy::Nothing),
    code("nodes-share-cpus", None, Warning, Remedy::OfCode),
    code("outside-the-nodes", None, Warning, Remedy::OfCode),
    code("distance-of-local", None, Warning, Remedy::OfCode),
    code("table-unreadable", None, Note, Remedy::Nothing),
    code("tables-unreadable", None, Note, Remedy::OfCode),
    code("log-unreadable", None, Note, Remedy::OfCode),
    code("log-without-boot", None, Note, Remedy::OfCode),
    // Faults that the kernel does not log.
    code("ram-hole-forgiven", SRAT, Error, Remedy::NewerFirmware),
    code("initiator-disabled-first", SRAT, Error, Remedy::NewerFirmware),
    code("node-overlaps-itself", SRAT, Warning, Remedy::NewerFirmware),
    code("nodes-overlap-unnoticed", SRAT, Warning, Remedy::NewerFirmware),
    code("slit-cut-short", SLIT, Warning, Remedy::NewerFirmware),
    code("siblings-on-two-nodes", SRAT, Warning, Remedy::OfCode),
    code("cpus-in-one-node", SRAT, Warning, Remedy::OfCode),
    code("srat-domain-cut", SRAT, Warning, Remedy::NewerFirmware),
    code("srat-empty-range", SRAT, Warning, Remedy::NewerFirmware),
    code("srat-cpu-twice", SRAT, Warning, Remedy::NewerFirmware),
    code("cpus-without-domain", SRAT, Warning, Remedy::NewerFirmware),
    code("cpus-not-in-madt", SRAT, Warning, Remedy::NewerFirmware),
    code("msct-disagrees", Some("MSCT"), Warning, Remedy::NewerFirmware),
    code("msct-promises-more", Some("MSCT"), Note, Remedy::Nothing),
    code("crat-knows-more", Some("CRAT"), Warning, Remedy::ShowNodes),
    code("slit-asymmetric", SLIT, Warning, Remedy::NewerFirmware),
    code("slit-unreachable", SLIT, Warning, Remedy::NewerFirmware),
    code("slit-default", SLIT, Warning, Remedy::OfCode),
    code("slit-too-small", SLIT, Warning, Remedy::NewerFirmware),
    code("hmat-revision-1-units", HMAT, Warning, Remedy::NewerFirmware),
    code("hmat-implausible", HMAT, Warning, Remedy::NewerFirmware),
    code("cfmws-alignment", CEDT, Warning, Remedy::NewerFirmware),
    code("cxl-window-without-node", CEDT, Warning, Remedy::OfCode),
    code("pci-without-node", None, Warning, Remedy::OfCode),
    // Devices.
    code("device-without-node", None, Warning, Remedy::OfCode),
    code("device-witnesses-disagree", None, Warning, Remedy::OfCode),
    code("device-node-without-cpus", None, Note, Remedy::OfCode),
    code("devices-on-one-node-of-package", None, Note, Remedy::OfCode),
    code("link-narrow", None, Warning, Remedy::OfCode),
    code("port-narrow", None, Note, Remedy::OfCode),
    code("link-slow", None, Note, Remedy::OfCode),
    code("device-apart-from-peers", None, Note, Remedy::OfCode),
    code("pair-disagrees", None, Warning, Remedy::OfCode),
    code("witness-failed", None, Note, Remedy::OfCode),
    code("memory-only-node", None, Warning, Remedy::OfCode),
    code("cpu-only-node", None, Warning, Remedy::OfCode),
    code("packages-share-a-node", SRAT, Warning, Remedy::OfCode),
    code("prediction-differs", None, Warning, Remedy::OfCode),
];
