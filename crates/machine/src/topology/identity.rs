//! What the machine is called: kernel, architecture, CPU model, product.

mod arm_part;

use serde::Serialize;

use crate::attribute::Attributes;

/// Names, as far as they are told.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Identity {
    /// The CPU model: "AMD EPYC 9354 32-Core Processor", "Neoverse-N1".
    pub model: Option<String>,
    /// The computer: vendor and product from DMI, else the device tree's model.
    pub product: Option<String>,
    /// The architecture in the kernel's words: "x86_64", "aarch64", "riscv64".
    pub arch: Option<String>,
    /// The kernel's release: "6.1.0-28-amd64".
    pub kernel: Option<String>,
}

/// Reads the names.
pub(super) fn read(read: &Attributes<'_>) -> Identity {
    let cpuinfo = CpuInfo(read.text("/proc/cpuinfo").unwrap_or_default());
    Identity {
        model: cpuinfo.model().or_else(|| device_tree_model(read)),
        product: product(read).or_else(|| device_tree_model(read)),
        arch: arch(read, &cpuinfo),
        kernel: kernel(read),
    }
}

fn kernel(read: &Attributes<'_>) -> Option<String> {
    let version = || read.text("/proc/version")?.split_whitespace().nth(2).map(str::to_owned);
    read.text("/proc/sys/kernel/osrelease").or_else(version)
}

fn product(read: &Attributes<'_>) -> Option<String> {
    let field = |name: &str| {
        ["/sys/class/dmi/id", "/sys/devices/virtual/dmi/id"]
            .iter()
            .find_map(|folder| read.text(&format!("{folder}/{name}")))
    };
    match (field("sys_vendor"), field("product_name")) {
        // Some vendors repeat themselves: "HP" and "HP EliteBook".
        (Some(vendor), Some(name)) if !name.to_lowercase().starts_with(&vendor.to_lowercase()) => {
            Some(format!("{vendor} {name}"))
        }
        (vendor, name) => name.or(vendor),
    }
}

fn device_tree_model(read: &Attributes<'_>) -> Option<String> {
    ["/proc/device-tree/model", "/sys/firmware/devicetree/base/model"].iter().find_map(|path| read.text(path))
}

/// The kernel's own word (Linux 6.1 and later, or when live), else what the keys of `/proc/cpuinfo` give away.
fn arch(read: &Attributes<'_>, cpuinfo: &CpuInfo) -> Option<String> {
    if let Some(told) = read.text("/proc/sys/kernel/arch") {
        return Some(told);
    }
    if read.source.is_live() {
        return Some(std::env::consts::ARCH.to_owned());
    }
    let long_mode = || cpuinfo.get("flags")?.split(' ').any(|flag| flag == "lm").then_some("x86_64");
    let arm = || cpuinfo.get("CPU implementer").map(|_| "aarch64");
    let riscv = || cpuinfo.get("isa").map(|isa| if isa.starts_with("rv32") { "riscv32" } else { "riscv64" });
    let itanium = || (cpuinfo.get("arch")? == "IA-64").then_some("ia64");
    let power = || cpuinfo.get("cpu").filter(|cpu| cpu.starts_with("POWER")).map(|_| "ppc64");
    long_mode().or_else(arm).or_else(riscv).or_else(itanium).or_else(power).map(str::to_owned)
}

/// The text of `/proc/cpuinfo`: blocks of `key : value`, one block a CPU.
struct CpuInfo(String);

impl CpuInfo {
    /// The first value of a key.
    fn get(&self, key: &str) -> Option<&str> {
        self.0.lines().find_map(|line| {
            let (name, value) = line.split_once(':')?;
            (name.trim() == key && !value.trim().is_empty()).then_some(value.trim())
        })
    }

    /// Each architecture has its own key for the model: x86, MIPS and LoongArch, POWER, RISC-V, Itanium.
    fn model(&self) -> Option<String> {
        let named = ["model name", "cpu model", "Model Name", "cpu", "uarch", "family"];
        let named =
            named.iter().find_map(|key| self.get(key)).filter(|name| name.bytes().any(|b| b.is_ascii_alphabetic()));
        let squeezed = named.map(|name| name.split_whitespace().collect::<Vec<_>>().join(" "));
        squeezed.or_else(|| self.arm_parts())
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

    fn of(files: &[(&str, &str)]) -> Identity {
        read(&Attributes::new(&Source::from_files(files.iter().copied())))
    }

    fn told(cpuinfo: &str) -> (Option<String>, Option<String>) {
        let identity = of(&[("/proc/cpuinfo", cpuinfo)]);
        (identity.model, identity.arch)
    }

    fn pair(model: &str, arch: &str) -> (Option<String>, Option<String>) {
        (Some(model.to_owned()), Some(arch.to_owned()))
    }

    #[test]
    fn each_architecture_tells_its_model_in_its_own_way() {
        let x86 = "model\t\t: 17\nmodel name\t: AMD EPYC  9354\nflags\t: fpu lm sse2\n";
        assert_eq!(told(x86), pair("AMD EPYC 9354", "x86_64"));
        let arm = "CPU implementer\t: 0x41\nCPU part\t: 0xd87\n\nCPU implementer\t: 0x41\nCPU part\t: 0xd85\n";
        assert_eq!(told(arm), pair("Cortex-A725 and Cortex-X925", "aarch64"));
        assert_eq!(told("cpu\t: POWER7 (architected)\n"), pair("POWER7 (architected)", "ppc64"));
        assert_eq!(told("isa : rv64imafdcv\nuarch : thead,c920\n"), pair("thead,c920", "riscv64"));
        assert_eq!(told("arch : IA-64\nfamily : Itanium 2\n"), pair("Itanium 2", "ia64"));
        assert_eq!(told("family : 6\n"), (None, None));
    }

    #[test]
    fn vendors_that_repeat_themselves_are_named_once() {
        let product = |vendor, name| {
            of(&[("/sys/class/dmi/id/sys_vendor", vendor), ("/sys/class/dmi/id/product_name", name)]).product
        };
        assert_eq!(product("HP", "HP EliteBook").as_deref(), Some("HP EliteBook"));
        assert_eq!(product("QEMU", "Standard PC").as_deref(), Some("QEMU Standard PC"));
        assert_eq!(product("", "").as_deref(), None);
    }

    #[test]
    fn the_kernel_release_stands_third_in_its_version() {
        assert_eq!(
            of(&[("/proc/version", "Linux version 6.1.0-13-amd64 (debian)")]).kernel.as_deref(),
            Some("6.1.0-13-amd64")
        );
    }
}
