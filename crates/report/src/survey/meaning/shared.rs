//! Memory that all CPUs use: interleaved, or on one node?

use nearfar_infer::Advice;
use nearfar_model::{NodeId, NodeSet};
use nearfar_survey::Survey;

use crate::survey::cell::GB;

/// The least gain in bandwidth that recommends interleaving (5 %).
const GAIN: f64 = 1.05;

/// By bandwidth where that was decided or left open, else by latency.
pub(super) fn sentence(survey: &Survey) -> Option<String> {
    let is_measured = survey
        .interleave
        .as_ref()
        .is_some_and(|part| !part.best.is_empty() || !part.undetermined.is_empty());
    if is_measured { best_weights(survey) } else { by_latency(survey) }
}

/// Weights that beat each node alone.
fn best_weights(survey: &Survey) -> Option<String> {
    let best = survey.interleave.as_ref()?.best.iter().find(|best| best.gain_ci95.is_some())?;
    let alone = best.one_node_bytes_per_s.filter(|alone| best.bytes_per_s > GAIN * alone)?;
    let set_by = best
        .set_by
        .as_ref()
        .map_or_else(String::new, |command| format!("'{command}' (as root), then "));
    Some(format!(
        "Memory interleaved with the weights {} reaches {:.1} GB/s ({}), the best node alone \
         {:.1}: {set_by}'{}'.",
        best.weights,
        best.bytes_per_s / GB,
        best.kernel,
        alone / GB,
        best.run_by
    ))
}

fn by_latency(survey: &Survey) -> Option<String> {
    survey.advice.iter().find_map(|advice| match advice {
        Advice::Interleaved { nodes, largest } => {
            let set: NodeSet = nodes.iter().copied().map(NodeId).collect();
            Some(format!(
                "Interleave memory that all CPUs use: 'nearfar run -i {set} PROGRAM'. The CPUs of \
                 each node access it in at most {:.0} ns on average. On any one node, some CPUs \
                 need {:.0} ns or more.",
                largest.near().ns(),
                largest.far().ns()
            ))
        }
        Advice::OneForAll { memory, mean, largest } => Some(format!(
            "Put memory that all CPUs use on node {memory}: 'nearfar run -m {memory} PROGRAM'. Its \
             latency is {:.0} ns on average and {:.0} ns at most, that of interleaved memory \
             {:.0} and {:.0} ns. Bandwidth was not compared.",
            mean.near().ns(),
            largest.near().ns(),
            mean.far().ns(),
            largest.far().ns()
        )),
        _ => None,
    })
}
