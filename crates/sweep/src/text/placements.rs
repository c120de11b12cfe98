//! Placements: those that a machine cannot have, and what the others were chosen by.

use crate::Unavailable;
use crate::placement::{ChosenBy, PlacementRefusal};

/// "local:7: node 7 is not there"
pub fn sentence(gone: &Unavailable) -> String {
    let why = match &gone.why {
        PlacementRefusal::OneNode => "there is one node with memory: nothing to interleave",
        PlacementRefusal::UnusableCpus { cpus, usable } => {
            &format!("CPUs {cpus} cannot be used: those that can are {usable}")
        }
        PlacementRefusal::OpenQuote => "a quote is not closed",
        PlacementRefusal::Refused { error } => error,
    };
    format!("{}: {why}", gone.placement)
}

/// "distances that firmware claims"
pub fn chosen_by(what: &ChosenBy) -> String {
    match what {
        ChosenBy::Survey { file } => format!("survey {file}"),
        ChosenBy::Firmware => "distances that firmware claims".to_owned(),
        ChosenBy::Shape => "the machine's shape: distances are unknown".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sentence_of(placement: &str, why: PlacementRefusal) -> String {
        sentence(&Unavailable { placement: placement.to_owned(), why })
    }

    #[test]
    fn unavailable_placements_have_a_reason() {
        let set = |text: &str| text.parse().unwrap();
        let unusable = PlacementRefusal::UnusableCpus { cpus: set("4"), usable: set("0-3") };
        assert_eq!(
            sentence_of("-C 4", unusable),
            "-C 4: CPUs 4 cannot be used: those that can are 0-3"
        );
        let one = "interleave: there is one node with memory: nothing to interleave";
        assert_eq!(sentence_of("interleave", PlacementRefusal::OneNode), one);
    }

    #[test]
    fn the_source_of_placements_is_named() {
        let file = "a.json".to_owned();
        let all = [ChosenBy::Survey { file }, ChosenBy::Firmware, ChosenBy::Shape]
            .map(|one| chosen_by(&one));
        let shape = "the machine's shape: distances are unknown";
        assert_eq!(all, ["survey a.json", "distances that firmware claims", shape]);
    }
}
