//! The list of kept surveys.

use nearfar_survey::{Content, Kept};

use crate::table::{Align, Table};

/// One line a survey: when, which machine, its verdict, its file.
pub fn text(kept: &[Kept]) -> String {
    let mut table = Table::default();
    table.line(["started (UTC)", "machine", "NUMA", "effect", "file"]);
    for survey in kept {
        table.line(line(survey));
    }
    table.text(&[Align::Left])
}

fn line(kept: &Kept) -> [String; 5] {
    match &kept.content {
        Content::Survey { machine, verdict, provenance } => [
            provenance.started.replace('T', " ").trim_end_matches('Z').to_owned(),
            machine.short_name(),
            verdict.numa.to_string(),
            verdict.effect.map_or_else(|| "-".to_owned(), |effect| format!("{:+.1} %", effect * 100.0)),
            kept.path.display().to_string(),
        ],
        Content::Unreadable { why } => ["-", "-", "unreadable", "-", why].map(str::to_owned),
    }
}
