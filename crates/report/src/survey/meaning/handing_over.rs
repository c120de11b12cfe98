//! Threads that hand lines to each other.

use nearfar_infer::core_to_core::SharedLevel;
use nearfar_survey::{CoreToCore, FoundGroup, Survey};

/// Nearer by less than this, nobody moves threads (20 %).
const WORTH_MOVING: f64 = 1.2;
/// What costs support less is not recommended.
const SUPPORT: f64 = 0.9;

/// Where they belong.
pub(super) fn sentence(survey: &Survey) -> Option<String> {
    let pairs = survey.core_to_core.as_ref()?;
    let (shares, cpus) = group(pairs)?;
    let near = pairs.classes.iter().find(|class| class.shares == shares)?.median_ns;
    let far = pairs.classes.last()?.median_ns;
    (far >= WORTH_MOVING * near).then(|| {
        format!(
            "Threads that hand data to each other belong in one {}: {near:.0} ns within it, \
             {far:.0} ns across the machine: 'nearfar run -C {cpus} PROGRAM'.",
            shares.name()
        )
    })
}

/// The smallest group of several cores that costs tell of.
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
