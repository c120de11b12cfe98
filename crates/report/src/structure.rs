//! The structure of a machine from a matrix of core-to-core latencies.

mod open_questions;

use nearfar_survey::{FoundGroup, Structure};
use nearfar_view::terminal::screen::Screen;
use nearfar_view::text::count;
use nearfar_view::text::paragraph;

use crate::first_screen::FirstScreen;
use crate::groups::{GroupKind, classes, kinds, listed, misclaimed};
use crate::survey::Verbosity;

/// Groups of each kind, costs of pairs, open questions, and skipped input.
pub fn text(structure: &Structure, verbosity: Verbosity) -> Screen {
    let mut screen = FirstScreen::new(groups(structure, verbosity), &verdict(structure));
    screen.section(remarks(structure));
    screen.section(classes(&structure.classes));
    screen.section(basis(structure));
    screen.screen()
}

/// "packages: 2, cache groups: 4, cores with several CPUs: undetermined".
fn verdict(structure: &Structure) -> String {
    let number = |(kind, groups): (GroupKind, &[FoundGroup])| {
        let number = match groups.len() {
            0 if is_none(structure, kind) => "none found".to_owned(),
            0 => "undetermined".to_owned(),
            number => number.to_string(),
        };
        format!("{}: {number}", kind.name())
    };
    paragraph::of(&kinds(&structure.groups).map(number).join(", "), "", "  ")
}

/// Whether costs show that there is no group of this kind.
fn is_none(structure: &Structure, kind: GroupKind) -> bool {
    kind == GroupKind::Cores && !structure.may_be_cores()
}

fn groups(structure: &Structure, verbosity: Verbosity) -> String {
    let line = |(kind, groups): (GroupKind, &[FoundGroup])| {
        let list = match groups {
            [] if is_none(structure, kind) => "none found".to_owned(),
            [] => "undetermined".to_owned(),
            // One group of all CPUs. The siblings of a single core are a smaller group.
            [only]
                if only.cpus.len() == structure.cpus.len() - structure.cpus_without_costs.len() =>
            {
                format!("{}: no smaller groups found", listed(groups, verbosity))
            }
            _ => listed(groups, verbosity),
        };
        paragraph::of(&list, &format!("{}: ", kind.name()), "  ")
    };
    kinds(&structure.groups).map(line).concat()
}

fn remarks(structure: &Structure) -> String {
    let wrong = structure.contradictions.iter().flatten().map(misclaimed);
    let holds = structure.contradictions.as_ref().filter(|wrong| wrong.is_empty());
    let holds =
        holds.map(|_| "these costs agree with the topology that the machine reports".to_owned());
    let slow = structure.slow.iter().map(|slow| {
        format!(
            "CPU {} is {:.1} times as slow to all others. Groups are those of the costs without \
             that",
            slow.cpu, slow.times
        )
    });
    let all = slow
        .chain(wrong)
        .chain(holds)
        .chain(structure.undetermined.iter().map(open_questions::sentence));
    all.map(|remark| paragraph::remark(&remark)).collect()
}

fn basis(structure: &Structure) -> String {
    let mut text = paragraph::of(
        &format!(
            "{}, {} of {} with a cost",
            count(structure.cpus.len(), "CPU"),
            structure.measured_pairs,
            count(structure.all_pairs, "pair")
        ),
        "",
        "  ",
    );
    let without = &structure.cpus_without_costs;
    let mut skipped: Vec<String> = Vec::new();
    skipped.extend((!without.is_empty()).then(|| format!("CPUs without any: {without}")));
    let counts = [
        (structure.ignored_costs, "impossible cost"),
        (structure.unreadable_cells, "unreadable cell"),
        (structure.skipped_lines, "line without costs"),
    ];
    skipped.extend(
        counts.iter().filter(|(number, _)| *number > 0).map(|(number, what)| count(*number, what)),
    );
    if !skipped.is_empty() {
        text += &paragraph::of(&skipped.join("; "), "skipped: ", "  ");
    }
    text
}

#[cfg(test)]
mod tests {
    use nearfar_infer::core_to_core::{ClaimedCpu, TopologyClaim, who_shares};
    use nearfar_survey::PairMatrix;

    use super::*;

    fn shown(matrix: &str, claim: Option<&TopologyClaim>) -> String {
        let matrix = PairMatrix::parse(matrix).unwrap();
        let found = who_shares(&matrix.costs, matrix.cpus.len(), claim);
        let wrong = claim.map(|claim| found.contradictions(&matrix.costs, claim));
        let document = Structure::new(&matrix, &found, wrong.as_deref());
        let screen = text(&document, Verbosity::Brief);
        assert!(screen.last.contains(&verdict(&document).lines().next().unwrap().to_owned()));
        screen.first + &screen.rest
    }

    /// Two packages of two cores of two CPUs.
    fn two_packages() -> String {
        let ns = |a: usize, b: usize| match (a % 4 == b % 4, a % 4 / 2 == b % 4 / 2) {
            (true, _) => "8",
            (_, true) => "45",
            _ => "110",
        };
        (0..8)
            .map(|a| {
                (0..8).map(|b| if b < a { ns(a, b) } else { "" }).collect::<Vec<_>>().join(",")
                    + "\n"
            })
            .collect()
    }

    #[test]
    fn groups_and_costs_are_listed() {
        let wanted = "packages: undetermined\ncache groups: 2 (0-1,4-5; 2-3,6-7)\ncores with \
                      several CPUs: 4 (0,4; 1,5; 2,6; 3,7)\n\n-  \
                      packages are undetermined: groups 0-1,4-5; 2-3,6-7 are packages or clusters \
                      of one package. Pairs\n   inside cost 45 ns, others 110 ns. --root \
                      compares with the reported topology\n\ntwo CPUs share  ns one way      25 \
                      to 75 %\na core                 8.0      8.0 to 8.0\na cache group         \
                      45.0    45.0 to 45.0\nnone of these        110.0  110.0 to 110.0\n\n\
                      8 CPUs, 28 of 28 pairs with a cost\n";
        assert_eq!(shown(&two_packages(), None), wanted);
    }

    #[test]
    fn wrong_claims_and_skipped_input_are_listed() {
        let place = |cpu: u32| ClaimedCpu {
            core: Some(cpu % 4),
            cache_group: Some(cpu % 4 / 2),
            package: Some(cpu % 4 / 2),
        };
        let mut claim = TopologyClaim { cpus: (0..8).map(place).collect() };
        assert!(
            shown(&two_packages(), Some(&claim))
                .contains("\n-  these costs agree with the topology that the machine reports\n")
        );
        claim.cpus.iter_mut().for_each(|cpu| cpu.cache_group = Some(0));
        let matrix = format!(
            "a comment\n{}",
            two_packages().replacen("110", "oops", 1).replacen("110", "-1", 1)
        );
        let text = shown(&matrix, Some(&claim));
        assert!(
            text.contains(
                "-  CPUs 2-3,6-7: claimed to share a cache group with 0-7, found to share it with \
                 2-3,6-7\n"
            ),
            "{text}"
        );
        let expected = "8 CPUs, 26 of 28 pairs with a cost\n\
                        skipped: 2 unreadable cells; 1 line without costs\n";
        assert!(text.ends_with(expected), "{text}");
    }

    /// At 0206d5e9: "cache groups: 2 (0-4,6-15; 5)".
    #[test]
    fn a_slow_cpu_is_named() {
        let ns = |a: usize, b: usize| if a == 5 || b == 5 { "90" } else { "50" };
        let row = |a: usize| (0..a).map(|b| ns(a, b)).collect::<Vec<_>>().join(",") + ",\n";
        let text = shown(&(0..16).map(row).collect::<String>(), None);
        assert!(text.contains("cache groups: 1 (0-15): no smaller groups found\n"), "{text}");
        assert!(text.contains("-  CPU 5 is 1.8 times as slow to all others. Groups"), "{text}");
    }

    #[test]
    fn one_group_and_no_group_are_stated() {
        let text = shown("45\n46,45\n44,45,46\n", None);
        assert!(
            text.starts_with("packages: 1 (0-3): no smaller groups found\n")
                && text.contains("CPUs: none found\n"),
            "{text}"
        );
        let text = shown("45\n", None);
        assert!(text.starts_with("packages: undetermined\ncache groups: undetermined\n"), "{text}");
        assert!(text.contains("-  all groups are undetermined: 2 CPUs have costs"), "{text}");
    }
}
