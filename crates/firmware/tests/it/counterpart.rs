//! Maps iasl's field names to those of nearfar.

/// The counterpart of a line of iasl's output.
pub(super) enum Counterpart {
    /// A field: a number, a flag or a string.
    Field(&'static str),
    /// Some bits of a field.
    FirmwareFile { field: &'static str, shift: u32, bits: u32 },
    /// A list; all lines of one name together.
    List(&'static str),
    /// The checksum, with iasl's remark.
    Checksum,
    /// The sixteen bytes of a device handle.
    Handle,
    /// None: reserved bytes, and parts of flags that are compared as a whole.
    NotKept,
}

/// Fields that iasl does not print: they are computed from others that it does.
pub(super) const DERIVED: [&str; 16] = [
    "entry",
    "offset",
    "short",
    "unknown",
    // Depends on the table's revision; the raw value is compared.
    "domain",
    "specific_purpose",
    "architectural_transactions",
    // iasl of 2020 lacks this flag for Arm, and has it for x86 only in later revisions.
    "online_capable",
    // Names and units of numbers that are compared.
    "data",
    "latency_ns",
    "bandwidth_bytes_per_s",
    // Parts of flags that are compared whole.
    "memory_valid",
    "reservation_hint",
    // Reserved for iasl in revisions after the first.
    "base_address",
    "size_bytes",
    "rows",
];

/// Tables whose header is all that iasl of 2020 prints.
pub(super) const SIGNATURES_UNKNOWN_TO_IASL: [&str; 3] = ["CEDT", "CRAT", "CDIT"];

/// Types unknown to iasl, and entries whose fields are not decoded here.
pub(super) const ENTRIES_UNKNOWN_TO_IASL: [&str; 4] = ["unknown", "short", "generic-port", "rintc"];

/// The line's counterpart; `None` if this mapping lacks it.
pub(super) fn counterpart(signature: &str, kind: &str, name: &str) -> Option<Counterpart> {
    use Counterpart::{Checksum, Field, NotKept};
    let is_reserved = name
        .strip_prefix("Reserved")
        .is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_digit()));
    Some(match name {
        _ if is_reserved => NotKept,
        "Signature" => Field("signature"),
        "Table Length" => Field("length_bytes"),
        "Checksum" => Checksum,
        "Oem ID" => Field("oem_id"),
        "Oem Table ID" => Field("oem_table_id"),
        "Oem Revision" => Field("oem_revision"),
        "Asl Compiler ID" => Field("creator_id"),
        "Asl Compiler Revision" => Field("creator_revision"),
        "Subtable Type" | "Structure Type" => Field("type"),
        "Length" => Field("length_bytes"),
        // The MSCT's entries begin with a revision instead of a type.
        "Revision" if signature == "MSCT" && !kind.is_empty() => Field("type"),
        "Revision" if kind.is_empty() => Field("revision"),
        _ => return in_table(signature, kind, name),
    })
}

fn in_table(signature: &str, kind: &str, name: &str) -> Option<Counterpart> {
    match signature {
        "SRAT" => in_srat(kind, name),
        "SLIT" => in_slit(name),
        "HMAT" => in_hmat(name),
        "MSCT" => in_msct(name),
        "APIC" => in_madt(kind, name),
        "PPTT" => in_pptt(name),
        _ => None,
    }
}

fn in_srat(kind: &str, name: &str) -> Option<Counterpart> {
    use Counterpart::{Field, FirmwareFile, Handle, NotKept};
    Some(match name {
        "Table Revision" => Field("table_revision"),
        "Proximity Domain Low(8)" => FirmwareFile { field: "domain_raw", shift: 0, bits: 8 },
        "Proximity Domain High(24)" => FirmwareFile { field: "domain_raw", shift: 8, bits: 24 },
        "Proximity Domain" if kind == "memory" => Field("domain_raw"),
        "Proximity Domain" => Field("domain"),
        "Apic ID" | "Processor x2Apic ID" => Field("apic_id"),
        "Acpi Processor UID" => Field("processor_uid"),
        "ITS ID" => Field("its_id"),
        "Flags (decoded below)" => Field("flags"),
        "Enabled" => Field("enabled"),
        "Hot Pluggable" => Field("hot_pluggable"),
        "Non-Volatile" => Field("non_volatile"),
        "Local Sapic EID" => Field("sapic_eid"),
        "Clock Domain" => Field("clock_domain"),
        "Base Address" => Field("base_address"),
        "Address Length" => Field("size_bytes"),
        "Device Handle Type" => NotKept,
        "Device Handle" => Handle,
        _ => return None,
    })
}

fn in_slit(name: &str) -> Option<Counterpart> {
    Some(match name {
        "Localities" => Counterpart::Field("localities"),
        _ if name.starts_with("Locality") => Counterpart::List("rows"),
        _ => return None,
    })
}

fn in_hmat(name: &str) -> Option<Counterpart> {
    use Counterpart::{Field, List, NotKept};
    Some(match name {
        "Flags (decoded below)" => Field("flags"),
        "Processor Proximity Domain Valid" => Field("initiator_valid"),
        "Attached Initiator Proximity Domain" => Field("initiator"),
        "Memory Proximity Domain" => Field("memory"),
        "Memory Hierarchy" => Field("hierarchy"),
        "Data Type" => Field("data_type"),
        "Initiator Proximity Domains #" | "Target Proximity Domains #" | "SMBIOS Handles #" => {
            NotKept
        }
        "Entry Base Unit" => Field("base_unit"),
        "Initiator Proximity Domain List" => List("initiators"),
        "Target Proximity Domain List" => List("targets"),
        "Entry" => List("raw"),
        "Memory Side Cache Size" => Field("size_bytes"),
        "Cache Attributes (decoded below)" => Field("attributes"),
        "Total Cache Levels" => Field("levels"),
        "Cache Level" => Field("level"),
        "Cache Associativity" => Field("associativity"),
        "Write Policy" => Field("write_policy"),
        "Cache Line Size" => Field("line_bytes"),
        "SMBIOS Handle #" => NotKept,
        "SMBIOS Handle" => List("smbios_handles"),
        _ => return None,
    })
}

fn in_msct(name: &str) -> Option<Counterpart> {
    use Counterpart::Field;
    Some(match name {
        "Proximity Offset" => Field("entries_offset"),
        "Max Proximity Domains" => Field("max_domain"),
        "Max Clock Domains" => Field("max_clock_domain"),
        "Max Physical Address" => Field("max_physical_address"),
        "Domain Range Start" => Field("first"),
        "Domain Range End" => Field("last"),
        "Processor Capacity" => Field("max_processors"),
        "Memory Capacity" => Field("max_memory_bytes"),
        _ => return None,
    })
}

fn in_madt(kind: &str, name: &str) -> Option<Counterpart> {
    use Counterpart::{Field, NotKept};
    Some(match name {
        "Local Apic Address" => Field("local_apic_address"),
        "Flags (decoded below)" => Field("flags"),
        "PC-AT Compatibility" | "Polarity" | "Trigger Mode" | "Select SPI" => NotKept,
        "Performance Interrupt Trigger Mode" | "Virtual GIC Interrupt Trigger Mode" => NotKept,
        "Processor ID" | "Processor UID" => Field("processor_uid"),
        "Local Apic ID" | "Processor x2Apic ID" => Field("apic_id"),
        "Processor Enabled" => Field("enabled"),
        "Runtime Online Capable" => Field("online_capable"),
        "I/O Apic ID" => Field("io_apic_id"),
        "Address" | "APIC Address" => Field("address"),
        "Interrupt" if kind == "io-apic" => Field("interrupt_base"),
        "Interrupt" => Field("interrupt"),
        "Bus" => Field("bus"),
        "Source" => Field("source"),
        "Interrupt Input LINT" => Field("lint"),
        "CPU Interface Number" => Field("interface"),
        "Parking Protocol Version" => Field("parking_version"),
        "Performance Interrupt" => Field("performance_interrupt"),
        "Parked Address" => Field("parked_address"),
        "Base Address" => Field("base_address"),
        "Virtual GIC Base Address" => Field("virtual_base_address"),
        "Hypervisor GIC Base Address" => Field("hypervisor_base_address"),
        "Virtual GIC Interrupt" => Field("virtual_interrupt"),
        "Redistributor Base Address" => Field("redistributor_address"),
        "ARM MPIDR" => Field("mpidr"),
        "Efficiency Class" => Field("efficiency_class"),
        "SPE Overflow Interrupt" => Field("profiler_interrupt"),
        "Local GIC Hardware ID" => Field("gic_id"),
        "Address Range Length" => Field("size_bytes"),
        "Interrupt Base" => Field("interrupt_base"),
        "Version" => Field("version"),
        "Translation ID" => Field("its_id"),
        "MSI Frame ID" => Field("frame_id"),
        "SPI Count" => Field("spi_count"),
        "SPI Base" => Field("spi_base"),
        _ => return None,
    })
}

fn in_pptt(name: &str) -> Option<Counterpart> {
    use Counterpart::{Field, FirmwareFile, List, NotKept};
    Some(match name {
        "Flags (decoded below)" => Field("flags"),
        "Physical package" => Field("is_package"),
        "ACPI Processor ID valid" => Field("processor_uid_valid"),
        "Processor is a thread" => Field("is_thread"),
        "Node is a leaf" => Field("is_leaf"),
        "Identical Implementation" => Field("identical"),
        "Parent" => Field("parent"),
        "ACPI Processor ID" => Field("processor_uid"),
        "Vendor ID" => Field("vendor_id"),
        "Level1 ID" => Field("level_1_id"),
        "Level2 ID" => Field("level_2_id"),
        "Major revision" => Field("major"),
        "Minor revision" => Field("minor"),
        "Spin revision" => Field("spin"),
        "Size valid" => FirmwareFile { field: "flags", shift: 0, bits: 1 },
        "Number of Sets valid" => FirmwareFile { field: "flags", shift: 1, bits: 1 },
        "Associativity valid" => FirmwareFile { field: "flags", shift: 2, bits: 1 },
        "Allocation Type valid" => FirmwareFile { field: "flags", shift: 3, bits: 1 },
        "Cache Type valid" => FirmwareFile { field: "flags", shift: 4, bits: 1 },
        "Write Policy valid" => FirmwareFile { field: "flags", shift: 5, bits: 1 },
        "Line Size valid" => FirmwareFile { field: "flags", shift: 6, bits: 1 },
        "Next Level of Cache" => Field("next_level"),
        "Size" => Field("size_bytes"),
        "Number of Sets" => Field("sets"),
        "Associativity" => Field("ways"),
        "Attributes" => Field("attributes"),
        "Allocation Type" => FirmwareFile { field: "attributes", shift: 0, bits: 2 },
        "Cache Type" => FirmwareFile { field: "attributes", shift: 2, bits: 2 },
        "Write Policy" => FirmwareFile { field: "attributes", shift: 4, bits: 1 },
        "Line Size" => Field("line_bytes"),
        "Private Resource Number" => NotKept,
        "Private Resource" => List("resources"),
        _ => return None,
    })
}
