//! `nearfar-lab random --seed N`: machines that nothing was tuned to.

mod fleets;
mod hidden_replays;

use std::path::PathBuf;

use clap::Args;
use nearfar_view::terminal::exit::WrongUsage;
use nearfar_view::terminal::output;
use serde_json::json;

use crate::check::judged::{self, Judged};
use crate::machine::LabMachine;
use crate::random::{Family, Replay, description, replayed};
use crate::sentences::SentenceTable;

/// Draw a machine by a seed; or replay many as numbers, and count how many are judged right.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  nearfar-lab random --seed 7 > seven.toml && nearfar-lab check ./seven.toml
  nearfar-lab random --seed 7 --family slow-node  a machine with a node whose memory is slow
  nearfar-lab random --seed 1 --replays 100       machines 1 to 100, without guests
  nearfar-lab random --seed 1 --replays 1000 --hidden    hidden nodes, sentence by sentence
  nearfar-lab random --seed 1 --replays 1000 --fleets    fleets, sentence by sentence
  nearfar-lab random --seed 1 --replays 100 --json | jq '.replays[] | select(.wrong != [])'

A replay puts noise on the described costs, and makes a survey of these numbers. Two things are
judged. What is inferred: verdict, hidden nodes, classes, links, claims; a replay is right when
nothing of that is wrong and hidden nodes were found where there are any. And the text that users
read, sentence by sentence: each advice, figure and finding against the description.
Exit status: 1 when fewer than 95 % of the replays are right, or 0.5 % of the sentences are \
wrong.")]
pub(crate) struct Random {
    /// What the machine, or the first one, is drawn from.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(..=MAX_SEED))]
    seed: u64,
    /// Machines of this family only [default: the seed draws the family].
    #[arg(long)]
    family: Option<Family>,
    /// Replay this many machines, of this seed and those that follow.
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u64).range(1..=100_000))]
    replays: Option<u64>,
    /// Replay machines that hide their nodes, searched in all of their memory or in a part, and
    /// judge each sentence about their nodes.
    #[arg(long, requires = "replays")]
    hidden: bool,
    /// Draw fleets, and judge each sentence of what `nearfar fleet` prints of their surveys.
    #[arg(long, requires = "replays", conflicts_with = "hidden")]
    fleets: bool,
    /// The nearfar whose text about fleets is judged [default: this version's].
    #[arg(long, value_name = "PROGRAM", requires = "fleets")]
    printed_by: Option<PathBuf>,
    /// Print JSON (of replays).
    #[arg(long, requires = "replays")]
    json: bool,
}

/// TOML's integers go no farther.
const MAX_SEED: u64 = i64::MAX as u64;

/// The share of replays that has to be right.
const ENOUGH: f64 = 0.95;
/// The share of sentences that must not be wrong.
const TOO_MANY_WRONG: f64 = 0.005;

struct JudgedMachine {
    seed: u64,
    machine: LabMachine,
    replay: Replay,
}

/// What many machines came to.
#[derive(Default)]
struct ManyReplays {
    count: u64,
    right: u64,
    statements: Vec<Judged>,
    sentences: SentenceTable,
    documents: Vec<serde_json::Value>,
}

impl Random {
    /// Prints a description, or what replays came to; gives 1 when too few are right.
    pub(crate) fn run(self) -> anyhow::Result<u8> {
        let Some(count) = self.replays else {
            output::text(&description(self.seed, self.family_of(self.seed)))?;
            return Ok(0);
        };
        let last = self.seed.checked_add(count - 1).filter(|last| *last <= MAX_SEED);
        let last = last.ok_or_else(|| {
            WrongUsage("the last seed would be too large: choose a smaller --seed".to_owned())
        })?;
        if self.hidden {
            return hidden_replays::run(self.seed..=last, self.json);
        }
        if self.fleets {
            return fleets::run(self.seed..=last, self.printed_by.as_deref(), self.json);
        }
        let mut all = ManyReplays::default();
        for seed in self.seed..=last {
            let judged = JudgedMachine::for_seed(seed, self.family_of(seed))?;
            match self.json {
                true => all.documents.push(judged.document()),
                false => output::text(&judged.lines())?,
            }
            all.add(judged);
        }
        output::text(&if self.json { all.document() } else { all.text() })?;
        Ok(u8::from(!all.is_enough()))
    }

    fn family_of(&self, seed: u64) -> Family {
        self.family.unwrap_or_else(|| Family::for_seed(seed))
    }
}

impl ManyReplays {
    fn add(&mut self, judged: JudgedMachine) {
        self.count += 1;
        self.right += u64::from(judged.wrong().is_empty());
        self.sentences.add(&judged.replay.sentences);
        self.statements.extend(judged.replay.statements);
    }

    fn is_enough(&self) -> bool {
        self.right as f64 >= ENOUGH * self.count as f64
            && self.sentences.wrong_share() < TOO_MANY_WRONG
    }

    fn text(&self) -> String {
        let [held, intervals] = judged::intervals(&self.statements);
        format!(
            "{}{} of {} replays were judged right; {held} of {intervals} intervals of ratios \
             contain the truth\n",
            self.sentences.text(),
            self.right,
            self.count
        )
    }

    fn document(&self) -> String {
        let document = json!({
            "schema": "nearfar-lab.random/1",
            "right": self.right,
            "intervals": judged::intervals(&self.statements),
            "sentences": self.sentences.document(),
            "replays": self.documents,
        });
        format!("{document}\n")
    }
}

impl JudgedMachine {
    fn for_seed(seed: u64, family: Family) -> anyhow::Result<Self> {
        let text = description(seed, family);
        let machine = LabMachine::parse(&format!("random-{seed}"), &format!("seed {seed}"), &text)?;
        let replay = replayed(&machine, seed)?;
        Ok(Self { seed, machine, replay })
    }

    fn wrong(&self) -> Vec<String> {
        judged::objections(&self.replay.statements)
    }

    /// A line for each thing that does not hold.
    fn lines(&self) -> String {
        let summary = &self.machine.description.summary;
        let line = |(what, text): (&str, &String)| format!("{summary}: {what}: {text}\n");
        let sentences = &self.replay.sentences;
        let of = |list: fn(&Judged) -> &Vec<String>| {
            sentences
                .iter()
                .flat_map(move |judged| list(judged).iter().map(move |text| (judged.what, text)))
        };
        let wrong = self.wrong();
        let statements = (!wrong.is_empty()).then(|| wrong.join("; "));
        let statements: String =
            statements.iter().map(|wrong| format!("{summary}: wrong: {wrong}\n")).collect();
        let label = |head: &str, lines: String| -> String {
            lines.lines().map(|line| format!("{head} {line}\n")).collect()
        };
        statements
            + &label("wrong", of(|judged| &judged.wrong).map(line).collect())
            + &label("missed", of(|judged| &judged.missed).map(line).collect())
            + &label("unjudged", of(|judged| &judged.unjudged).map(line).collect())
    }

    fn document(&self) -> serde_json::Value {
        json!({
            "seed": self.seed,
            "summary": self.machine.description.summary,
            "statements": self.replay.statements,
            "sentences": self.replay.sentences,
            "wrong": self.wrong(),
        })
    }
}
