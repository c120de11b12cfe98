//! Docker and Podman: `--cpuset-cpus` and `--cpuset-mems` of `run`. A cpuset limits from which
//! nodes memory may come, and nothing about the order, so every policy but bind is set inside the
//! container.

use nearfar_place::Policy;

use super::{TranslationInput, TranslationResult, part};

pub(super) fn translate(asked: &TranslationInput<'_>) -> TranslationResult {
    let mut flags = Vec::new();
    let mut caveats = Vec::new();
    flags.extend(asked.cpus.map(|cpus| format!("--cpuset-cpus={cpus}")));
    let bound = matches!(asked.policy, Some(Policy::Bind(_)));
    if let (true, Some(nodes)) = (bound, &asked.nodes) {
        flags.push(format!("--cpuset-mems={nodes}"));
    }
    let inside = asked.policy.is_some() && (!bound || asked.balancing);
    let mut program = asked.command("PROGRAM").shell()?;
    if inside {
        flags.push("--cap-add=SYS_NICE".to_owned());
        program = format!("nearfar run {} {program}", asked.policy_option);
        caveats.push(
            "A cpuset knows no policy, so nearfar sets it inside: the image needs nearfar, and \
             the default seccomp profile lets set_mempolicy through with SYS_NICE only."
                .to_owned(),
        );
    }
    if bound {
        caveats.push(
            "When these nodes are full, the container's programs are killed, though other nodes \
             have memory."
                .to_owned(),
        );
    }
    let flags = flags.iter().map(|flag| format!("{flag} ")).collect::<String>();
    Ok((vec![part("the command line", format!("docker run {flags}IMAGE {program}"))], caveats))
}
