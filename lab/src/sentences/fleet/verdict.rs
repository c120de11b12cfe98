//! The first and the last line: they name the machines that the other sentences are about, and no
//! machine as slower whose fault makes it none.

use std::collections::BTreeSet;

use super::grammar::{FleetSentence, StatedVerdict};
use super::{FleetJudge, OTHER};

const VERDICT: &str = "verdict: machines";

impl FleetJudge<'_> {
    pub(super) fn verdicts(&mut self, sentences: &[FleetSentence]) {
        let stated: Vec<&StatedVerdict> = sentences.iter().filter_map(of_verdict).collect();
        if stated.len() != 2 {
            self.of(OTHER).wrong.push(format!("{} verdicts, first and last", stated.len()));
        }
        for verdict in stated {
            let wrong = self.wrong_in(verdict, sentences);
            self.of(VERDICT).state(wrong.is_empty(), || wrong.join(", "));
        }
    }

    fn wrong_in(&self, verdict: &StatedVerdict, sentences: &[FleetSentence]) -> Vec<String> {
        // A machine may have several sentences, and one about what is slower counts.
        let (mut slower, mut faster) = (BTreeSet::new(), BTreeSet::new());
        for sentence in sentences {
            let FleetSentence::Machine { name, statements } = sentence else { continue };
            let is_slower = statements.iter().any(|statement| statement.is_slower);
            if is_slower { &mut slower } else { &mut faster }.insert(name.as_str());
        }
        faster.retain(|name| !slower.contains(name));
        let mut wrong = Vec::new();
        let lists = [
            ("slower", slower, &verdict.slower, verdict.slower_count),
            ("only faster", faster, &verdict.faster, verdict.faster_count),
        ];
        for (what, have_sentences, named, count) in lists {
            let has = |name: &&String| have_sentences.contains(name.as_str());
            if count != have_sentences.len() || !named.iter().all(|name| has(&name)) {
                wrong.push(format!("{what}: {named:?} of {count}, sentences: {have_sentences:?}"));
            }
        }
        // False alarms count by statements of machines, not here.
        let is_fault = |name: &&String| {
            let mut machines = self.fleet.machines.iter();
            machines.any(|machine| machine.name == **name && machine.fault.is_some())
        };
        let not_slower: Vec<&String> = verdict.faster.iter().filter(is_fault).collect();
        if !not_slower.is_empty() {
            wrong.push(format!("only faster, though each has a fault: {not_slower:?}"));
        }
        wrong
    }
}

fn of_verdict(sentence: &FleetSentence) -> Option<&StatedVerdict> {
    match sentence {
        FleetSentence::Verdict(verdict) => Some(verdict),
        _ => None,
    }
}
