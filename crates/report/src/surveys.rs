//! The list of kept surveys.

use nearfar_survey::{Content, Kept};

use crate::table::{Align, Table};

/// One line a survey: when, which machine, its verdict, its file.
pub fn text(kept: &[Kept]) -> String {
    let mut table = Table::default();
    table.line(["started (UTC)", "machine", "NUMA", "effect", "file"].map(str::to_owned).to_vec());
    for survey in kept {
        table.line(line(survey));
    }
    table.text(&[Align::Left])
}

fn line(kept: &Kept) -> Vec<String> {
    match &kept.content {
        Content::Survey { machine, verdict, provenance } => vec![
            provenance.started.replace('T', " ").trim_end_matches('Z').to_owned(),
            machine.short_name(),
            verdict.numa.to_string(),
            verdict.effect.map_or_else(|| "-".to_owned(), |effect| format!("{:+.1} %", effect * 100.0)),
            kept.path.display().to_string(),
        ],
        Content::Unreadable { why } => vec!["-".into(), "-".into(), "unreadable".into(), "-".into(), why.clone()],
    }
}
