//! Distance classes, near to far: the latency of each, and its pairs of nodes.

use std::collections::BTreeSet;

use nearfar_infer::classes::LatencyClass;
use nearfar_survey::DistanceClasses;
use nearfar_view::text::count;
use nearfar_view::text::csv_text::under;
use nearfar_view::text::paragraph;

use super::cell::{larger_half, with_spread};
use crate::links::reasons::no_classes;

/// Pairs listed of a class.
const MAX_PAIRS: usize = 16;
/// Below the cost's digits.
const INDENT: &str = "               ";

/// How many classes there are, from the nearest to the farthest.
pub(super) fn answer(classes: &DistanceClasses) -> String {
    match (&classes.refused, &classes.classes[..]) {
        (Some(why), _) => format!("classes: undetermined: {}", no_classes(why)),
        (_, []) => "classes: none".to_owned(),
        (_, [only]) => format!("classes: one, all memory has {} ns", cost(only)),
        (_, [first, .., last]) => {
            let [low, high] = [first, last].map(|class| class.cost_ns);
            let number = classes.classes.len();
            format!("classes: {number} distances of memory, {low:.0} to {high:.0} ns")
        }
    }
}

/// A line for each class.
pub(super) fn in_short(classes: &DistanceClasses) -> String {
    let [_, _, ..] = classes.classes[..] else { return text(classes) };
    let all: BTreeSet<[u32; 2]> =
        classes.classes.iter().flat_map(|class| class.cells.iter().copied()).collect();
    let line = |class: &LatencyClass| {
        let head = format!("{:>12}   ", cost(class));
        let members = paragraph::of(&members(class, &all, false), &head, INDENT);
        match members.lines().count() {
            1 => members,
            _ => format!("{head}{} of CPUs and memory\n", count(class.cells.len(), "pair")),
        }
    };
    title() + &classes.classes.iter().map(line).collect::<String>()
}

fn title() -> String {
    paragraph::of("distance classes, mean ns (± 95 %) by pairs of nodes", "", "  ")
}

pub(super) fn text(classes: &DistanceClasses) -> String {
    if let Some(why) = &classes.refused {
        return paragraph::of(&no_classes(why), "distance classes: undetermined: ", "  ");
    }
    if let [only] = &classes.classes[..] {
        let only = format!("one, all memory has {} ns", cost(only));
        return paragraph::of(&only, "distance classes: ", "  ");
    }
    let cells: BTreeSet<[u32; 2]> =
        classes.classes.iter().flat_map(|class| class.cells.iter().copied()).collect();
    let last = classes.classes.len().saturating_sub(1);
    let lines = classes.classes.iter().enumerate().map(|(at, class)| {
        let members = members(class, &cells, at == last);
        paragraph::of(&members, &format!("{:>12}   ", cost(class)), INDENT)
    });
    title() + &lines.collect::<String>()
}

/// "97.0 ±0.5".
fn cost(class: &LatencyClass) -> String {
    let half = larger_half(class.cost_ns, class.ci95);
    with_spread(class.cost_ns, half, usize::from(class.cost_ns < 100.0 || half < 1.0))
}

/// "local, 0-1, 2>3": a pair is both directions, unless the other direction is in another class.
/// `cells` are those of all classes.
fn members(class: &LatencyClass, cells: &BTreeSet<[u32; 2]>, is_last: bool) -> String {
    let own: Vec<u32> =
        class.cells.iter().filter(|[cpus, memory]| cpus == memory).map(|cell| cell[0]).collect();
    let all_own = cells.iter().filter(|[cpus, memory]| cpus == memory).count();
    let mut members = match own.len() {
        0 => vec![],
        number if number == all_own => vec!["local".to_owned()],
        _ => own.iter().map(|node| format!("{node} local")).collect(),
    };
    let here: BTreeSet<[u32; 2]> = class.cells.iter().copied().collect();
    let pairs: Vec<String> = here.iter().filter_map(|&cell| pair(cell, &here, cells)).collect();
    let more = pairs.len().saturating_sub(MAX_PAIRS);
    if more > 0 && is_last {
        members.push(format!("all others ({})", pairs.len()));
    } else {
        members.extend(pairs.into_iter().take(MAX_PAIRS));
        members.extend((more > 0).then(|| format!("and {more} more")));
    }
    members.join(", ")
}

/// A pair's name, once.
fn pair(
    [cpus, memory]: [u32; 2],
    here: &BTreeSet<[u32; 2]>,
    cells: &BTreeSet<[u32; 2]>,
) -> Option<String> {
    let back = [memory, cpus];
    match (
        cpus == memory || (here.contains(&back) && memory < cpus),
        here.contains(&back) || !cells.contains(&back),
    ) {
        (true, _) => None,
        (_, true) => Some(format!("{cpus}-{memory}")),
        (_, false) => Some(format!("{cpus}>{memory}")),
    }
}

/// A record for each cell.
pub(super) fn csv(classes: &DistanceClasses) -> String {
    let record = |at: usize, class: &LatencyClass, [cpus, memory]: [u32; 2]| {
        let [low, high] = class.ci95;
        [
            at.to_string(),
            class.cost_ns.to_string(),
            low.to_string(),
            high.to_string(),
            cpus.to_string(),
            memory.to_string(),
        ]
    };
    let all = classes.classes.iter().enumerate();
    let records =
        all.flat_map(|(at, class)| class.cells.iter().map(move |&nodes| record(at, class, nodes)));
    under("class,cost_ns,ci95_low_ns,ci95_high_ns,cpu_node,memory_node", records)
}

#[cfg(test)]
mod tests {
    use nearfar_infer::classes::NoClasses;

    use super::*;

    fn class(cost_ns: f64, cells: &[[u32; 2]]) -> LatencyClass {
        LatencyClass { cost_ns, ci95: [cost_ns - 1.0, cost_ns + 0.5], cells: cells.to_vec() }
    }

    #[test]
    fn pairs_show_a_direction_only_where_directions_differ() {
        let all = vec![
            class(80.0, &[[0, 0], [1, 1]]),
            class(140.0, &[[0, 1], [0, 4]]),
            class(180.0, &[[1, 0], [1, 4]]),
        ];
        let classes = DistanceClasses { classes: all, refused: None };
        let title = "distance classes, mean ns (± 95 %) by pairs of nodes";
        let expected = format!(
            "{title}\n   80.0 ±1.0   local\n      140 ±1   0>1, 0-4\n      180 ±1   1>0, 1-4\n"
        );
        assert_eq!(text(&classes), expected);
        let csv = csv(&classes);
        assert_eq!((csv.lines().count(), csv.lines().nth(3)), (7, Some("1,140,139,140.5,0,1")));
    }

    #[test]
    fn long_lists_of_pairs_are_cut() {
        let far: Vec<[u32; 2]> =
            (0..8).flat_map(|a| (0..8).map(move |b| [a, b])).filter(|[a, b]| a != b).collect();
        let own: Vec<[u32; 2]> = (0..8).map(|a| [a, a]).collect();
        let mut classes =
            DistanceClasses { classes: vec![class(80.0, &own), class(180.0, &far)], refused: None };
        assert!(text(&classes).contains("all others (28)"), "{}", text(&classes));
        classes.classes.reverse();
        assert!(text(&classes).replace("\n               ", " ").contains("and 12 more"));
    }

    #[test]
    fn one_class_and_no_class_take_a_line() {
        let mut classes =
            DistanceClasses { classes: vec![class(107.0, &[[0, 0], [0, 1]])], refused: None };
        assert_eq!(text(&classes), "distance classes: one, all memory has 107 ±1 ns\n");
        classes.refused = Some(NoClasses::Nothing);
        assert!(text(&classes).starts_with("distance classes: undetermined: no pair of nodes was"));
    }
}
