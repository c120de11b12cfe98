//! What the figures mean for somebody who places programs: sentences, each with the number that backs it.

use crate::{PageSize, Survey, core_walk};

/// The sentences, the most useful first.
pub(crate) fn sentences(survey: &Survey) -> Vec<String> {
    let mut sentences = Vec::new();
    sentences.extend(survey.page_size.as_ref().and_then(PageSize::sentence));
    sentences.extend(slow_cpus(survey));
    sentences.extend(core_walk::sentence(survey));
    sentences
}

/// Differences between rows below this are not worth a sentence.
const WORTH_SAYING: f64 = 0.02;

/// The nearest memory of each row, compared over rows: clocks, or memory that is far from some CPUs.
fn slow_cpus(survey: &Survey) -> Option<String> {
    if survey.latency.probe == "core-walk" {
        return None;
    }
    let nearest = (0..survey.latency.rows.len()).filter_map(|row| {
        let cell = survey.latency.cell(row, survey.latency.nearest_column(row)?)?;
        Some((cell.median?, cell.ci95?, &survey.latency.rows[row]))
    });
    let nearest: Vec<_> = nearest.collect();
    let fastest = nearest.iter().min_by(|a, b| a.0.total_cmp(&b.0))?;
    let slowest = nearest.iter().max_by(|a, b| a.0.total_cmp(&b.0))?;
    let more = slowest.0 / fastest.0 - 1.0;
    let apart = slowest.1[0] > fastest.1[1];
    (apart && more >= WORTH_SAYING).then(|| {
        format!(
            "{} (CPU {}) needs {:.1} % more time for its nearest memory than {} (CPU {}); that may be clocks as well as memory.",
            slowest.2.label, slowest.2.cpus, more * 100.0, fastest.2.label, fastest.2.cpus
        )
    })
}
