//! What a machine allows, what each refusal disables and how to allow it: in sentences.

mod reasons;
mod remedies;

use nearfar_machine::ProcessRights;
use nearfar_view::terminal::printable;
use nearfar_view::text::paragraph;
use nearfar_view::text::sections;
use nearfar_view::text::table;

use crate::doctor::{CheckState, DoctorDocument, FacilityCheck};

/// Under a facility's line.
const INDENT: &str = "    ";

/// The list, then each facility that is not available.
pub fn text(document: &DoctorDocument) -> String {
    let obstructed = document.checks.iter().filter_map(obstructed);
    sections(std::iter::once(list(document)).chain(obstructed))
}

fn process(process: &ProcessRights) -> String {
    let user = match process.user {
        Some(0) => "root".to_owned(),
        Some(user) => format!("user {user}"),
        None => "an unknown user".to_owned(),
    };
    let place = match (&process.container, process.has_seccomp_filter) {
        (Some(engine), _) => format!(" in a container ({})", printable::line(engine)),
        (None, Some(true)) => " under a seccomp filter, as in containers".to_owned(),
        (None, _) => String::new(),
    };
    format!("This process runs as {user}{place}.")
}

fn list(document: &DoctorDocument) -> String {
    let line = |check: &FacilityCheck| {
        [
            check.facility.name().to_owned(),
            state(check.state).to_owned(),
            check.facility.uses().to_owned(),
        ]
    };
    table(
        &process(&document.process),
        ["facility", "state", "for"],
        document.checks.iter().map(line).collect(),
    )
}

/// A facility that is not available: why, what that disables, how to allow it.
fn obstructed(check: &FacilityCheck) -> Option<String> {
    let reason = check.reason.as_ref()?;
    let heading = format!("{}: {}", check.facility.name(), state(check.state));
    let mut text = paragraph::with_bold_head(&heading, "", "");
    let mut labelled = |label: &str, sentence: &str| {
        text += &paragraph::of(sentence, &format!("{INDENT}{label:<12}"), &" ".repeat(16));
    };
    labelled("Reason", &reasons::reason(reason));
    if !check.disables.is_empty() {
        labelled("Disables", &check.disables.join(", "));
    }
    if !check.limits.is_empty() {
        labelled("Limits", &check.limits.join(", "));
    }
    for remedy in &check.remedies {
        labelled(remedies::label(remedy), &remedies::sentence(remedy));
    }
    Some(text)
}

fn state(state: CheckState) -> &'static str {
    match state {
        CheckState::Allowed => "ok",
        CheckState::Limited => "limited",
        CheckState::Off => "off",
        CheckState::Refused => "refused",
        CheckState::Unreadable => "unreadable",
        CheckState::Absent => "absent",
    }
}
