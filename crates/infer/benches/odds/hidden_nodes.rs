//! Hidden nodes: rates of detection and of false alarms.

use std::fmt::Write as _;

use nearfar_infer::hidden::{PageFinding, pages};

use crate::replay::hiding::Hiding;
use crate::share::{count, percent};

/// Extra cost of remote memory.
const DIFFERENCES: [f64; 5] = [0.05, 0.08, 0.12, 0.2, 0.5];
/// The node of each group of CPUs, and the number of nodes.
const MACHINES: [(&[usize], usize); 8] = [
    (&[0, 1], 2),
    (&[0, 1], 3),
    (&[0, 1], 4),
    (&[0, 0, 1, 1], 2),
    (&[0, 0, 1, 1], 4),
    (&[0, 1, 2], 3),
    (&[0, 0, 1, 2], 3),
    (&[0, 1, 2, 3], 4),
];
/// The divisor of the number of surveys in other tables.
const FEWER: u64 = 10;

pub(crate) fn table(surveys: u64) -> String {
    let fewer = (surveys / FEWER).max(1);
    let mut text = format!(
        "## Hidden nodes: pages of one memory with different costs\n\nPer cent of \
         {fewer} searches (three processes of 64 pages, five rounds) that find nodes / that find \
         the true number of kinds of pages. Nodes without CPUs are equally far, and one kind. \
         `x86_64`: 1 % a sample, one in twenty 10 % more on average, 1 % \
         between pages. `Arm` is noisier: 2 % a sample and a page, and rows drift by 2 %.\n\n| \
         nodes | groups of CPUs | in nodes | noise |"
    );
    for difference in DIFFERENCES {
        let _ = write!(text, " {:.0} % |", 100.0 * difference);
    }
    let _ = write!(text, "\n|---|---|---|---|{}\n", "---|".repeat(DIFFERENCES.len()));
    for (rows, nodes) in MACHINES {
        for (noise, noisy) in noises() {
            eprintln!("odds: {nodes} hidden nodes, {} groups, {noise}", rows.len());
            let in_nodes: Vec<String> = rows.iter().map(usize::to_string).collect();
            let _ =
                write!(text, "| {nodes} | {} | {} | {noise} |", rows.len(), in_nodes.join(", "));
            for difference in DIFFERENCES {
                let (machine, kinds) = Hiding::with_cpus_on(rows, nodes, 1.0 + difference);
                let machine = noisy(machine);
                let [found, counted] = count(fewer, |seed| {
                    let statement = pages(&machine.sheets(seed), rows.len(), seed);
                    let found = statement.verdict.finding == PageFinding::Found;
                    [found, found && statement.clusters.len() == kinds]
                });
                let _ = write!(text, " {} / {} |", found.percent(), counted.percent());
            }
            text.push('\n');
        }
    }
    text + &alarms(surveys)
}

type Noisy = fn(Hiding) -> Hiding;

fn noises() -> [(&'static str, Noisy); 2] {
    [
        ("x86_64", |machine| machine),
        ("Arm", |machine| Hiding {
            sample_sd: 0.02,
            item_sd: 0.02,
            process_drift: 0.02,
            ..machine
        }),
    ]
}

/// Uniform machines with detected nodes.
fn alarms(surveys: u64) -> String {
    let mut text = format!(
        "\nUniform machines, per cent of {surveys} searches that find nodes (and the upper end of \
         the 95 % interval); *one row by itself*: each page's cost varies by 2 % between groups of \
         CPUs.\n\n| groups of CPUs | x86_64 | Arm | slow groups | one row by itself \
         |\n|---|---|---|---|---|\n"
    );
    for rows in [2, 3, 4, 8] {
        eprintln!("odds: no hidden nodes, {rows} groups");
        let [(_, plain), (_, arm)] = noises();
        let uniform = || Hiding::uniform(rows);
        let machines = [
            plain(uniform()),
            arm(uniform()),
            Hiding { slower: (0..rows).map(|row| 1.0 + 0.2 * row as f64).collect(), ..uniform() },
            Hiding { item_row_sd: 0.02, same_items: true, ..uniform() },
        ];
        let _ = write!(text, "| {rows} |");
        for machine in machines {
            let found = |seed| {
                [pages(&machine.sheets(seed), rows, seed).verdict.finding == PageFinding::Found]
            };
            let [found] = count(surveys, found);
            let _ = write!(text, " {} ({}) |", found.percent(), percent(found.upper()));
        }
        text.push('\n');
    }
    text
}
