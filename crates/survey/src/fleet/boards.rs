//! Boards under other names, and names with other boards.
//!
//! A board is known by a hash of its serial number, which surveys have beside the host's name where
//! root measured. Neither a name nor a board that moved is a fault. A serial number that several
//! machines have, as some vendors give, is no identity: three machines have it, or two at once. Two
//! that have it within a day are two at once, unless one of them shows another board, or each is
//! surveyed for longer than a day.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::fleet::naming::names;
use crate::fleet::natural_key;
use crate::fleet::surveys::FleetSurvey;

/// A name that has another board than before, or a board that has another name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct BoardChange {
    /// The machine's name.
    pub machine: String,
    /// Whose board it was before; null where no other machine had it.
    pub board_of: Option<String>,
    /// Whether the machine had another board before. If not, it may be `board_of` with a new name.
    pub had_another: bool,
    /// When the first survey with this board began (RFC 3339).
    pub since: String,
    /// When the last survey before it began: of the machine with the other board, else of
    /// `board_of`.
    pub before: String,
}

/// From the last survey of a board under one name to the first under another, where nothing else
/// shows a move: two machines with one serial number are surveyed on the same day.
const SECONDS_BETWEEN_NAMES: i64 = 24 * 3600;

/// A board with one name, from its first survey to its last one before the machine has another
/// board.
struct Stay<'s> {
    board: &'s str,
    machine: &'s str,
    first: &'s FleetSurvey,
    last: &'s FleetSurvey,
}

/// By machine, then by time.
pub(crate) fn board_changes(surveys: &[FleetSurvey]) -> Vec<BoardChange> {
    if surveys.iter().all(|survey| survey.board.is_none()) {
        return Vec::new();
    }
    let names = names(surveys);
    let mut dated: Vec<(&FleetSurvey, &str)> =
        surveys.iter().zip(names.iter().map(String::as_str)).collect();
    dated.retain(|(survey, _)| survey.board.is_some() && survey.began.is_some());
    dated.sort_by_cached_key(|(survey, machine)| (survey.began, natural_key(machine)));
    let mut by_board: BTreeMap<&str, Vec<Stay<'_>>> = BTreeMap::new();
    // Of each machine, one after the other.
    let mut boards_of: HashMap<&str, Vec<&str>> = HashMap::new();
    for (survey, machine) in dated {
        let board = survey.board.as_deref().unwrap_or_default();
        let of_machine = boards_of.entry(machine).or_default();
        let is_same = of_machine.last() == Some(&board);
        if !is_same {
            of_machine.push(board);
        }
        let stays = by_board.entry(board).or_default();
        match stays.last_mut().filter(|stay| is_same && stay.machine == machine) {
            Some(stay) => stay.last = survey,
            None => stays.push(Stay { board, machine, first: survey, last: survey }),
        }
    }
    by_board.retain(|_, stays| is_identity(stays, &boards_of));
    let mut by_machine: BTreeMap<_, Vec<&Stay<'_>>> = BTreeMap::new();
    for stay in by_board.values().flatten() {
        by_machine.entry(natural_key(stay.machine)).or_default().push(stay);
    }
    let mut changes = Vec::new();
    for mut stays in by_machine.into_values() {
        stays.sort_by_key(|stay| stay.first.began);
        let before = std::iter::once(None).chain(stays.iter().map(|stay| Some(*stay)));
        for (before, stay) in before.zip(&stays) {
            let of_board = by_board[stay.board].iter();
            let other = of_board.take_while(|other| other.first.began < stay.first.began);
            let other = other.last().filter(|other| other.machine != stay.machine);
            changes.extend(stay.change(before, other));
        }
    }
    changes
}

/// It has one name, or a second one from some time on.
fn is_identity(stays: &[Stay<'_>], boards_of: &HashMap<&str, Vec<&str>>) -> bool {
    let machines: BTreeSet<&str> = stays.iter().map(|stay| stay.machine).collect();
    let mut moves = stays.windows(2).filter(|two| two[0].machine != two[1].machine);
    let Some(two) = moves.next() else { return true };
    let (old, new) = (&two[0], &two[1]);
    let is_later = seconds_between(old.last, new.first) >= SECONDS_BETWEEN_NAMES;
    // Machines that share a number take turns with it from survey to survey.
    let is_long = |stay: &Stay<'_>| seconds_between(stay.first, stay.last) >= SECONDS_BETWEEN_NAMES;
    let shows_it = boards_of[new.machine].first() != Some(&new.board)
        || boards_of[old.machine].last() != Some(&old.board);
    let is_move = is_later || shows_it || (is_long(old) && is_long(new));
    machines.len() == 2 && is_move && moves.next().is_none()
}

/// None of surveys without a time.
fn seconds_between(one: &FleetSurvey, later: &FleetSurvey) -> i64 {
    let seconds = |survey: &FleetSurvey| survey.began.map_or(0, Timestamp::as_second);
    seconds(later) - seconds(one)
}

/// Names that machines do not have any more, and the new ones.
pub(crate) fn renamed(
    surveys: &[FleetSurvey],
    changes: &[BoardChange],
) -> BTreeMap<String, String> {
    let mut newest: HashMap<String, Option<Timestamp>> = HashMap::new();
    for (survey, machine) in surveys.iter().zip(names(surveys)) {
        let at = newest.entry(machine).or_default();
        *at = (*at).max(survey.began);
    }
    let moved = changes.iter().filter(|change| !change.had_another);
    let moved = moved.filter_map(|change| Some((change.board_of.clone()?, change)));
    // A name that is used later has another board by then.
    let before = |change: &BoardChange| change.before.parse().ok();
    let gone =
        moved.filter(|(old, change)| newest.get(old).is_some_and(|at| *at <= before(change)));
    gone.map(|(old, change)| (old, change.machine.clone())).collect()
}

impl Stay<'_> {
    /// After another board of this machine, and after this board was in another one.
    fn change(&self, before: Option<&Self>, other: Option<&Self>) -> Option<BoardChange> {
        let last = before.or(other)?.last;
        Some(BoardChange {
            machine: self.machine.to_owned(),
            board_of: other.map(|other| other.machine.to_owned()),
            had_another: before.is_some(),
            since: self.first.started.clone(),
            before: last.started.clone(),
        })
    }
}
