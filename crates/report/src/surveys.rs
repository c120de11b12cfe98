//! The list of kept surveys.

use nearfar_survey::{Content, KeptSurvey};
use nearfar_terminal::table::{Align, headed};

use crate::optional::or_dash;
use crate::percent::change;
use crate::survey::headline::is_time_stamp;

/// One line a survey: when, which machine, its verdict, its file.
pub fn text(kept: &[KeptSurvey]) -> String {
    let head = ["started (UTC)", "machine", "measured", "NUMA", "effect", "file"];
    headed(head, kept.iter().map(line), &[Align::Left])
}

fn line(kept: &KeptSurvey) -> [String; 6] {
    match &kept.content {
        Content::Survey { machine, verdict, provenance, measured } => [
            started(&provenance.started),
            machine.short_name(),
            instruments(measured),
            or_dash(measured.iter().any(|name| name == "latency").then_some(verdict.numa)),
            or_dash(verdict.effect.map(change)),
            kept.path.display().to_string(),
        ],
        Content::Unreadable { why } => ["-", "-", "unreadable", "-", "-", why].map(str::to_owned),
    }
}

fn started(text: &str) -> String {
    if is_time_stamp(text) {
        text.replace('T', " ").trim_end_matches('Z').to_owned()
    } else {
        text.to_owned()
    }
}

/// "latency", or "latency and 5 more".
fn instruments(measured: &[String]) -> String {
    match measured {
        [] => "nothing".to_owned(),
        [only] => only.clone(),
        [first, others @ ..] => format!("{first} and {} more", others.len()),
    }
}
