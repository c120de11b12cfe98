//! The names of GPUs and copies.

use nearfar_model::Bytes;
use nearfar_survey::{Gpu, GpuCopy, GpuFacts};

use nearfar_view::text::paragraph;

/// Each GPU with what kernel and driver claim, and the driver.
pub(super) fn gpus(gpu: &Gpu) -> String {
    let mut text: String = gpu.gpus.iter().map(facts).collect();
    let driver = &gpu.driver;
    text += &paragraph::of(
        &format!(
            "{} {} by {}, loaded by {}.",
            driver.interface, driver.version, driver.library, driver.helper
        ),
        "",
        "  ",
    );
    text
}

fn facts(gpu: &GpuFacts) -> String {
    let mut facts = vec![gpu.name.clone()];
    facts.extend(gpu.address.clone().filter(|address| *address != gpu.label));
    facts.push(Bytes(gpu.memory_bytes).to_string());
    facts.push(match gpu.kernel_node {
        Some(node) => format!("sysfs: node {node}"),
        None => "sysfs: no node".to_owned(),
    });
    facts.extend(gpu.driver_node.map(|node| match node {
        0.. => format!("driver: node {node}"),
        _ => "driver: no node".to_owned(),
    }));
    if gpu.is_mig {
        facts.push("a slice (MIG): others share its link".to_owned());
    }
    paragraph::facts(&facts, &format!("{}: ", gpu.label), "  ")
}

/// "GPU0", "GPU0 + GPU1 at once".
pub(super) fn together(copy: &GpuCopy) -> String {
    match &copy.gpus[..] {
        [one] => one.clone(),
        several => format!("{} at once", several.join(" + ")),
    }
}

/// "to GPU, pinned, 256 MiB".
pub(super) fn kind(copy: &GpuCopy) -> String {
    let direction = match copy.direction.as_str() {
        "to-device" => "to GPU",
        "from-device" => "from GPU",
        "both" => "both ways",
        other => other,
    };
    let memory = copy.memory.as_ref().map_or_else(String::new, |memory| format!(", {memory}"));
    format!("{direction}{memory}, {}", Bytes(copy.size_bytes))
}

/// "GPU0, to GPU, pinned, 256 MiB".
pub(super) fn copy(copy: &GpuCopy) -> String {
    let peer = copy.peer.as_ref().map_or_else(String::new, |peer| format!(" to {peer}"));
    format!("{}{peer}, {}", together(copy), kind(copy))
}
