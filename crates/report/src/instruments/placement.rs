//! What the places of a program and of its memory cost, in sentences: the same for disks and for
//! GPUs.

use nearfar_infer::FactorVerdict;
use nearfar_survey::{CellControl, PlacementEffect, PlacementFactor};

use crate::survey::Verbosity;
use nearfar_view::text::paragraph;
use nearfar_view::text::percent::{change, changes, share};

/// The sentence of [`phrase`].
pub(super) fn effect<A>(effect: &PlacementEffect<A>, buffer: &str, verbosity: Verbosity) -> String {
    format!("{}.", phrase(effect, buffer, verbosity))
}

/// "Program on node 1: 12.3 % slower than on node 0 (95 %: +11.0 % to +13.6 %; ...)". `buffer` is
/// the instrument's word for the memory: "Buffer".
/// The odds are evidence.
pub(super) fn phrase<A>(effect: &PlacementEffect<A>, buffer: &str, verbosity: Verbosity) -> String {
    let interval = changes(effect.ci95.map(|ratio| ratio - 1.0));
    let odds = match effect.verdict {
        FactorVerdict::Same => String::new(),
        _ if verbosity == Verbosity::Brief => String::new(),
        FactorVerdict::Slower | FactorVerdict::Faster | FactorVerdict::Undetermined => {
            format!("; {}", odds(effect))
        }
    };
    format!("{} (95 %: {interval}{odds})", without_interval(effect, buffer))
}

/// "Program on node 1: 12.3 % slower than on node 0".
pub(super) fn without_interval<A>(effect: &PlacementEffect<A>, buffer: &str) -> String {
    let what = level(effect, buffer);
    let is_interrupts = effect.factor == PlacementFactor::Interrupts;
    let than =
        if is_interrupts { effect.reference.clone() } else { format!("node {}", effect.reference) };
    let there = if is_interrupts { than.clone() } else { format!("on {than}") };
    let by = share((effect.ratio - 1.0).abs());
    match effect.verdict {
        FactorVerdict::Slower => format!("{what}: {by} slower than {there}"),
        FactorVerdict::Faster => format!("{what}: {by} faster than {there}"),
        FactorVerdict::Same => format!("{what}: no difference beyond 2 % from {than}"),
        FactorVerdict::Undetermined => {
            let by = change(effect.ratio - 1.0);
            format!("{what}: undetermined, {by} compared with {than}")
        }
    }
}

/// "Program on node 1".
pub(super) fn level<A>(effect: &PlacementEffect<A>, buffer: &str) -> String {
    match effect.factor {
        PlacementFactor::Program => format!("Program on node {}", effect.level),
        PlacementFactor::Buffer => format!("{buffer} on node {}", effect.level),
        PlacementFactor::Interrupts => format!("Interrupts {}", effect.level),
    }
}

/// "odds of a difference beyond 2 %: 30 to 1".
fn odds<A>(effect: &PlacementEffect<A>) -> String {
    let odds = effect.probability / (1.0 - effect.probability);
    let number = |odds: f64| if odds < 9.95 { format!("{odds:.1}") } else { format!("{odds:.0}") };
    let odds = match odds {
        1000.0.. => "over 1,000 to 1".to_owned(),
        1.0.. => format!("{} to 1", number(odds)),
        _ if odds > 0.001 => format!("1 to {}", number(1.0 / odds)),
        _ => "under 1 to 1,000".to_owned(),
    };
    format!("odds of a difference beyond 2 %: {odds}")
}

/// What measuring a cell twice gave; `what` names the cell.
pub(super) fn control(control: &CellControl, what: &str) -> String {
    let interval = changes(control.ci95.map(|ratio| ratio - 1.0));
    let what = format!("the same cell twice ({what}): {interval}");
    paragraph::remark(&if control.differs {
        format!("Control failed: {what}. Effects of this size mean nothing here.")
    } else {
        format!("Control: {what}.")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(
        factor: PlacementFactor,
        verdict: FactorVerdict,
        ratio: f64,
        probability: f64,
    ) -> String {
        let is_interrupts = factor == PlacementFactor::Interrupts;
        let known = PlacementEffect {
            access: (),
            factor,
            level: if is_interrupts { "far" } else { "0" }.to_owned(),
            reference: if is_interrupts { "near" } else { "1" }.to_owned(),
            ratio,
            ci95: [ratio - 0.01, ratio + 0.01],
            probability,
            verdict,
            combinations: 4,
        };
        effect(&known, "Buffer", Verbosity::Verbose)
    }

    #[test]
    fn effects_are_sentences() {
        assert_eq!(
            known(PlacementFactor::Program, FactorVerdict::Slower, 1.123, 0.9999),
            "Program on node 0: 12.3 % slower than on node 1 (95 %: +11.3 % to +13.3 %; odds of a \
             difference beyond 2 %: over 1,000 to 1)."
        );
        assert_eq!(
            known(PlacementFactor::Buffer, FactorVerdict::Same, 1.001, 0.0),
            "Buffer on node 0: no difference beyond 2 % from node 1 (95 %: -0.9 % to +1.1 %)."
        );
        assert_eq!(
            known(PlacementFactor::Interrupts, FactorVerdict::Undetermined, 1.019, 0.4),
            "Interrupts far: undetermined, +1.9 % compared with near (95 %: +0.9 % to +2.9 %; odds \
             of a difference beyond 2 %: 1 to 1.5)."
        );
        assert_eq!(
            known(PlacementFactor::Interrupts, FactorVerdict::Faster, 0.9, 0.99),
            "Interrupts far: 10.0 % faster than near (95 %: -11.0 % to -9.0 %; odds of a \
             difference beyond 2 %: 99 to 1)."
        );
    }
}
