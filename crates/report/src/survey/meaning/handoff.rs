//! Threads that share cache lines.

use nearfar_infer::core_to_core::SharedLevel;
use nearfar_survey::{CoreToCore, FoundGroup, Survey};

/// The least ratio of far to near pairs that recommends moving threads (20 %).
const WORTH_MOVING: f64 = 1.2;
/// The least support of a group that is recommended.
const SUPPORT: f64 = 0.9;

/// Run them within one group.
pub(super) fn sentence(survey: &Survey) -> Option<String> {
    let pairs = survey.core_to_core.as_ref()?;
    let (shares, cpus) = group(pairs)?;
    let near = pairs.classes.iter().find(|class| class.shares == shares)?.median_ns;
    let far = pairs.classes.last()?.median_ns;
    (far >= WORTH_MOVING * near).then(|| {
        format!(
            "Run threads that share data in one {}: 'nearfar run -C {cpus} PROGRAM'. A handoff \
             takes {near:.0} ns within it, {far:.0} ns across the machine.",
            shares.name()
        )
    })
}

/// The smallest group of several cores that the costs show.
fn group(pairs: &CoreToCore) -> Option<(SharedLevel, String)> {
    let found = &pairs.structure;
    let kinds =
        [(SharedLevel::CacheGroup, &found.cache_groups), (SharedLevel::Package, &found.packages)];
    let first = |(shares, groups): (SharedLevel, &Vec<FoundGroup>)| match &groups[..] {
        [first, _, ..] if first.support >= SUPPORT => Some((shares, first.cpus.to_string())),
        _ => None,
    };
    kinds.into_iter().find_map(first)
}
