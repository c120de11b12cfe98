//! Names of Arm CPUs, which report only numbers of implementer and part (the MIDR_EL1 register).

/// The name of a part, or its numbers if unknown. Both as in `/proc/cpuinfo` ("0x41", "0xd0c").
pub(super) fn name(implementer: &str, part: &str) -> String {
    let known = PARTS.iter().find(|(maker, number, _)| *maker == implementer && *number == part);
    known.map_or_else(
        || format!("Arm implementer {implementer} part {part}"),
        |(_, _, name)| (*name).to_owned(),
    )
}

/// Parts found in machines with more than one node, and in common boards; numbers as in the
/// kernel's `arch/arm64/include/asm/cputype.h` and in lscpu's `lscpu-arm.c`.
const PARTS: [(&str, &str, &str); 26] = [
    ("0x41", "0xd03", "Cortex-A53"),
    ("0x41", "0xd05", "Cortex-A55"),
    ("0x41", "0xd07", "Cortex-A57"),
    ("0x41", "0xd08", "Cortex-A72"),
    ("0x41", "0xd0b", "Cortex-A76"),
    ("0x41", "0xd0c", "Neoverse-N1"),
    ("0x41", "0xd40", "Neoverse-V1"),
    ("0x41", "0xd41", "Cortex-A78"),
    ("0x41", "0xd46", "Cortex-A510"),
    ("0x41", "0xd47", "Cortex-A710"),
    ("0x41", "0xd48", "Cortex-X2"),
    ("0x41", "0xd49", "Neoverse-N2"),
    ("0x41", "0xd4f", "Neoverse-V2"),
    ("0x41", "0xd84", "Neoverse-V3"),
    ("0x41", "0xd85", "Cortex-X925"),
    ("0x41", "0xd87", "Cortex-A725"),
    ("0x41", "0xd8e", "Neoverse-N3"),
    ("0x43", "0x0a1", "ThunderX"),
    ("0x43", "0x0af", "ThunderX2"),
    ("0x43", "0x0b8", "ThunderX3"),
    ("0x46", "0x001", "A64FX"),
    ("0x48", "0xd01", "TaiShan v110"),
    ("0x48", "0xd02", "TaiShan v120"),
    ("0xc0", "0xac3", "Ampere-1"),
    ("0xc0", "0xac4", "Ampere-1A"),
    ("0xc0", "0xac5", "Ampere-1B"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_parts_have_names() {
        assert_eq!(name("0x41", "0xd0c"), "Neoverse-N1");
        assert_eq!(name("0x41", "0xfff"), "Arm implementer 0x41 part 0xfff");
    }
}
