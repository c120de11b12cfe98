//! Responses of programs to latency: intervals, and verdicts.

use std::fmt::Write as _;

use nearfar_infer::response::{RESPONSE_FLOOR, ResponseVerdict, response};

use crate::replay::program::{LATENCIES, ProgramNoise, SimulatedProgram};
use crate::share::count;

/// How much more time a program takes with all memory far.
const EFFECTS: [f64; 3] = [0.0, 0.3, 0.83];
/// Blocks of a run without options, and of a long one.
const BLOCKS: [u32; 2] = [8, 30];

pub(crate) fn table(replays: u64) -> String {
    let mut text = format!(
        "## Responses of programs to latency\n\nPer cent of {replays} programs whose all-far \
         memory truly costs what heads the column. *holds*: the 95 % interval has the truth. \
         *bends*: a straight response is called bent. *no matter*: a program that all-far \
         memory costs nothing is called so; then the share of programs that it truly costs 2 % \
         that are, of ten times as many (in brackets the upper end of its 95 % interval, 0.1 by \
         design). `few hot pages`: doses scatter, and intervals are too wide.\n\n| noise | blocks |"
    );
    for effect in EFFECTS {
        let _ = write!(text, " holds at {:.0} % |", 100.0 * effect);
    }
    text += " bends | no matter | wrongly |\n|---|---|---|---|---|---|---|---|\n";
    for noise in [&ProgramNoise::OF_TIME[..], &[ProgramNoise::FewHotPages]].concat() {
        for blocks in BLOCKS {
            eprintln!("odds: response, {}, {blocks} blocks", noise.name());
            let _ = writeln!(text, "{}", line(noise, blocks, replays));
        }
    }
    text
}

fn line(noise: ProgramNoise, blocks: u32, replays: u64) -> String {
    let mut line = format!("| {} | {blocks} |", noise.name());
    for effect in EFFECTS {
        let program = SimulatedProgram { effect, bend: 0.0, noise };
        let [holds] = count(replays, |seed| {
            let found = response(&program.periods(blocks, seed), LATENCIES).effect;
            [found.is_some_and(|found| found.ci95[0] <= effect && effect <= found.ci95[1])]
        });
        let _ = write!(line, " {:.1} |", 100.0 * holds.value());
    }
    let verdicts = |effect: f64, replays: u64| {
        let program = SimulatedProgram { effect, bend: 0.0, noise };
        count(replays, |seed| {
            let found = response(&program.periods(blocks, seed), LATENCIES);
            [found.bends, found.verdict == ResponseVerdict::DoesNotMatter]
        })
    };
    let [bends, silent] = verdicts(0.0, replays);
    let [_, wrong] = verdicts(RESPONSE_FLOOR, 10 * replays);
    let (bends, silent) = (bends.percent(), silent.percent());
    line + &format!(
        " {bends} | {silent} | {} ({}) |",
        hundredths(wrong.value()),
        hundredths(wrong.upper())
    )
}

fn hundredths(share: f64) -> String {
    format!("{:.2}", 100.0 * share)
}
