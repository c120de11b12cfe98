//! First screens of every command that explains or compares: the answer is in their first lines,
//! and nothing is wider than the terminal.

use nearfar_diagnose::doctor::{DoctorDocument, Facility, Obstruction};
use nearfar_machine::ProcessRights;
use nearfar_survey::fleet::text::FleetDetail;
use nearfar_view::terminal::screen::{MAX_LINES, Screen};
use nearfar_view::terminal::width;

use crate::all_screens::{self, plain, words};

const WIDTHS: [usize; 4] = [40, 60, 80, 120];

/// Whether a screen has its answer first and fits the terminal.
fn check(name: &str, screen: &dyn Fn() -> Screen) {
    for columns in WIDTHS {
        let shown = width::with(columns, screen);
        let text = shown.plain();
        let widest = text.lines().max_by_key(|line| line.chars().count()).unwrap_or_default();
        assert!(widest.chars().count() <= columns, "{name}, {columns} columns: {widest}");
        let [first, last] = [&shown.first, &shown.last].map(|part| plain(part));
        let lines = first.lines().count() + 1 + last.lines().count();
        assert!(lines <= MAX_LINES, "{name}, {columns} columns, {lines} lines:\n{first}\n{last}");
        if columns == 80 {
            let start = words(&first.lines().take(3).collect::<Vec<_>>().join(" "));
            let last = words(&last);
            let answer = last.split_once(": ").map_or(last.as_str(), |(_, answer)| answer);
            assert!(start.contains(answer), "{name}: '{answer}' is not in: {start}");
        }
    }
}

#[test]
fn machines_have_their_answer_first() {
    all_screens::machines(1, &mut check);
}

#[test]
fn saved_interrupts_have_their_answer_first() {
    all_screens::interrupts(&mut check);
}

#[test]
fn documents_have_their_answer_first() {
    all_screens::comparisons(&mut check);
    let fleet = all_screens::fleet();
    let brief = nearfar_survey::fleet::text::text(&fleet, FleetDetail::Brief, ".").plain();
    let full = nearfar_survey::fleet::text::text(&fleet, FleetDetail::Full, ".").plain();
    assert!(!words(&brief).contains("; q ") && words(&full).contains("; q "), "{brief}\n{full}");
}

#[test]
fn permissions_have_their_answer_first() {
    for user in [0, 1000] {
        for obstacle in [None, Some(Obstruction::CallRefused { call: "mbind".to_owned() })] {
            let process = ProcessRights { user: Some(user), ..ProcessRights::default() };
            let all = Facility::ALL.map(|facility| (facility, obstacle.clone()));
            let document = DoctorDocument::new(process, all);
            for columns in WIDTHS {
                let screen =
                    width::with(columns, || nearfar_diagnose::doctor::text::text(&document));
                let lines = screen.first.lines().count() + 1 + screen.last.lines().count();
                assert!(lines <= MAX_LINES, "{}", screen.plain());
                let start: Vec<&str> = screen.first.lines().take(3).collect();
                assert!(words(&plain(&start.join(" "))).contains("facilities are available"));
                let text = screen.plain();
                assert!(text.lines().all(|line| line.chars().count() <= columns), "{text}");
            }
        }
    }
}
