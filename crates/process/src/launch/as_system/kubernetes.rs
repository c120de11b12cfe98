//! Kubernetes: a pod cannot name CPUs or nodes. It can ask for whole CPUs, and the kubelet's
//! managers (CPU, memory, topology) then keep CPUs and memory of such pods on one node, or on as
//! few as possible.

use nearfar_place::Policy;

use super::{ConfigSnippet, SnippetsAndCaveats, TranslationInput, part};

pub(super) fn translate(asked: &TranslationInput<'_>) -> SnippetsAndCaveats {
    let several = asked.nodes.as_ref().is_some_and(|nodes| nodes.len() > 1);
    let mut caveats = vec![
        "Kubernetes names neither CPUs nor nodes: the kubelet chooses them, and keeps CPUs and \
         memory together."
            .to_owned(),
        "reservedMemory must equal kubeReserved + systemReserved + the eviction threshold of \
         memory, and the kubelet's CPU manager state is removed when its policy changes."
            .to_owned(),
    ];
    match asked.policy {
        None | Some(Policy::Bind(_)) if !asked.balancing => {}
        _ => caveats.push(format!(
            "Only binding can be had so; for this policy start the program as 'nearfar run {}' \
             with SYS_NICE in its securityContext.",
            asked.policy_option
        )),
    }
    (vec![kubelet(several), pod(asked)], caveats)
}

fn kubelet(several: bool) -> ConfigSnippet {
    let topology = if several { "restricted" } else { "single-numa-node" };
    let text = format!(
        "cpuManagerPolicy: static\nmemoryManagerPolicy: Static\ntopologyManagerPolicy: \
         {topology}\ntopologyManagerScope: pod\nreservedSystemCPUs: \"0\"\nreservedMemory:\n- \
         numaNode: 0\n  limits:\n    memory: 1Gi"
    );
    part("the kubelet's configuration", text)
}

fn pod(asked: &TranslationInput<'_>) -> ConfigSnippet {
    let cpus = asked.cpus.map_or(1, nearfar_model::CpuSet::len);
    let text = format!(
        "resources:\n  requests: {{cpu: \"{cpus}\", memory: 8Gi}}\n  limits: {{cpu: \"{cpus}\", \
         memory: 8Gi}}"
    );
    part("the container in the pod: whole CPUs, requests equal to limits, memory as it needs", text)
}
