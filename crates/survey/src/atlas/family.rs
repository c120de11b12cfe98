//! The generation of a CPU by its model's number, as vendors count.

use crate::CpuNumbers;

/// The family of a model, in the atlas's words; none where the name has no number or an unknown
/// one.
pub(crate) fn of_model(plain_name: &str) -> Option<&'static str> {
    let mut words = plain_name.split(' ');
    match (words.next()?, words.next()?) {
        ("amd", "epyc") => epyc(words.next()?),
        ("intel", "xeon") => xeon(&words.collect::<Vec<_>>()),
        ("hygon", "c86") => Some("Zen 1 derivative"),
        _ => None,
    }
}

/// The same by CPUID's numbers, which a guest has where its hypervisor hides the name.
pub(crate) fn for_cpuid(cpu: &CpuNumbers) -> Option<&'static str> {
    match (cpu.vendor.as_str(), cpu.family, cpu.model) {
        ("AuthenticAMD", 23, 1) => Some("Zen Naples"),
        ("AuthenticAMD", 23, 49) => Some("Zen 2 Rome"),
        ("AuthenticAMD", 25, 1) => Some("Zen 3 Milan"),
        ("AuthenticAMD", 25, 17) => Some("Zen 4 Genoa"),
        ("AuthenticAMD", 25, 160) => Some("Zen 4c Bergamo"),
        ("AuthenticAMD", 26, 2) => Some("Zen 5 Turin"),
        ("GenuineIntel", 6, 45) => Some("Sandy Bridge-EP"),
        ("GenuineIntel", 6, 62) => Some("Ivy Bridge-EP"),
        ("GenuineIntel", 6, 63) => Some("Haswell-EP"),
        ("GenuineIntel", 6, 79) => Some("Broadwell-EP"),
        ("GenuineIntel", 6, 106) => Some("Ice Lake-SP"),
        ("GenuineIntel", 6, 143) => Some("Sapphire Rapids"),
        ("GenuineIntel", 6, 207) => Some("Emerald Rapids"),
        // 85 is Skylake-SP and Cascade Lake-SP.
        _ => None,
    }
}

/// The last figure of a model's number is its generation: 7742, 9654, 7H12, 9354P.
fn epyc(number: &str) -> Option<&'static str> {
    let core = number.get(..4)?;
    if !core.ends_with(|last: char| last.is_ascii_digit()) {
        return None;
    }
    match (core.get(..1)?, core.get(3..)?) {
        ("7", "1") => Some("Zen Naples"),
        ("7", "2") => Some("Zen 2 Rome"),
        ("7", "3") if number.ends_with('x') => Some("Zen 3 Milan-X"),
        ("7", "3") => Some("Zen 3 Milan"),
        ("9", "4") if core.get(1..2)? == "7" => Some("Zen 4c Bergamo"),
        ("9", "4") => Some("Zen 4 Genoa"),
        ("9", "5") => Some("Zen 5 Turin"),
        _ => None,
    }
}

/// "platinum 8280", "e5-2630 v4".
fn xeon(words: &[&str]) -> Option<&'static str> {
    match words {
        ["platinum" | "gold" | "silver" | "bronze", number, ..] => scalable(number),
        [number, generation @ ..] if number.starts_with("e5-") => match generation.first() {
            None => Some("Sandy Bridge-EP"),
            Some(&"v2") => Some("Ivy Bridge-EP"),
            Some(&"v3") => Some("Haswell-EP"),
            Some(&"v4") => Some("Broadwell-EP"),
            Some(_) => None,
        },
        _ => None,
    }
}

/// The second figure of a Xeon's number is its generation: 8180, 8280, 8380, 8480+, 8592+.
fn scalable(number: &str) -> Option<&'static str> {
    match number.get(1..2)? {
        "1" => Some("Skylake-SP"),
        "2" => Some("Cascade Lake-SP"),
        "3" => Some("Ice Lake-SP"),
        "4" => Some("Sapphire Rapids"),
        "5" => Some("Emerald Rapids"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::atlas::{Atlas, cpu_name};

    #[test]
    fn numbers_give_the_families_of_the_atlas() {
        let mut known = 0;
        for row in Atlas::built_in().rows() {
            if let Some(family) = of_model(&cpu_name::plain(&row.cpu)) {
                known += 1;
                // These three are other dies under numbers of the same series.
                if !["Zen 3 Trento", "Sapphire Rapids HBM"].contains(&row.family.as_str()) {
                    assert_eq!(family, row.family, "{}", row.cpu);
                }
            }
        }
        assert!(known > 50, "{known}");
    }

    #[test]
    fn numbers_of_cpuid_give_a_family_of_the_atlas_or_none() {
        let family = |vendor: &str, family, model| {
            for_cpuid(&CpuNumbers { vendor: vendor.to_owned(), family, model })
        };
        assert_eq!(family("AuthenticAMD", 25, 17), Some("Zen 4 Genoa"));
        assert_eq!(family("GenuineIntel", 6, 85), None);
        assert_eq!(family("GenuineIntel", 25, 17), None);
    }

    #[test]
    fn names_without_a_number_have_no_family() {
        for name in ["intel xeon", "amd epyc", "amd epyc-rome", "intel xeon phi 7250", "apple m1"] {
            assert_eq!(of_model(name), None, "{name}");
        }
        assert_eq!(of_model("amd epyc 9654"), Some("Zen 4 Genoa"));
        assert_eq!(of_model("intel xeon gold 6138"), Some("Skylake-SP"));
    }
}
