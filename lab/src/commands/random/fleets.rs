//! `nearfar-lab random --fleets`: sentences about fleets, judged over many of them.

use std::io::Write as _;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, ensure};
use nearfar_view::terminal::output;
use serde_json::json;

use super::TOO_MANY_WRONG;
use crate::check::judged::Judged;
use crate::random::fleet::DrawnFleet;
use crate::sentences::{SentenceTable, fleet};

/// The share of a fleet's statements about machines that may be about one without a fault, on
/// average. Where no machine has one, all are.
const FALSE_ALARMS: f64 = 0.05;

/// The status of `nearfar fleet` where a machine is an outlier.
const OUTLIERS: i32 = 3;

/// What many fleets came to.
#[derive(Default)]
struct ManyFleets {
    count: u32,
    /// Sum of the shares that are false.
    false_alarms: f64,
    /// Fleets without a fault: with a machine named, and all.
    healthy: [u32; 2],
    sentences: SentenceTable,
}

/// Prints a table of statements; gives 1 where too many are wrong, or false alarms too frequent.
pub(super) fn run(
    seeds: RangeInclusive<u64>,
    program: Option<&Path>,
    as_json: bool,
) -> anyhow::Result<u8> {
    let mut all = ManyFleets::default();
    for seed in seeds {
        let drawn = DrawnFleet::new(seed);
        let text = text(&drawn, program)?;
        let judged = fleet::judged(&text, &drawn);
        if !as_json {
            let lines = lines(seed, &judged.sentences);
            let drawn = if lines.is_empty() { String::new() } else { drawn.summary() + &text };
            output::text(&format!("{lines}{drawn}"))?;
        }
        all.count += 1;
        let [wrong, stated] = judged.false_alarms;
        all.false_alarms += wrong as f64 / stated.max(1) as f64;
        if drawn.machines.iter().all(|machine| machine.fault.is_none()) {
            all.healthy = [all.healthy[0] + u32::from(wrong > 0), all.healthy[1] + 1];
        }
        all.sentences.add(&judged.sentences);
    }
    output::text(&if as_json { all.document() } else { all.text() })?;
    Ok(u8::from(!all.is_enough()))
}

/// What `nearfar fleet` prints, this one or another.
fn text(drawn: &DrawnFleet, program: Option<&Path>) -> anyhow::Result<String> {
    match program {
        Some(program) => printed_by(program, &drawn.documents()),
        None => Ok(drawn.text()?),
    }
}

fn printed_by(program: &Path, documents: &str) -> anyhow::Result<String> {
    let mut file = tempfile::Builder::new().suffix(".jsonl").tempfile()?;
    file.write_all(documents.as_bytes())?;
    let path: PathBuf = file.path().to_owned();
    let output = Command::new(program)
        .arg("fleet")
        .arg(path)
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .with_context(|| format!("cannot run {}", program.display()))?;
    ensure!(
        matches!(output.status.code(), Some(0 | OUTLIERS)),
        "{} does not judge the fleet: {}",
        program.display(),
        output.status
    );
    Ok(String::from_utf8(output.stdout)?)
}

/// A line for each sentence that does not hold.
fn lines(seed: u64, judged: &[Judged]) -> String {
    let of = |one: &Judged| -> String {
        let wrong = one.wrong.iter().map(|text| ("wrong", text));
        let unjudged = one.unjudged.iter().map(|text| ("unjudged", text));
        wrong
            .chain(unjudged)
            .map(|(how, text)| format!("{how} seed {seed}: {}: {text}\n", one.what))
            .collect()
    };
    judged.iter().map(of).collect()
}

impl ManyFleets {
    /// At most the promised share, and two standard errors.
    fn is_enough(&self) -> bool {
        let is_kept = |sum: f64, count: u32| {
            let error = (FALSE_ALARMS * (1.0 - FALSE_ALARMS) / f64::from(count.max(1))).sqrt();
            sum <= (FALSE_ALARMS + 2.0 * error) * f64::from(count)
        };
        let [wrong, healthy] = self.healthy;
        self.sentences.wrong_share() < TOO_MANY_WRONG
            && is_kept(self.false_alarms, self.count)
            && is_kept(f64::from(wrong), healthy)
    }

    fn text(&self) -> String {
        let [wrong, healthy] = self.healthy;
        format!(
            "{}Machines without a fault (at most 5 % are promised): {:.1} % of a fleet's \
             statements about machines on average; {wrong} of {healthy} fleets that have no \
             fault\n",
            self.sentences.text(),
            100.0 * self.false_alarms / f64::from(self.count)
        )
    }

    fn document(&self) -> String {
        let document = json!({
            "schema": "nearfar-lab.random/1",
            "fleets": self.count,
            "false_share": self.false_alarms / f64::from(self.count),
            "healthy": self.healthy,
            "sentences": self.sentences.document(),
        });
        format!("{document}\n")
    }
}
