//! A core walk: do CPUs differ by more than one CPU differs from itself?
//!
//! Many CPUs use one buffer. A difference may come from memory or from clocks, so it never gives a
//! verdict. The control measures the buffer's own CPU as many times, and so shows the noise.

use nearfar_infer::CpuDifference;
use nearfar_survey::{Matrix, Survey};
use nearfar_view::text::{count, verb_of};

use crate::survey::Verbosity;

/// The sentence, for a core walk.
pub(super) fn sentence(survey: &Survey, verbosity: Verbosity) -> Option<String> {
    if survey.latency.probe != "core-walk" {
        return None;
    }
    let (walk, control) = medians(&survey.latency);
    let judged = nearfar_infer::cpu_difference(&walk, &control, survey.provenance.seed);
    Some(match judged {
        Some(difference) => compare(difference, verbosity),
        None => format!(
            "{} {} too few to compare with their control: at least 3 are needed.",
            count(walk.len(), "CPU"),
            verb_of(walk.len(), "are")
        ),
    })
}

/// The costs by CPU, and those of the control.
fn medians(matrix: &Matrix) -> (Vec<f64>, Vec<f64>) {
    let half = matrix.rows.len() / 2;
    let of =
        |rows: std::ops::Range<usize>| rows.filter_map(|row| matrix.cell(row, 0)?.median).collect();
    (of(0..half), of(half..matrix.rows.len()))
}

fn compare(difference: CpuDifference, verbosity: Verbosity) -> String {
    let p = match verbosity {
        Verbosity::Brief => String::new(),
        Verbosity::Verbose => format!(" (p = {:.3})", difference.p),
    };
    let figures = format!(
        "CPUs differ by {:.1} %, the control (one CPU, as many times) by {:.1} %{p}",
        difference.spread * 100.0,
        difference.control_spread * 100.0
    );
    if difference.differs {
        format!(
            "{figures}: more than noise. The cause may be memory or clocks. Repeat with another \
             CPU first in --cpus: with NUMA the order is reversed."
        )
    } else {
        format!("{figures}: no more than noise.")
    }
}
