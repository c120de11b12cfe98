//! What the figures mean for somebody who places programs: sentences, each with the number that backs it.

use nearfar_infer::Numa;

use crate::{Hidden, PageSize, Survey, core_walk};

/// Nobody reads more,
const MOST_SENTENCES: usize = 8;
/// or more of them on tables.
const MOST_CLAIMS: usize = 4;

/// The sentences, the most useful first.
pub(crate) fn sentences(survey: &Survey) -> Vec<String> {
    let mut sentences = Vec::new();
    sentences.extend(one_node(survey));
    sentences.extend(wrong_claims(survey));
    sentences.extend(survey.hidden.as_ref().and_then(Hidden::sentence));
    sentences.extend(survey.page_size.as_ref().and_then(PageSize::sentence));
    sentences.extend(core_walk::sentence(survey));
    sentences.truncate(MOST_SENTENCES);
    sentences
}

/// What firmware says and is not so, the strongest first.
fn wrong_claims(survey: &Survey) -> impl Iterator<Item = String> + '_ {
    let findings = survey.claims_vs_measured.iter().flat_map(crate::ClaimsMeasured::findings);
    findings.take(MOST_CLAIMS).map(str::to_owned)
}

/// Where memory is NUMA, programs that fit into one node belong on one.
fn one_node(survey: &Survey) -> Option<String> {
    let sizes = survey.claims.nodes.iter().filter(|node| !node.cpus.is_empty()).filter_map(|node| node.memory_bytes);
    let smallest = sizes.filter(|size| size.0 > 0).min()?;
    let [low, high] = survey.verdict.ci95?;
    (survey.verdict.numa == Numa::Yes && survey.machine.nodes > 1).then(|| {
        format!(
            "A program that fits into {smallest} belongs on the CPUs and memory of one node: spread carelessly, its farthest accesses cost {:.0} to {:.0} % more.",
            low * 100.0,
            high * 100.0
        )
    })
}
