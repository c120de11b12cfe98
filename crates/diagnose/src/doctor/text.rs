//! What a machine allows, what each refusal disables and how to allow it: in sentences.

mod reasons;
mod remedies;
mod to_do;

use nearfar_machine::ProcessRights;
use nearfar_view::terminal::printable;
use nearfar_view::terminal::screen::Screen;
use nearfar_view::text::fitted::ScreenParts;
use nearfar_view::text::paragraph;
use nearfar_view::text::{table, verb_of};

use crate::doctor::{CheckState, DoctorDocument, FacilityCheck};

/// Under a facility's line.
const INDENT: &str = "    ";
/// Names in the verdict; more are counted.
const MAX_NAMES: usize = 3;

/// What is not allowed and what gives it, then each facility.
pub fn text(document: &DoctorDocument) -> Screen {
    let missing: Vec<&FacilityCheck> =
        document.checks.iter().filter(|check| check.reason.is_some()).collect();
    let mut sections = vec![missing_table(&missing)];
    let reasons = missing.iter().filter_map(|check| obstructed(check));
    sections.push(reasons.collect::<Vec<_>>().join("\n"));
    sections.push(list(document));
    ScreenParts {
        answer: answer(document, &missing),
        to_do: to_do::commands(&missing, &document.process),
        sections,
        verdict: verdict(document, &missing),
    }
    .screen()
}

/// How many there are, then the names by state.
fn answer(document: &DoctorDocument, missing: &[&FacilityCheck]) -> Vec<String> {
    const STATES: [(CheckState, &str); 5] = [
        (CheckState::Refused, "Refused"),
        (CheckState::Unreadable, "Unreadable"),
        (CheckState::Off, "Off"),
        (CheckState::Limited, "Limited"),
        (CheckState::Absent, "Not on this machine"),
    ];
    let process = process(&document.process);
    let all = document.checks.len();
    if missing.is_empty() {
        return vec![format!("All {all} facilities are available to {process}.")];
    }
    let names = STATES.iter().filter_map(|(state, title)| {
        let those = missing.iter().filter(|check| check.state == *state);
        let names: Vec<&str> = those.map(|check| check.facility.name()).collect();
        (!names.is_empty()).then(|| format!("{title}: {}.", names.join(", ")))
    });
    let available = all - missing.len();
    vec![
        format!(
            "{available} of {all} facilities {} available to {process}.",
            verb_of(available, "are")
        ),
        names.collect::<Vec<_>>().join(" "),
    ]
}

fn verdict(document: &DoctorDocument, missing: &[&FacilityCheck]) -> String {
    let all = document.checks.len();
    let names: Vec<&str> = missing.iter().map(|check| check.facility.name()).collect();
    match (names.len(), names.len().saturating_sub(MAX_NAMES)) {
        (0, _) => format!("Permissions: all {all} facilities are available"),
        (_, 0) => format!("Permissions: {} of {all} missing: {}", names.len(), names.join(", ")),
        (missing, more) => format!(
            "Permissions: {missing} of {all} missing: {} and {more} more",
            names[..MAX_NAMES].join(", ")
        ),
    }
}

/// The user, and where its process runs.
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
    user + &place
}

/// What does not work, or works with less.
fn missing_table(missing: &[&FacilityCheck]) -> String {
    let row = |check: &&FacilityCheck| {
        [check.facility.name().to_owned(), state(check.state).to_owned(), effects(check)]
    };
    let heads = ["facility", "state", "what it costs"];
    table("Not available", heads, missing.iter().map(row).collect())
}

/// "fails: nearfar run -m; less: nearfar survey".
fn effects(check: &FacilityCheck) -> String {
    let effects = [("fails", &check.disables), ("does less", &check.limits)];
    let effects = effects.iter().filter(|(_, commands)| !commands.is_empty());
    let effects = effects.map(|(what, commands)| format!("{what}: {}", commands.join(", ")));
    effects.collect::<Vec<_>>().join("; ")
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
        "All facilities",
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
