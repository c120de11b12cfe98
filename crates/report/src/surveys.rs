//! The list of kept surveys.

use nearfar_survey::{Content, Kept};
use nearfar_terminal::table::{Align, Table};

use crate::survey::headline::is_time_stamp;

/// One line a survey: when, which machine, its verdict, its file.
pub fn text(kept: &[Kept]) -> String {
    let mut table = Table::default();
    table.line(["started (UTC)", "machine", "measured", "NUMA", "effect", "file"]);
    for survey in kept {
        table.line(line(survey));
    }
    table.text(&[Align::Left])
}

fn line(kept: &Kept) -> [String; 6] {
    match &kept.content {
        Content::Survey { machine, verdict, provenance, measured } => [
            started(&provenance.started),
            machine.short_name(),
            instruments(measured),
            match measured.iter().any(|name| name == "latency") {
                true => verdict.numa.to_string(),
                false => "-".to_owned(),
            },
            verdict.effect.map_or_else(|| "-".to_owned(), |effect| format!("{:+.1} %", effect * 100.0)),
            kept.path.display().to_string(),
        ],
        Content::Unreadable { why } => ["-", "-", "unreadable", "-", "-", why].map(str::to_owned),
    }
}

fn started(text: &str) -> String {
    match is_time_stamp(text) {
        true => text.replace('T', " ").trim_end_matches('Z').to_owned(),
        false => text.to_owned(),
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
