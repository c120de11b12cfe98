//! Detects a hypervisor.
//!
//! The sources, most reliable first: CPUID (x86; kept in captures), the kernel's Xen file, names in
//! firmware and device tree, and the CPU flag `hypervisor`.

use crate::attribute::Attributes;

/// Names in DMI's vendor and product, and their hypervisor. Firmware may use other names, so a
/// missing match proves nothing.
const DMI: [(&str, &str); 12] = [
    ("VMware", "VMware"),
    ("VirtualBox", "VirtualBox"),
    ("Virtual Machine", "Hyper-V"),
    ("Xen", "Xen"),
    ("Parallels", "Parallels"),
    ("BHYVE", "bhyve"),
    ("KVM", "KVM"),
    ("OpenStack", "KVM"),
    ("Google Compute Engine", "KVM"),
    ("Alibaba Cloud", "KVM"),
    ("Bochs", "Bochs or QEMU"),
    ("QEMU", "QEMU"),
];

/// Path of the CPUID result in a capture.
pub(crate) const CAPTURED: &str = "/nearfar/hypervisor";

/// The name of a hypervisor that does not name itself.
pub const UNKNOWN_HYPERVISOR: &str = "unknown";

/// What named a hypervisor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HypervisorSource {
    /// CPUID leaf 0x40000000, now or when the machine was captured.
    Cpuid,
    /// The kernel's Xen file.
    Xen,
    /// Vendor and product of the firmware.
    Dmi,
    /// The device tree.
    DeviceTree,
    /// The CPU's flags or platform.
    CpuInfo,
}

impl HypervisorSource {
    /// What it is: "CPUs", "DMI".
    pub const fn name(self) -> &'static str {
        match self {
            Self::Cpuid | Self::CpuInfo => "CPUs",
            Self::Xen => "sysfs",
            Self::Dmi => "DMI",
            Self::DeviceTree => "device tree",
        }
    }

    /// Where a reader finds it: "CPUID leaf 0x40000000", "/sys/class/dmi/id".
    pub const fn place(self) -> &'static str {
        match self {
            Self::Cpuid => "CPUID leaf 0x40000000",
            Self::Xen => "/sys/hypervisor/type",
            Self::Dmi => "/sys/class/dmi/id",
            Self::DeviceTree => "/proc/device-tree/hypervisor",
            Self::CpuInfo => "/proc/cpuinfo",
        }
    }
}

/// The hypervisor's name and its source.
pub(crate) fn read(read: &Attributes<'_>) -> Option<(String, HypervisorSource)> {
    let name = if read.source.is_live() { cpuid() } else { read.text(CAPTURED) };
    if let Some(name) = name {
        // KVM shows Hyper-V's leaf to guests for which QEMU turns its enlightenments on.
        let is_kvm = name == "Hyper-V" && dmi(read).is_some_and(|name| name == "QEMU");
        return Some((if is_kvm { "KVM".to_owned() } else { name }, HypervisorSource::Cpuid));
    }
    let cpuinfo = read.text("/proc/cpuinfo").unwrap_or_default();
    let flags = cpuinfo
        .lines()
        .find_map(|line| line.strip_prefix("flags")?.split_once(':').map(|(_, flags)| flags));
    let flagged = flags.map(|flags| flags.split_whitespace().any(|flag| flag == "hypervisor"));
    // x86 kernels always report the flag: without it, names in DMI are ignored.
    if flagged == Some(false) {
        return None;
    }
    let named = xen(read)
        .map(|name| (name, HypervisorSource::Xen))
        .or_else(|| Some((dmi(read)?, HypervisorSource::Dmi)))
        .or_else(|| Some((device_tree(read)?, HypervisorSource::DeviceTree)))
        .or_else(|| {
            Some((
                pseries(&cpuinfo)
                    .or_else(|| (flagged == Some(true)).then_some(UNKNOWN_HYPERVISOR))?,
                HypervisorSource::CpuInfo,
            ))
        });
    named.map(|(name, source)| (name.to_owned(), source))
}

#[cfg(target_arch = "x86_64")]
pub(crate) fn cpuid() -> Option<String> {
    use raw_cpuid::{CpuId, Hypervisor};
    Some(match CpuId::new().get_hypervisor_info()?.identify() {
        Hypervisor::KVM => "KVM".to_owned(),
        Hypervisor::Xen => "Xen".to_owned(),
        Hypervisor::VMware => "VMware".to_owned(),
        Hypervisor::HyperV => "Hyper-V".to_owned(),
        Hypervisor::QEMU => "QEMU".to_owned(),
        Hypervisor::Bhyve => "bhyve".to_owned(),
        Hypervisor::QNX => "QNX".to_owned(),
        Hypervisor::ACRN => "ACRN".to_owned(),
        Hypervisor::Unknown(..) => UNKNOWN_HYPERVISOR.to_owned(),
    })
}

#[cfg(not(target_arch = "x86_64"))]
pub(crate) fn cpuid() -> Option<String> {
    None
}

/// `/sys/hypervisor` exists in Xen's guests and in dom0.
fn xen(read: &Attributes<'_>) -> Option<&'static str> {
    (read.text("/sys/hypervisor/type")? == "xen").then_some("Xen")
}

fn dmi(read: &Attributes<'_>) -> Option<&'static str> {
    let field = |name: &str| read.text(&format!("/sys/class/dmi/id/{name}")).unwrap_or_default();
    // Clouds put their own names there; QEMU's remains as the chassis's vendor.
    let names = ["sys_vendor", "product_name", "chassis_vendor"].map(field).join(" ");
    // Amazon's bare-metal machines have the same vendor and ".metal" in the product.
    if names.contains("Amazon EC2") && !names.contains(".metal") {
        return Some("Amazon EC2");
    }
    DMI.iter().find(|(word, _)| names.contains(word)).map(|(_, hypervisor)| *hypervisor)
}

fn device_tree(read: &Attributes<'_>) -> Option<&'static str> {
    let compatible = read.text("/proc/device-tree/hypervisor/compatible")?;
    Some(match compatible.as_str() {
        text if text.contains("kvm") => "KVM",
        text if text.contains("xen") => "Xen",
        text if text.contains("vmware") => "VMware",
        _ => UNKNOWN_HYPERVISOR,
    })
}

/// POWER's pSeries platform is always a partition of a hypervisor.
fn pseries(cpuinfo: &str) -> Option<&'static str> {
    let platform =
        cpuinfo.lines().find_map(|line| line.strip_prefix("platform")?.split_once(':'))?.1.trim();
    let emulated = || cpuinfo.contains("emulated by qemu");
    (platform == "pSeries").then(|| if emulated() { "KVM" } else { "pHyp" })
}
