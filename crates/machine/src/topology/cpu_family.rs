//! Vendor, family and model of x86 CPUs, as CPUID numbers them.

use super::identity::CpuInfo;
use crate::attribute::Attributes;
use crate::source::Source;

/// What other programs call an x86 CPU by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CpuFamily {
    /// CPUID's name of the vendor: "GenuineIntel", "AuthenticAMD".
    pub vendor: String,
    /// The family, its extension added: 6, 25.
    pub family: u32,
    /// The model, its extension added.
    pub model: u32,
}

impl CpuFamily {
    /// Reads `/proc/cpuinfo`; `None` on other architectures.
    pub fn read(source: &Source) -> Option<Self> {
        let cpuinfo = CpuInfo(Attributes::new(source).text("/proc/cpuinfo")?);
        Some(Self {
            vendor: cpuinfo.get("vendor_id")?.to_owned(),
            family: cpuinfo.get("cpu family")?.parse().ok()?,
            model: cpuinfo.get("model")?.parse().ok()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_x86_has_a_family() {
        let family = |text: &str| CpuFamily::read(&Source::from_files([("/proc/cpuinfo", text)]));
        let amd = "processor\t: 0\nvendor_id\t: AuthenticAMD\ncpu family\t: 25\nmodel\t\t: 1\n\
                   model name\t: AMD EPYC 7763\n";
        let expected = CpuFamily { vendor: "AuthenticAMD".to_owned(), family: 25, model: 1 };
        assert_eq!(family(amd), Some(expected));
        assert_eq!(family("processor\t: 0\nCPU implementer\t: 0x41\n"), None);
    }
}
