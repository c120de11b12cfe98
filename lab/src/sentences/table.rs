//! Kinds of sentences by right, missed, wrong and unjudged, over many machines.

use std::collections::BTreeMap;

use nearfar_view::terminal::table::{Align, headed};
use serde_json::{Value, json};

use crate::check::judged::Judged;

/// The sentences of many machines, counted.
#[derive(Debug, Default)]
pub(crate) struct SentenceTable(BTreeMap<&'static str, Counts>);

#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    right: usize,
    missed: usize,
    wrong: usize,
    unjudged: usize,
    intervals: [usize; 2],
}

impl Counts {
    fn add(&mut self, other: Self) {
        self.right += other.right;
        self.missed += other.missed;
        self.wrong += other.wrong;
        self.unjudged += other.unjudged;
        self.intervals = [0, 1].map(|end| self.intervals[end] + other.intervals[end]);
    }
}

impl SentenceTable {
    pub(crate) fn add(&mut self, sentences: &[Judged]) {
        for judged in sentences {
            self.0.entry(judged.what).or_default().add(Counts {
                right: judged.right,
                missed: judged.missed.len(),
                wrong: judged.wrong.len(),
                unjudged: judged.unjudged.len(),
                intervals: judged.intervals,
            });
        }
    }

    fn all(&self) -> Counts {
        self.0.values().fold(Counts::default(), |mut all, counts| {
            all.add(*counts);
            all
        })
    }

    /// The share of the judged sentences that is wrong.
    pub(crate) fn wrong_share(&self) -> f64 {
        let all = self.all();
        all.wrong as f64 / (all.right + all.wrong).max(1) as f64
    }

    /// A line for each kind, and one for all; nothing without sentences.
    pub(crate) fn text(&self) -> String {
        if self.0.is_empty() {
            return String::new();
        }
        let line = |what: &str, counts: &Counts| {
            let [held, all] = counts.intervals;
            [
                what.to_owned(),
                counts.right.to_string(),
                counts.missed.to_string(),
                counts.wrong.to_string(),
                counts.unjudged.to_string(),
                if all == 0 { "-".to_owned() } else { format!("{held} of {all}") },
            ]
        };
        let kinds = self.0.iter().map(|(what, counts)| line(what, counts));
        let lines = kinds.chain([line("all", &self.all())]);
        let head = ["sentence", "right", "missed", "wrong", "unjudged", "intervals that hold"];
        headed(head, lines, &[Align::Left, Align::Right])
            + &format!("{:.2} % of the sentences are wrong\n", 100.0 * self.wrong_share())
    }

    /// The same for programs.
    pub(crate) fn document(&self) -> Value {
        let kind = |(what, counts): (&&str, &Counts)| {
            json!({
                "kind": what,
                "right": counts.right,
                "missed": counts.missed,
                "wrong": counts.wrong,
                "unjudged": counts.unjudged,
                "intervals": counts.intervals,
            })
        };
        self.0.iter().map(kind).collect()
    }
}
