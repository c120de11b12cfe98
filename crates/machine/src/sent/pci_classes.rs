//! Names of PCI classes, as `lspci` prints them.
//!
//! # References
//!
//! pci.ids, its list of classes

/// Names and codes (base class, subclass, interface).
const CLASSES: &[(&str, u32)] = &[
    ("Unclassified device", 0x00_00_00),
    ("SCSI storage controller", 0x01_00_00),
    ("IDE interface", 0x01_01_00),
    ("RAID bus controller", 0x01_04_00),
    ("SATA controller", 0x01_06_01),
    ("Serial Attached SCSI controller", 0x01_07_00),
    ("Non-Volatile memory controller", 0x01_08_02),
    ("Mass storage controller", 0x01_80_00),
    ("Ethernet controller", 0x02_00_00),
    ("Infiniband controller", 0x02_07_00),
    ("InfiniBand controller", 0x02_07_00),
    ("Fabric controller", 0x02_08_00),
    ("Network controller", 0x02_80_00),
    ("VGA compatible controller", 0x03_00_00),
    ("XGA compatible controller", 0x03_01_00),
    ("3D controller", 0x03_02_00),
    ("Display controller", 0x03_80_00),
    ("Audio device", 0x04_03_00),
    ("RAM memory", 0x05_00_00),
    ("CXL", 0x05_02_10),
    ("Memory controller", 0x05_80_00),
    ("Host bridge", 0x06_00_00),
    ("ISA bridge", 0x06_01_00),
    ("PCI bridge", 0x06_04_00),
    ("Bridge", 0x06_80_00),
    ("Communication controller", 0x07_80_00),
    ("PIC", 0x08_00_00),
    ("System peripheral", 0x08_80_00),
    ("Co-processor", 0x0b_40_00),
    ("USB controller", 0x0c_03_30),
    ("Fibre Channel", 0x0c_04_00),
    ("SMBus", 0x0c_05_00),
    ("IPMI Interface", 0x0c_07_00),
    ("Serial bus controller", 0x0c_80_00),
    ("Encryption controller", 0x10_80_00),
    ("Signal processing controller", 0x11_80_00),
    ("Processing accelerators", 0x12_00_00),
    ("Non-Essential Instrumentation", 0x13_00_00),
];

/// "0x020000" of a class's name, or of its code in brackets ("[0200]").
pub(super) fn code(name: &str, number: Option<u32>) -> String {
    let known = CLASSES.iter().find(|(known, _)| *known == name).map(|(_, code)| *code);
    // A code has no interface: the list's fits it.
    let same = |code: &u32| number.is_none_or(|number| code >> 8 == number);
    let code = known.filter(same).or(number.map(|number| number << 8));
    code.map_or_else(String::new, |code| format!("0x{code:06x}"))
}
