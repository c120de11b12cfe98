//! `nearfar-lab random --seed N`: machines that nothing was tuned to.

mod hidden_replays;

use clap::Args;
use nearfar_terminal::exit::WrongUsage;
use nearfar_terminal::output;
use serde_json::json;

use crate::check::judged::{self, Judged};
use crate::machine::LabMachine;
use crate::random::{description, replayed};

/// Draw a machine by a seed; or replay many as numbers, and count how many are judged right.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  nearfar-lab random --seed 7 > seven.toml && nearfar-lab check ./seven.toml
  nearfar-lab random --seed 1 --replays 100       machines 1 to 100, without guests: seconds each
  nearfar-lab random --seed 1 --replays 1000 --hidden    hidden nodes, and what is said of them
  nearfar-lab random --seed 1 --replays 100 --json | jq '.replays[] | select(.wrong != [])'

A replay puts noise on the described costs and infers from these numbers what a survey would:
verdict, hidden nodes, classes, links, claims. It is right when nothing of that is wrong and
hidden nodes were found where there are any. Exit status: 1 when fewer than 95 % are right.")]
pub(crate) struct Random {
    /// What the machine, or the first one, is drawn from.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(..=LARGEST_SEED))]
    seed: u64,
    /// Replay this many machines, of this seed and those that follow.
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u64).range(1..=100_000))]
    replays: Option<u64>,
    /// Replay machines that hide their nodes, searched in all of their memory or in a part, and judge
    /// each sentence about their nodes.
    #[arg(long, requires = "replays")]
    hidden: bool,
    /// Print JSON (of replays).
    #[arg(long, requires = "replays")]
    json: bool,
}

/// TOML's integers go no farther.
const LARGEST_SEED: u64 = i64::MAX as u64;

/// The share of replays that has to be right.
const ENOUGH: f64 = 0.95;

/// One machine, judged.
struct Replayed {
    seed: u64,
    machine: LabMachine,
    judged: Vec<Judged>,
}

impl Random {
    /// Prints a description, or what replays came to; gives 1 when too few are right.
    pub(crate) fn run(self) -> anyhow::Result<u8> {
        let Some(count) = self.replays else {
            output::text(&description(self.seed))?;
            return Ok(0);
        };
        let last = self.seed.checked_add(count - 1).filter(|last| *last <= LARGEST_SEED);
        let last = last.ok_or_else(|| {
            WrongUsage("the last seed would be too large: choose a smaller --seed".to_owned())
        })?;
        if self.hidden {
            return hidden_replays::run(self.seed..=last, self.json);
        }
        let mut right = 0;
        let (mut documents, mut all) = (Vec::new(), Vec::new());
        for seed in self.seed..=last {
            let replayed = replay(seed)?;
            let is_right = replayed.wrong().is_empty();
            right += u64::from(is_right);
            match self.json {
                true => documents.push(replayed.document()),
                false if !is_right => output::text(&replayed.line())?,
                false => {}
            }
            all.extend(replayed.judged);
        }
        let [held, intervals] = judged::intervals(&all);
        output::text(&match self.json {
            true => {
                let schema = "nearfar-lab.random/1";
                let document = json!({
                    "schema": schema,
                    "right": right,
                    "intervals": [held, intervals],
                    "replays": documents,
                });
                format!("{document}\n")
            }
            false => format!(
                "{right} of {count} replays were judged right; {held} of {intervals} intervals of \
                 ratios contain the truth\n"
            ),
        })?;
        Ok(u8::from((right as f64) < ENOUGH * count as f64))
    }
}

fn replay(seed: u64) -> anyhow::Result<Replayed> {
    let machine =
        LabMachine::parse(&format!("random-{seed}"), &format!("seed {seed}"), &description(seed))?;
    let judged = replayed(&machine, seed)?;
    Ok(Replayed { seed, machine, judged })
}

impl Replayed {
    fn wrong(&self) -> Vec<String> {
        judged::objections(&self.judged)
    }

    fn line(&self) -> String {
        format!("{}: wrong: {}\n", self.machine.description.summary, self.wrong().join("; "))
    }

    fn document(&self) -> serde_json::Value {
        json!({
            "seed": self.seed,
            "summary": self.machine.description.summary,
            "statements": self.judged,
            "wrong": self.wrong(),
        })
    }
}
