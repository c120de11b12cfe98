//! Rates at which `structure` finds packages, where they exist and where they do not.

use std::fmt::Write as _;

use fastrand::Rng;
use nearfar_infer::core_to_core::{CpuGroup, who_shares};

use crate::replay::chips::{Chips, DUAL, SINGLE};
use crate::share::{Share, count};

/// Errors of single pairs.
const ERRORS: [f64; 3] = [0.02, 0.05, 0.1];

pub(crate) fn table(surveys: u64) -> String {
    let matrices = (surveys / 20).max(1);
    let mut text = format!(
        "## Packages in a matrix of costs\n\nPer cent of {matrices} core-to-core matrices of each \
         machine (`crates/infer/tests/replay/chips.rs`: costs after published matrices), each pair \
         with a log-normal error of this size, one in twenty by a tenth more. *wrong*: two or more \
         packages that do not exist, in brackets the upper end of the 95 % interval. The \
         rest: one package, or undetermined.\n\nstructure: packages on single-package \
         machines\n\n| machines | error | wrong | right or one | undetermined \
         |\n|---|---|---|---|---|\n"
    );
    for (name, machines) in [("single", &SINGLE[..]), ("dual", &DUAL[..])] {
        for error in ERRORS {
            let shares = machines.iter().map(|chips| judged(chips, matrices, error));
            let [wrong, right, undetermined] = shares.fold([Share::default(); 3], added);
            let _ = writeln!(
                text,
                "| {} {name} | {:.0} % | {} (up to {}) | {} | {} |",
                machines.len(),
                100.0 * error,
                wrong.percent(),
                crate::share::percent(wrong.upper()),
                right.percent(),
                undetermined.percent()
            );
        }
    }
    let (seconds, mib) = largest();
    let _ = writeln!(
        text,
        "\nA matrix of 2,048 CPUs, the largest that `structure` takes: {seconds:.1} s of one CPU, \
         and {mib} MiB at most for the bench with the matrix."
    );
    text
}

/// CPU seconds for the largest matrix, and the peak memory of this process.
fn largest() -> (f64, u64) {
    let dies: &[&[usize]] = &[&[16; 64], &[16; 64]];
    let chips = Chips { name: "largest", packages: 2, dies, ns: [40.0, 110.0, 280.0], threads: 1 };
    let costs = chips.matrix(0.02, &mut Rng::with_seed(1));
    let begun = crate::growth::cpu_seconds();
    assert_eq!(who_shares(&costs, chips.cpus(), None).packages.len(), 2);
    let seconds = crate::growth::cpu_seconds() - begun;
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let most = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib = most.and_then(|most| most.trim().trim_end_matches(" kB").parse::<u64>().ok());
    (seconds, kib.unwrap_or(0) >> 10)
}

/// Matrices with wrong packages, with the right ones (or one, for a single package), and with none.
fn judged(chips: &Chips, matrices: u64, error: f64) -> [Share; 3] {
    count(matrices, |seed| {
        let costs = chips.matrix(error, &mut Rng::with_seed(seed));
        let found = who_shares(&costs, chips.cpus(), None).packages;
        let cpus = |group: &CpuGroup| group.cpus.clone();
        let is_right = match chips.packages {
            1 => found.len() == 1,
            _ => found.iter().map(cpus).collect::<Vec<_>>() == chips.package_cpus(),
        };
        [!is_right && found.len() > 1, is_right, !is_right && found.len() < 2]
    })
}

fn added(sum: [Share; 3], one: [Share; 3]) -> [Share; 3] {
    [0, 1, 2].map(|at| Share { hits: sum[at].hits + one[at].hits, of: sum[at].of + one[at].of })
}
