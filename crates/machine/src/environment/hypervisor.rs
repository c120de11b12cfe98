//! Whether there is a hypervisor below, and which.
//!
//! Asked in the order of how sure the answer is: the CPU itself (x86; a capture keeps its answer),
//! the kernel's own Xen file, what firmware and device tree call the machine, and last the mere
//! flag that there is one.

use crate::attribute::Attributes;

/// Words in DMI's vendor and product, and the hypervisor they stand for. A virtual machine's
/// firmware is free to say something else, so no match proves nothing.
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

/// Where a capture keeps what the CPU itself said.
pub(crate) const CAPTURED: &str = "/nearfar/hypervisor";

pub(super) fn read(read: &Attributes<'_>) -> Option<String> {
    let told = if read.source.is_live() { cpuid() } else { read.text(CAPTURED) };
    if told.is_some() {
        return told;
    }
    let cpuinfo = read.text("/proc/cpuinfo").unwrap_or_default();
    let flags = cpuinfo
        .lines()
        .find_map(|line| line.strip_prefix("flags")?.split_once(':').map(|(_, flags)| flags));
    let flagged = flags.map(|flags| flags.split_whitespace().any(|flag| flag == "hypervisor"));
    // x86 kernels always pass the flag on: where it lacks, names in DMI are no more than names.
    if flagged == Some(false) {
        return None;
    }
    let named =
        xen(read).or_else(|| dmi(read)).or_else(|| device_tree(read)).or_else(|| pseries(&cpuinfo));
    named.or_else(|| (flagged == Some(true)).then_some("unknown")).map(str::to_owned)
}

/// CPUID leaf 0x40000000.
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
        Hypervisor::Unknown(..) => "unknown".to_owned(),
    })
}

#[cfg(not(target_arch = "x86_64"))]
pub(crate) fn cpuid() -> Option<String> {
    None
}

/// `/sys/hypervisor` is there in Xen's guests and in its first domain.
fn xen(read: &Attributes<'_>) -> Option<&'static str> {
    (read.text("/sys/hypervisor/type")? == "xen").then_some("Xen")
}

fn dmi(read: &Attributes<'_>) -> Option<&'static str> {
    let field = |name: &str| read.text(&format!("/sys/class/dmi/id/{name}")).unwrap_or_default();
    let names = format!("{} {}", field("sys_vendor"), field("product_name"));
    // Amazon's bare-metal machines carry the same vendor and say so in the product.
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
        _ => "unknown",
    })
}

/// POWER's pSeries platform is always a partition of a hypervisor.
fn pseries(cpuinfo: &str) -> Option<&'static str> {
    let platform =
        cpuinfo.lines().find_map(|line| line.strip_prefix("platform")?.split_once(':'))?.1.trim();
    let emulated = || cpuinfo.contains("emulated by qemu");
    (platform == "pSeries").then(|| if emulated() { "KVM" } else { "pHyp" })
}
