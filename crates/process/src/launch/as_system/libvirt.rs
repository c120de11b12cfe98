//! libvirt: `<vcpu>`, `<cputune>` and `<numatune>` of a domain (formatdomain.html#cpu-tuning,
//! #numa-node-tuning).

use nearfar_model::CpuSet;
use nearfar_place::Policy;

use super::{SnippetsAndCaveats, TranslationInput, part};

pub(super) fn translate(asked: &TranslationInput<'_>) -> SnippetsAndCaveats {
    let mut lines = Vec::new();
    let mut caveats = Vec::new();
    if let Some(cpus) = asked.cpus {
        lines.extend(pinning(cpus));
        caveats
            .push("One vCPU for each CPU: leave lines out where the guest has fewer.".to_owned());
    }
    if let (Some(mode), Some(nodes)) = (mode(asked), &asked.nodes) {
        lines.push("<numatune>".to_owned());
        lines.push(format!("  <memory mode='{mode}' nodeset='{nodes}'/>"));
        lines.push("</numatune>".to_owned());
    }
    match asked.policy {
        Some(Policy::PreferredMany(_)) => {
            caveats.push(
                "Several nodes with mode='preferred' need Linux 5.15, and a libvirt that knows of \
                 it."
                .to_owned(),
            );
        }
        Some(Policy::WeightedInterleave(_)) => {
            caveats.push("libvirt knows no weights: the pages are spread evenly.".to_owned());
        }
        Some(Policy::Local | Policy::Default) => {
            caveats.push("Local is what libvirt does without <numatune>.".to_owned());
        }
        _ => {}
    }
    if asked.balancing {
        caveats.push(
            "libvirt knows no balancing; the kernel does not move pages of a strictly bound guest."
                .to_owned(),
        );
    }
    if asked.command.is_some() {
        caveats
            .push("The program's name has no place here: what is placed is the guest.".to_owned());
    }
    (vec![part("the domain's XML (virsh edit)", lines.join("\n"))], caveats)
}

fn pinning(cpus: &CpuSet) -> Vec<String> {
    let pins = cpus
        .iter()
        .enumerate()
        .map(|(vcpu, cpu)| format!("  <vcpupin vcpu='{vcpu}' cpuset='{cpu}'/>"));
    let mut lines = vec![
        format!("<vcpu placement='static' cpuset='{cpus}'>{}</vcpu>", cpus.len()),
        "<cputune>".to_owned(),
    ];
    lines.extend(pins);
    lines.push(format!("  <emulatorpin cpuset='{cpus}'/>"));
    lines.push("</cputune>".to_owned());
    lines
}

fn mode(asked: &TranslationInput<'_>) -> Option<&'static str> {
    match asked.policy? {
        Policy::Bind(_) => Some("strict"),
        Policy::Preferred(_) | Policy::PreferredMany(_) => Some("preferred"),
        Policy::Interleave(_) | Policy::WeightedInterleave(_) => Some("interleave"),
        Policy::Default | Policy::Local => None,
    }
}
