//! The table: figures, spreads, ratios.

use crate::ours::Ours;
use crate::pairs::PeerComparison;

/// Robust estimate of a standard deviation from the median absolute deviation.
const MAD_TO_SD: f64 = 1.4826;

/// The results of a pair: nearfar's and the program's figure of each run, or why there are none.
pub(crate) struct Results {
    pub(crate) figures: Vec<(f64, f64)>,
    pub(crate) failure: Option<String>,
}

pub(crate) fn print(pairs: &[PeerComparison], results: &[Results]) {
    let head = [
        ["", "ours", "runs", "theirs", "ours", "ours /", "CV", "CV", "CV ours", "a"],
        ["theirs", "", "", "", "", "theirs", "theirs", "ours", "/ theirs", "bar"],
    ];
    for [theirs, ours, runs, figure, our_figure, ratio, cv, our_cv, spread, bar] in head {
        println!(
            "{theirs:<32}  {ours:<8}  {runs:>4}  {figure:>7}  {our_figure:>7}  {ratio:>7}  \
             {cv:>7}  {our_cv:>7}  {spread:>8}  {bar:<3}{}",
            if theirs.is_empty() { "" } else { "  what theirs measures" }
        );
    }
    for (pair, Results { figures, failure }) in pairs.iter().zip(results) {
        let head = format!("{:<32}  {:<8}  {:>4}", pair.title(), pair.ours.name(), figures.len());
        if figures.is_empty() {
            println!(
                "{head}  {}",
                failure.as_deref().unwrap_or("no run in which both had a figure")
            );
            continue;
        }
        let (ours, theirs): (Vec<f64>, Vec<f64>) = figures.iter().copied().unzip();
        let ratios: Vec<f64> = figures.iter().map(|(ours, theirs)| ours / theirs).collect();
        let (our_cv, their_cv) = (robust_cv(&ours), robust_cv(&theirs));
        let figure = |values: &[f64]| match pair.ours {
            Ours::Bandwidth(_) => format!("{:.2}", median(values) / 1e9),
            Ours::Handoff => format!("{:.1}", median(values)),
        };
        println!(
            "{head}  {:>7}  {:>7}  {:>7.2}  {:>5.1} %  {:>5.1} %  {:>8.2}  {:<3}  {}",
            figure(&theirs),
            figure(&ours),
            median(&ratios),
            their_cv * 100.0,
            our_cv * 100.0,
            our_cv / their_cv,
            if pair.alike { "yes" } else { "no" },
            pair.measures
        );
    }
    println!(
        "\nGB/s read and written, and ns of core-to-core-latency; medians over runs, and of each \
         run's ratio."
    );
    println!(
        "CV: 1.4826 times the median absolute deviation, by the median. A bar is set where both \
         measure the same thing."
    );
}

fn robust_cv(samples: &[f64]) -> f64 {
    let middle = median(samples);
    let deviations: Vec<f64> = samples.iter().map(|sample| (sample - middle).abs()).collect();
    MAD_TO_SD * median(&deviations) / middle
}

/// Of an even number the mean of the two in the middle: a spread of two runs is not to look like
/// none.
pub(crate) fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    match (sorted.len(), sorted.len() / 2) {
        (0, _) => f64::NAN,
        (count, half) if count % 2 == 0 => f64::midpoint(sorted[half - 1], sorted[half]),
        (_, half) => sorted[half],
    }
}
