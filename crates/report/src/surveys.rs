//! The list of kept surveys.

use std::path::Path;

use nearfar_survey::{Content, KeptSurvey};
use nearfar_view::terminal::printable;
use nearfar_view::terminal::table::{Align, headed};
use nearfar_view::text::or_dash;

use crate::survey::headline::is_time_stamp;

/// Their folder, then one line a survey: when, which machine, its verdict, its file.
pub fn text(kept: &[KeptSurvey], folder: &Path) -> String {
    let folder_name = folder.display().to_string();
    let place = format!("Surveys in {}\n", printable::line(&folder_name));
    let head = ["", "started (UTC)", "machine", "measured", "NUMA", "slowest/fastest", "file"];
    let lines = kept.iter().enumerate().map(|(at, one)| {
        let [started, machine, measured, numa, effect, file] = line(one, folder);
        [(at + 1).to_string(), started, machine, measured, numa, effect, file]
    });
    let aligns = [&[Align::Right][..], &[Align::Left; 6]].concat();
    place
        + &headed(head, lines, &aligns)
        + "'nearfar show N' shows one, 'nearfar compare A B' two\n"
}

fn line(kept: &KeptSurvey, folder: &Path) -> [String; 6] {
    match &kept.content {
        Content::Survey { machine, verdict, provenance, measured } => [
            started(&provenance.started),
            machine.short_name(),
            instruments(measured),
            or_dash(measured.iter().any(|name| name == "latency").then_some(verdict.numa)),
            or_dash(verdict.effect.map(|effect| format!("{:.2}", 1.0 + effect))),
            kept.path.strip_prefix(folder).unwrap_or(&kept.path).display().to_string(),
        ],
        // The reason names the file.
        Content::Unreadable { why_below, .. } => {
            ["-", "-", "unreadable", "-", "-", why_below].map(str::to_owned)
        }
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
