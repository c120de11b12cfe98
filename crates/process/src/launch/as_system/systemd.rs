//! systemd: `CPUAffinity=`, `NUMAPolicy=` and `NUMAMask=` of systemd.exec(5), `AllowedCPUs=` and
//! `AllowedMemoryNodes=` of systemd.resource-control(5).

use nearfar_place::Policy;

use super::{ConfigSnippet, TranslationInput, TranslationResult, part};

/// The policies that a version of systemd has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Policies {
    /// default, preferred, bind, interleave, local.
    Old,
    /// Also preferred-many and weighted-interleave.
    All,
}

pub(super) fn translate(asked: &TranslationInput<'_>, policies: Policies) -> TranslationResult {
    let (properties, mut caveats) = properties(asked, policies);
    let wrapped = asked.policy.is_some() && native(asked, policies).is_none();
    let program = asked.command("/path/to/program");
    let program = if wrapped { program.started_by(asked.starter()) } else { program };
    let mut service = properties.clone();
    if wrapped || asked.command.is_some() {
        service.push(format!("ExecStart={}", program.systemd_unit()?));
    }
    let flags: Vec<String> = properties.iter().map(|property| format!("-p {property} ")).collect();
    let parts: Vec<ConfigSnippet> = vec![
        part("the unit's file", format!("[Service]\n{}", service.join("\n"))),
        part(
            "a command line that runs it once",
            format!("systemd-run --pty {}{}", flags.concat(), program.systemd_run()?),
        ),
    ];
    if asked.balancing {
        caveats.push(
            "systemd has no --balancing; the kernel does not move pages of a bound program."
                .to_owned(),
        );
    }
    Ok((parts, caveats))
}

fn properties(asked: &TranslationInput<'_>, policies: Policies) -> (Vec<String>, Vec<String>) {
    let mut properties = Vec::new();
    let mut caveats = Vec::new();
    if let Some(cpus) = asked.cpus {
        properties.push(format!("CPUAffinity={cpus}"));
        caveats.push(format!(
            "The program may change its CPUAffinity itself; AllowedCPUs={cpus} (a cpuset, cgroup \
             v2) holds it there."
        ));
    }
    if let Some(policy) = native(asked, policies) {
        properties.push(format!("NUMAPolicy={policy}"));
        properties.extend(asked.nodes.as_ref().map(|nodes| format!("NUMAMask={nodes}")));
    } else if asked.policy.is_some() {
        caveats.push(
            "systemd before version 262 has no such policy, so nearfar sets it. For later ones: \
             --as systemd-262."
                .to_owned(),
        );
    }
    if let (Some(Policy::Bind(_)), Some(nodes)) = (asked.policy, &asked.nodes) {
        caveats.push(format!(
            "AllowedMemoryNodes={nodes} also limits memory for which the program itself sets \
             another policy."
        ));
    }
    (properties, caveats)
}

/// What systemd calls the policy, where it has it.
fn native(asked: &TranslationInput<'_>, policies: Policies) -> Option<&'static str> {
    match asked.policy? {
        Policy::Default => Some("default"),
        Policy::Local => Some("local"),
        Policy::Preferred(_) => Some("preferred"),
        Policy::Bind(_) => Some("bind"),
        Policy::Interleave(_) => Some("interleave"),
        Policy::PreferredMany(_) | Policy::WeightedInterleave(_) if policies == Policies::Old => {
            None
        }
        Policy::PreferredMany(_) => Some("preferred-many"),
        Policy::WeightedInterleave(_) => Some("weighted-interleave"),
    }
}
