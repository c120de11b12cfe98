//! Slurm: `--cpu-bind` and `--mem-bind` of srun(1). Both take masks in hexadecimal; memory knows
//! bind, prefer and local.

use nearfar_model::{Id, IdSet};
use nearfar_place::Policy;

use super::{TranslationInput, TranslationResult, part};

pub(super) fn translate(asked: &TranslationInput<'_>) -> TranslationResult {
    let mut options = Vec::new();
    let mut caveats = vec![
        "The node must run the task plugins affinity or cgroup, and the job must be given these \
         CPUs: --exclusive makes sure."
            .to_owned(),
    ];
    if let Some(cpus) = asked.cpus {
        options.push(format!("--cpu-bind=mask_cpu:{}", mask(cpus)));
    }
    let mut program = asked.command("PROGRAM").shell()?;
    match (asked.policy, &asked.nodes) {
        (Some(Policy::Bind(_)), Some(nodes)) if !asked.balancing => {
            options.push(format!("--mem-bind=mask_mem:{}", mask(nodes)));
        }
        (Some(Policy::Preferred(_)), Some(nodes)) => {
            options.push(format!("--mem-bind=prefer,mask_mem:{}", mask(nodes)));
        }
        (Some(Policy::Local | Policy::Default), _) => options.push("--mem-bind=local".to_owned()),
        (Some(_), _) => {
            options.push("--mem-bind=none".to_owned());
            program = format!("nearfar run {} {program}", asked.policy_option);
            caveats.push(
                "srun knows no such policy (it has bind, prefer, local), so nearfar sets it."
                    .to_owned(),
            );
        }
        (None, _) => {}
    }
    let options = options.iter().map(|option| format!("{option} ")).collect::<String>();
    Ok((vec![part("the command line", format!("srun --exclusive {options}{program}"))], caveats))
}

/// One number in hexadecimal, as srun takes it.
fn mask<T: Id>(set: &IdSet<T>) -> String {
    let digits = set.to_mask().replace(',', "");
    let digits = digits.trim_start_matches('0');
    format!("0x{}", if digits.is_empty() { "0" } else { digits })
}
