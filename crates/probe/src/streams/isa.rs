//! The instruction sets of the streaming loops.

use serde::{Deserialize, Serialize};

use crate::probe_error::ProbeError;

/// Instruction sets of the loops, widest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Isa {
    /// x86_64: one register per line.
    Avx512,
    /// x86_64: two registers per line.
    Avx2,
    /// x86_64: four registers per line; every such processor has it.
    Sse2,
    /// aarch64: two pairs of registers per line.
    Neon,
    /// Any processor: eight words per line, in Rust.
    Portable,
}

impl Isa {
    /// All sets, widest first.
    pub const ALL: [Self; 5] = [Self::Avx512, Self::Avx2, Self::Sse2, Self::Neon, Self::Portable];

    /// Its option name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Avx512 => "avx512",
            Self::Avx2 => "avx2",
            Self::Sse2 => "sse2",
            Self::Neon => "neon",
            Self::Portable => "portable",
        }
    }

    /// Whether this processor has it and the operating system allows it.
    pub fn is_available(self) -> bool {
        match self {
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 => std::arch::is_x86_feature_detected!("avx512f"),
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => std::arch::is_x86_feature_detected!("avx2"),
            #[cfg(target_arch = "x86_64")]
            Self::Sse2 => true,
            #[cfg(target_arch = "aarch64")]
            Self::Neon => std::arch::is_aarch64_feature_detected!("neon"),
            Self::Portable => true,
            #[allow(unreachable_patterns)] // those of other architectures
            _ => false,
        }
    }

    /// The widest available set.
    pub fn best() -> Self {
        Self::ALL.into_iter().find(|isa| isa.is_available()).unwrap_or(Self::Portable)
    }

    /// The set with this name (case-insensitive), or the widest for "auto". An error lists the
    /// available names.
    pub fn from_name(name: &str) -> Result<Self, ProbeError> {
        if name.eq_ignore_ascii_case("auto") {
            return Ok(Self::best());
        }
        let found = Self::ALL.into_iter().find(|isa| isa.name().eq_ignore_ascii_case(name));
        found
            .ok_or_else(|| ProbeError::UnknownIsa {
                name: name.to_owned(),
                here: available_names(),
            })?
            .check()
    }

    pub(crate) fn check(self) -> Result<Self, ProbeError> {
        if self.is_available() {
            Ok(self)
        } else {
            Err(ProbeError::MissingIsa { name: self.name(), here: available_names() })
        }
    }
}

fn available_names() -> String {
    Isa::ALL
        .into_iter()
        .filter(|isa| isa.is_available())
        .map(Isa::name)
        .collect::<Vec<_>>()
        .join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_set_is_the_widest_available() {
        let best = Isa::best();
        assert!(
            best.is_available()
                && Isa::ALL.into_iter().all(|isa| isa >= best || !isa.is_available())
        );
        assert_eq!(Isa::from_name("auto").unwrap(), best);
        assert_eq!(Isa::from_name("portable").unwrap(), Isa::Portable);
        assert_eq!(Isa::from_name("AUTO").unwrap(), best);
        assert_eq!(Isa::from_name("Portable").unwrap(), Isa::Portable);
        // Every architecture with its own loops has at least one set of them.
        assert_eq!(
            best == Isa::Portable,
            !cfg!(any(target_arch = "x86_64", target_arch = "aarch64"))
        );
    }

    #[test]
    fn errors_list_the_available_sets() {
        let here = available_names();
        assert_eq!(
            Isa::from_name("mmx").unwrap_err().to_string(),
            format!("unknown instruction set 'mmx': choose auto or one of {here}")
        );
        let foreign = if cfg!(target_arch = "aarch64") { "sse2" } else { "neon" };
        assert_eq!(
            Isa::from_name(foreign).unwrap_err().to_string(),
            format!("this processor has no {foreign}: choose auto or one of {here}")
        );
    }

    #[test]
    fn json_names_equal_option_names() {
        for isa in Isa::ALL {
            assert_eq!(serde_json::to_value(isa).unwrap(), isa.name());
        }
    }
}
