//! The smallest detectable difference.

use std::fmt::Write as _;

use nearfar_infer::{Numa, THRESHOLD, verdict};

use crate::replay::{Model, Noise, Plan, survey};
use crate::rivals;
use crate::share::{count, percent};

/// Extra cost of one memory in every row.
const DIFFERENCES: [f64; 8] = [0.01, 0.02, 0.03, 0.04, 0.05, 0.06, 0.08, 0.10];
const FAMILIES: [(usize, usize); 4] = [(1, 2), (2, 2), (4, 4), (8, 8)];
/// Matrices with this many cells use recorded noise only.
const LARGE: usize = 64;
const POWER: f64 = 0.8;
/// The divisor of the number of surveys in other tables: shares need less precision here.
const FEWER: u64 = 10;

pub(crate) fn table(surveys: u64) -> String {
    let surveys = (surveys / FEWER).max(1);
    let mut text = format!(
        "## Power: one memory that costs every row more\n\nPer cent of {surveys} surveys in which \
         the difference is detected / ends in *yes* (threshold 5 %). The last columns: the \
         smallest difference, in per cent, that is detected, and that ends in *yes*, at 80 % \
         power.\n\n| rows x columns | noise |"
    );
    for difference in DIFFERENCES {
        let _ = write!(text, " {:.0} % |", 100.0 * difference);
    }
    text.push_str(" detected from | yes from |\n|---|---|");
    text.push_str(&"---|".repeat(DIFFERENCES.len() + 2));
    text.push('\n');
    for (rows, columns) in FAMILIES {
        let noises = [Noise::all().as_slice(), &[Noise::recorded_chase()]].concat();
        let few = if rows * columns >= LARGE { 2 } else { noises.len() };
        for noise in noises.into_iter().take(few) {
            line(&mut text, rows, columns, &noise, surveys);
        }
    }
    text + &rivals_table(surveys)
}

fn line(text: &mut String, rows: usize, columns: usize, noise: &Noise, surveys: u64) {
    let _ = write!(text, "| {rows} x {columns} | {} |", noise.name);
    let mut found: Vec<[f64; 2]> = Vec::new();
    for difference in DIFFERENCES {
        let model = Model::one_slow_node(rows, columns, difference);
        let [detected, yes] = count(surveys, |seed| {
            let verdict = verdict(&survey(&model, noise, &Plan::usual(), seed), THRESHOLD, seed);
            [verdict.detected, verdict.numa == Numa::Yes]
        });
        let _ = write!(text, " {} / {} |", detected.percent(), yes.percent());
        found.push([detected.value(), yes.value()]);
    }
    let _ = writeln!(text, " {} | {} |", smallest(&found, 0), smallest(&found, 1));
}

/// The smallest difference with the required power, by linear interpolation.
fn smallest(found: &[[f64; 2]], which: usize) -> String {
    let Some(at) = found.iter().position(|found| found[which] >= POWER) else {
        return format!("above {:.0}", 100.0 * DIFFERENCES[DIFFERENCES.len() - 1]);
    };
    let (below, power_below) =
        if at == 0 { (0.0, 0.0) } else { (DIFFERENCES[at - 1], found[at - 1][which]) };
    let share = (POWER - power_below) / (found[at][which] - power_below);
    format!("{:.1}", 100.0 * (below + share * (DIFFERENCES[at] - below)))
}

fn rivals_table(surveys: u64) -> String {
    let mut text = String::from(
        "\nThe rivals on the same samples, 2 x 2, per cent of surveys in which they find a \
         difference (of a uniform machine: false alarms):\n\n| noise | rival | 0 % |",
    );
    for difference in DIFFERENCES {
        let _ = write!(text, " {:.0} % |", 100.0 * difference);
    }
    let _ = write!(text, "\n|---|---|---|{}\n", "---|".repeat(DIFFERENCES.len()));
    for noise in [
        Noise::recorded(1.0),
        Noise { name: "recorded, threefold", ..Noise::recorded(3.0) },
        Noise::bursts(),
    ] {
        let mut lines = [
            format!("| {} | nearfar |", noise.name),
            format!("| {} | spread |", noise.name),
            format!("| {} | 20 cycles |", noise.name),
        ];
        for difference in [0.0].into_iter().chain(DIFFERENCES) {
            let model = Model::one_slow_node(2, 2, difference);
            let seen = count(surveys, |seed| {
                let matrix = survey(&model, &noise, &Plan::usual(), seed);
                let detected = verdict(&matrix, THRESHOLD, seed).detected;
                [detected, rivals::spread(&matrix, &noise, seed), rivals::fixed_gap(&matrix)]
            });
            for (line, share) in lines.iter_mut().zip(seen) {
                let _ = write!(line, " {} |", percent(share.value()));
            }
        }
        text.push_str(&lines.join("\n"));
        text.push('\n');
    }
    text
}
