//! Two sweeps in a few sentences.

use crate::Objective;
use crate::compare::{ChangedConfigurations, Crossing, SweepChange};

use nearfar_view::text::percent::{change, share};

/// A sentence, of figures that are judged so.
pub fn sentence(finding: &SweepChange, objective: &Objective) -> String {
    let is_time = objective.metric.is_none();
    match finding {
        SweepChange::OtherCommand => {
            "The two ran different commands: what is compared is both.".to_owned()
        }
        SweepChange::TooFewRuns => {
            "No configuration has three runs in both: nothing can be decided.".to_owned()
        }
        SweepChange::NoDifference { compared, reach } => format!(
            "No difference: none of {compared} is beyond chance, and no interval reaches beyond \
             {}.",
            share(*reach)
        ),
        SweepChange::Better(some) => changed(some, if is_time { "faster" } else { "better" }),
        SweepChange::Worse(some) => changed(some, if is_time { "slower" } else { "worse" }),
        SweepChange::Crossing(crossing) => crosses(crossing),
    }
}

fn changed(some: &ChangedConfigurations, word: &str) -> String {
    let ChangedConfigurations { count, compared, most, ratio } = some;
    format!(
        "The second is {word} in {count} of {compared}, most of all {most} ({}).",
        change(*ratio)
    )
}

fn crosses(crossing: &Crossing) -> String {
    let [fewer, more] = crossing.between_jobs;
    let then = if crossing.better_with_fewer == 1 { "second" } else { "first" };
    format!(
        "{}: between {fewer} and {more} jobs the better one changes to the {then}.",
        crossing.of
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_name_the_largest() {
        let changed = |ratio| ChangedConfigurations {
            count: 2,
            compared: 5,
            most: "local:0".to_owned(),
            ratio,
        };
        let crossing = |better_with_fewer| {
            SweepChange::Crossing(Crossing {
                of: "unbound A=x".to_owned(),
                between_jobs: [1, 4],
                better_with_fewer,
            })
        };
        for (finding, expected) in [
            (
                SweepChange::Better(changed(-0.1)),
                "The second is faster in 2 of 5, most of all local:0 (-10.0 %).",
            ),
            (
                SweepChange::Worse(changed(0.1)),
                "The second is slower in 2 of 5, most of all local:0 (+10.0 %).",
            ),
            (crossing(2), "unbound A=x: between 1 and 4 jobs the better one changes to the first."),
            (
                crossing(1),
                "unbound A=x: between 1 and 4 jobs the better one changes to the second.",
            ),
            (
                SweepChange::NoDifference { compared: 5, reach: 0.0042 },
                "No difference: none of 5 is beyond chance, and no interval reaches beyond 0.4 %.",
            ),
            (
                SweepChange::TooFewRuns,
                "No configuration has three runs in both: nothing can be decided.",
            ),
            (
                SweepChange::OtherCommand,
                "The two ran different commands: what is compared is both.",
            ),
        ] {
            assert_eq!(sentence(&finding, &Objective::wall()), expected);
        }
        let metric = Some("x=([0-9]+)".to_owned());
        let rate = Objective { name: "x".to_owned(), metric, higher_is_better: true };
        let phrases = [SweepChange::Better(changed(0.1)), SweepChange::Worse(changed(-0.1))]
            .map(|one| sentence(&one, &rate));
        assert!(
            phrases[0].starts_with("The second is better in 2 of 5")
                && phrases[1].contains("is worse in"),
            "{phrases:?}"
        );
    }
}
