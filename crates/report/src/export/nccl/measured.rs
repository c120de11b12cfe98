//! Measured bandwidths as comments: NCCL's format has none between packages.

use nearfar_model::Unit;
use nearfar_survey::Survey;

use super::write::Writer;
use crate::export::figures::{self, KERNEL};

pub(super) fn comments(survey: &Survey, writer: &mut Writer) {
    let started = &survey.provenance.started;
    writer.comment(0, &format!("Measured by nearfar, {started}: bandwidth of kernel '{KERNEL}'"));
    for cell in figures::bandwidth(survey) {
        let from = format!("CPUs {} from node {}", cell.row.cpus, cell.node);
        writer.comment(
            0,
            &match cell.figure {
                Ok(figure) => {
                    let [low, high] = figure.ci95.map(|end| Unit::BytesPerSecond.shown(end));
                    let median = Unit::BytesPerSecond.shown(figure.median);
                    format!("{from}: {median:.1} GB/s (95 % interval {low:.1} to {high:.1})")
                }
                Err(why) => format!("{from}: undetermined, {why}"),
            },
        );
    }
}
