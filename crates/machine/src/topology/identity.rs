//! Names of the machine: kernel, architecture, CPU model, product.

mod arm_part;

use serde::Serialize;

use crate::attribute::Attributes;
use crate::source::Source;

const RELEASE: &str = "/proc/sys/kernel/osrelease";

/// Names of the machine, as far as known.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct MachineIdentity {
    /// The CPU model: "AMD EPYC 9354 32-Core Processor", "Neoverse-N1".
    pub model: Option<String>,
    /// The computer: vendor and product from DMI, else the device tree's model.
    pub product: Option<String>,
    /// The kernel's name of the architecture: "x86_64", "aarch64", "riscv64".
    pub arch: Option<String>,
    /// The kernel's release: "6.1.0-28-amd64".
    pub kernel: Option<String>,
}

pub(super) fn read(read: &Attributes<'_>) -> MachineIdentity {
    let cpuinfo = CpuInfo(read.text("/proc/cpuinfo").unwrap_or_default());
    MachineIdentity {
        model: cpuinfo.model().or_else(|| device_tree_model(read)),
        product: product(read).or_else(|| device_tree_model(read)),
        arch: arch(read, &cpuinfo),
        kernel: kernel(read),
    }
}

impl Source {
    /// The release of the running kernel, such as "6.12.41-amd64".
    ///
    /// # References
    ///
    /// proc_sys_kernel(5): osrelease
    pub fn kernel_release(&self) -> Option<String> {
        self.text(RELEASE)
    }
}

fn kernel(read: &Attributes<'_>) -> Option<String> {
    let version = || read.text("/proc/version")?.split_whitespace().nth(2).map(str::to_owned);
    read.text(RELEASE).or_else(version)
}

fn product(read: &Attributes<'_>) -> Option<String> {
    let field = |name: &str| {
        ["/sys/class/dmi/id", "/sys/devices/virtual/dmi/id"]
            .iter()
            .find_map(|folder| read.text(&format!("{folder}/{name}")))
    };
    match (field("sys_vendor"), field("product_name")) {
        // Some vendors are repeated in the name: "HP" and "HP EliteBook".
        (Some(vendor), Some(name)) if !name.to_lowercase().starts_with(&vendor.to_lowercase()) => {
            Some(format!("{vendor} {name}"))
        }
        (vendor, name) => name.or(vendor),
    }
}

fn device_tree_model(read: &Attributes<'_>) -> Option<String> {
    ["/proc/device-tree/model", "/sys/firmware/devicetree/base/model"]
        .iter()
        .find_map(|path| read.text(path))
}

/// The kernel's own name (Linux 6.1 and later), else derived from keys of `/proc/cpuinfo`, or the
/// program's own target when live.
fn arch(read: &Attributes<'_>, cpuinfo: &CpuInfo) -> Option<String> {
    if let Some(name) = read.text("/proc/sys/kernel/arch") {
        return Some(name);
    }
    if read.source.is_live() {
        return cpuinfo.arm().or_else(|| Some(compiled_for().to_owned()));
    }
    let long_mode =
        || cpuinfo.get("flags")?.split(' ').any(|flag| flag == "lm").then_some("x86_64");
    let riscv = || {
        cpuinfo.get("isa").map(|isa| if isa.starts_with("rv32") { "riscv32" } else { "riscv64" })
    };
    let itanium = || (cpuinfo.get("arch")? == "IA-64").then_some("ia64");
    let power = || {
        cpuinfo.get("cpu").filter(|cpu| cpu.starts_with("POWER")).and_then(|cpu| power(read, cpu))
    };
    let name = long_mode().or_else(riscv).or_else(itanium).or_else(power).map(str::to_owned);
    name.or_else(|| cpuinfo.arm())
}

/// The kernel's name of this program's target.
fn compiled_for() -> &'static str {
    match std::env::consts::ARCH {
        "powerpc64" if cfg!(target_endian = "little") => "ppc64le",
        "powerpc64" => "ppc64",
        "x86" => "i686",
        other => other,
    }
}

/// POWER has both byte orders: from the kernel's file, or its release; up to POWER7 Linux is
/// big-endian.
fn power(read: &Attributes<'_>, cpu: &str) -> Option<&'static str> {
    let order = read.text("/sys/kernel/cpu_byteorder");
    let release = kernel(read).unwrap_or_default();
    let number: String =
        cpu.trim_start_matches("POWER").chars().take_while(char::is_ascii_digit).collect();
    match order.as_deref() {
        Some("little") => Some("ppc64le"),
        Some("big") => Some("ppc64"),
        _ if release.contains("ppc64le") || release.contains("powerpc64le") => Some("ppc64le"),
        _ if release.contains("ppc64") || release.contains("powerpc64") => Some("ppc64"),
        _ => number.parse().is_ok_and(|number: u32| number <= 7).then_some("ppc64"),
    }
}

/// The text of `/proc/cpuinfo`: one block of `key : value` per CPU.
pub(super) struct CpuInfo(pub(super) String);

impl CpuInfo {
    /// The first value of a key.
    pub(super) fn get(&self, key: &str) -> Option<&str> {
        self.0.lines().find_map(|line| {
            let (name, value) = line.split_once(':')?;
            (name.trim() == key && !value.trim().is_empty()).then_some(value.trim())
        })
    }

    /// Each architecture has its own key for the model: x86, MIPS and LoongArch, POWER, RISC-V,
    /// Itanium.
    fn model(&self) -> Option<String> {
        let named = ["model name", "cpu model", "Model Name", "cpu", "uarch", "family"];
        let named = named
            .iter()
            .find_map(|key| self.get(key))
            .filter(|name| name.bytes().any(|b| b.is_ascii_alphabetic()));
        let squeezed = named.map(|name| name.split_whitespace().collect::<Vec<_>>().join(" "));
        squeezed.or_else(|| self.arm_parts())
    }

    /// 32-bit kernels have the architecture in brackets: "ARMv7 Processor rev 4 (v7l)".
    fn arm(&self) -> Option<String> {
        self.get("CPU implementer")?;
        let named = ["model name", "Processor"].iter().filter_map(|key| self.get(key));
        let bracketed = named.filter_map(|name| name.rsplit_once('(')?.1.strip_suffix(')'));
        let is_word = |word: &&str| {
            word.starts_with('v') && word[1..].starts_with(|letter: char| letter.is_ascii_digit())
        };
        if let Some(word) = bracketed.into_iter().find(is_word) {
            return Some(format!("arm{word}"));
        }
        let version = self.get("CPU architecture").unwrap_or("8");
        let digits: String = version.chars().take_while(char::is_ascii_digit).collect();
        Some(match digits.parse() {
            Ok(old @ 0..8u32) => format!("armv{old}l"),
            _ => "aarch64".to_owned(),
        })
    }

    /// Arm machines may have cores of several kinds: "Cortex-X925 and Cortex-A725".
    fn arm_parts(&self) -> Option<String> {
        let implementer = self.get("CPU implementer")?;
        let mut names: Vec<String> = Vec::new();
        for line in self.0.lines().filter(|line| line.starts_with("CPU part")) {
            let name = arm_part::name(implementer, line.split_once(':')?.1.trim());
            if !names.contains(&name) {
                names.push(name);
            }
        }
        (!names.is_empty()).then(|| names.join(" and "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Source;

    fn of(files: &[(&str, &str)]) -> MachineIdentity {
        read(&Attributes::new(&Source::from_files(files.iter().copied())))
    }

    fn model_and_arch(cpuinfo: &str) -> (Option<String>, Option<String>) {
        let identity = of(&[("/proc/cpuinfo", cpuinfo)]);
        (identity.model, identity.arch)
    }

    fn pair(model: &str, arch: &str) -> (Option<String>, Option<String>) {
        (Some(model.to_owned()), Some(arch.to_owned()))
    }

    #[test]
    fn models_of_all_architectures_are_parsed() {
        let x86 = "model\t\t: 17\nmodel name\t: AMD EPYC  9354\nflags\t: fpu lm sse2\n";
        assert_eq!(model_and_arch(x86), pair("AMD EPYC 9354", "x86_64"));
        let arm = "CPU implementer\t: 0x41\nCPU part\t: 0xd87\n\nCPU implementer\t: 0x41\nCPU \
                   part\t: 0xd85\n";
        assert_eq!(model_and_arch(arm), pair("Cortex-A725 and Cortex-X925", "aarch64"));
        let arm = "model name : ARMv7 Processor rev 4 (v7l)\nCPU implementer : 0x41\nCPU \
                   architecture: 7\nCPU part : 0xd03\n";
        assert_eq!(model_and_arch(arm), pair("ARMv7 Processor rev 4 (v7l)", "armv7l"));
        assert_eq!(
            model_and_arch("CPU implementer : 0x41\nCPU architecture: 7\n").1.as_deref(),
            Some("armv7l")
        );
        assert_eq!(
            model_and_arch("CPU implementer : 0x41\nCPU architecture: AArch64\n").1.as_deref(),
            Some("aarch64")
        );
        assert_eq!(
            model_and_arch("cpu\t: POWER7 (architected)\n"),
            pair("POWER7 (architected)", "ppc64")
        );
        let power9 = |files: &[(&str, &str)]| {
            let cpuinfo = [("/proc/cpuinfo", "cpu : POWER9, altivec supported\n")];
            of(&[&cpuinfo[..], files].concat()).arch
        };
        let release = "Linux version 4.18.0-80.el8.ppc64le (mockbuild)";
        assert_eq!(power9(&[("/proc/version", release)]).as_deref(), Some("ppc64le"));
        assert_eq!(power9(&[("/sys/kernel/cpu_byteorder", "little")]).as_deref(), Some("ppc64le"));
        assert_eq!(power9(&[("/sys/kernel/cpu_byteorder", "big")]).as_deref(), Some("ppc64"));
        assert_eq!(power9(&[]), None);
        assert_eq!(
            model_and_arch("isa : rv64imafdcv\nuarch : thead,c920\n"),
            pair("thead,c920", "riscv64")
        );
        assert_eq!(model_and_arch("arch : IA-64\nfamily : Itanium 2\n"), pair("Itanium 2", "ia64"));
        assert_eq!(model_and_arch("family : 6\n"), (None, None));
    }

    #[test]
    fn vendors_that_repeat_themselves_are_named_once() {
        let product = |vendor, name| {
            of(&[
                ("/sys/class/dmi/id/sys_vendor", vendor),
                ("/sys/class/dmi/id/product_name", name),
            ])
            .product
        };
        assert_eq!(product("HP", "HP EliteBook").as_deref(), Some("HP EliteBook"));
        assert_eq!(product("QEMU", "Standard PC").as_deref(), Some("QEMU Standard PC"));
        assert_eq!(product("", "").as_deref(), None);
    }

    #[test]
    fn kernel_release_is_the_third_word() {
        assert_eq!(
            of(&[("/proc/version", "Linux version 6.1.0-13-amd64 (debian)")]).kernel.as_deref(),
            Some("6.1.0-13-amd64")
        );
    }
}
