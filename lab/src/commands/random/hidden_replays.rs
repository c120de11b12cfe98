//! `nearfar-lab random --hidden`: sentences about hidden nodes, judged over many machines.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use nearfar_view::terminal::output;
use serde_json::json;

use crate::check::judged::Judged;
use crate::random::HiddenMachine;

/// The share of wrong statements of any kind that is allowed.
const MAX_WRONG: f64 = 0.005;
/// The share of machines whose nodes have to be counted, where pages of all were seen.
const MIN_COUNTED: f64 = 0.9;
/// What the number of nodes is called.
const NUMBER: &str = "number of nodes";

/// Statements of one kind: right, missed, wrong.
type Tally = BTreeMap<&'static str, [usize; 3]>;

/// Prints a table of statements; gives 1 where too many are wrong or missed.
pub(super) fn run(seeds: RangeInclusive<u64>, as_json: bool) -> anyhow::Result<u8> {
    let mut tally = Tally::new();
    let (mut whole, mut counted) = (0, 0);
    for seed in seeds {
        let machine = HiddenMachine::drawn(seed)?;
        let (text, judged) = machine.judged(seed)?;
        if machine.is_whole() {
            let number = judged.iter().find(|one| one.what == NUMBER);
            (whole, counted) = (whole + 1, counted + number.map_or(0, |number| number.right));
        }
        for one in &judged {
            let sums = tally.entry(one.what).or_default();
            for (sum, more) in sums.iter_mut().zip([one.right, one.missed.len(), one.wrong.len()]) {
                *sum += more;
            }
        }
        let is_odd =
            |one: &&Judged| !one.wrong.is_empty() || machine.is_whole() && !one.missed.is_empty();
        let odd: String = judged.iter().filter(is_odd).map(|one| line(seed, one)).collect();
        if !odd.is_empty() && !as_json {
            output::text(&format!("{odd}   {text}\n"))?;
        }
    }
    output::text(&match as_json {
        true => format!("{}\n", json!({"statements": tally, "whole": whole, "counted": counted})),
        false => table(&tally, whole, counted),
    })?;
    let is_wrong =
        |[right, _, wrong]: &[usize; 3]| *wrong as f64 > MAX_WRONG * (*right + *wrong) as f64;
    let is_bad = tally.values().any(is_wrong) || (counted as f64) < MIN_COUNTED * f64::from(whole);
    Ok(u8::from(is_bad))
}

fn line(seed: u64, judged: &Judged) -> String {
    format!("{seed}: {}: wrong {:?}, missed {:?}\n", judged.what, judged.wrong, judged.missed)
}

fn table(tally: &Tally, whole: u32, counted: usize) -> String {
    let mut text = "| statement | right | missed | wrong |\n|---|---|---|---|\n".to_owned();
    for (what, [right, missed, wrong]) in tally {
        text += &format!("| {what} | {right} | {missed} | {wrong} |\n");
    }
    text + &format!("{counted} of {whole} machines whose memory was all seen have the number\n")
}
