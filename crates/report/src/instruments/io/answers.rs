//! What each factor costs, in sentences.

use nearfar_infer::FactorVerdict;
use nearfar_survey::{
    AccessTreatment, Io, IoAccess, IoBest, IoTable, PlacedAccess, PlacementEffect, PlacementFactor,
};
use nearfar_view::text::paragraph;
use nearfar_view::text::percent::percent;

use super::super::placement;
use super::{figures, names};
use crate::pictures::survey_pictures::Answers;
use crate::survey::Verbosity;

/// Interrupts that mostly run beside the program are not a factor of their own.
const MOSTLY: f64 = 0.9;

/// A paragraph for each kind of access.
pub(super) fn texts<T: AccessTreatment>(table: &IoTable<T>, verbosity: Verbosity) -> Vec<String> {
    let paragraph = |answers: Answers| {
        let lines = answers.lines.iter().map(|line| paragraph::remark(line));
        paragraph::of(&answers.about, "", "  ") + &lines.collect::<String>()
    };
    for_accesses(table, verbosity).into_iter().map(paragraph).collect()
}

/// What each factor of each kind of access costs, and the best placement.
pub(super) fn for_accesses<T: AccessTreatment>(
    table: &IoTable<T>,
    verbosity: Verbosity,
) -> Vec<Answers> {
    let answers = |best: &IoBest| Answers {
        about: names::access(&best.access),
        lines: lines(table, best, verbosity),
    };
    table.best.iter().map(answers).collect()
}

fn lines<T: AccessTreatment>(
    table: &IoTable<T>,
    best: &IoBest,
    verbosity: Verbosity,
) -> Vec<String> {
    if !has_figures(table, &best.access) {
        return vec!["No figures: the reason is below.".to_owned()];
    }
    let effects = || table.factors.iter().filter(|effect| effect.access == best.access);
    let mut lines: Vec<String> =
        effects().map(|effect| placement::effect(effect, "Buffer", verbosity)).collect();
    if lines.is_empty() {
        lines.push(why_no_effects(table).to_owned());
    }
    lines.extend(interrupts(table, &best.access));
    lines.push(best_placement(best, effects()));
    lines.extend(best_interrupts(best));
    lines
}

fn best_placement<'t>(
    best: &IoBest,
    mut effects: impl Iterator<Item = &'t PlacementEffect<IoAccess>>,
) -> String {
    let is_open = |effect: &PlacementEffect<IoAccess>| {
        effect.verdict == FactorVerdict::Undetermined
            && effect.factor != PlacementFactor::Interrupts
    };
    match &best.run_by {
        Some(run_by) => format!("Best placement: '{run_by}'"),
        None if effects.any(is_open) => {
            "Best placement: undetermined. A longer --budget narrows the intervals.".to_owned()
        }
        None => "Best placement: any.".to_owned(),
    }
}

fn best_interrupts(best: &IoBest) -> Option<String> {
    let place = best.interrupt_place.as_deref()?;
    let target = &best.access.target;
    Some(match place {
        "near" => format!("Best interrupts: 'nearfar irq set {target} --near'"),
        place => format!("Best interrupts: {place} ('nearfar irq set {target} --cpus LIST')"),
    })
}

fn has_figures<T: AccessTreatment>(table: &IoTable<T>, access: &IoAccess) -> bool {
    let cells = &mut table.part.matrix.cells.iter();
    let is_own = |treatment: &T| treatment.access().without_interrupts() == *access;
    cells.any(|cell| cell.median.is_some() && is_own(&cell.treatment))
}

fn why_no_effects<T: AccessTreatment>(table: &IoTable<T>) -> &'static str {
    let matrix = &table.part.matrix;
    if matrix.rows.iter().any(|row| row.node.is_none()) {
        "The kernel has no nodes here: there is nothing to compare."
    } else {
        "One node: program and buffer have no other place, and there is nothing to compare."
    }
}

/// Where interrupts ran, if they were not set.
fn interrupts<T: AccessTreatment>(table: &IoTable<T>, access: &IoAccess) -> Option<String> {
    let is_of_access = |treatment: usize| {
        table
            .part
            .treatments
            .get(treatment)
            .is_some_and(|treatment| treatment.access().without_interrupts() == *access)
    };
    let is_compared = table
        .factors
        .iter()
        .any(|effect| effect.factor == PlacementFactor::Interrupts && effect.access == *access);
    let set_to = table.part.treatments.iter().find_map(|treatment| {
        let treated = treatment.access();
        treated.interrupts.clone().filter(|_| treated.without_interrupts() == *access)
    });
    match set_to {
        _ if is_compared => return None,
        Some(place) => return Some(format!("Interrupts: set {place}, and compared with nothing.")),
        None => {}
    }
    let served: Vec<_> =
        table.served.iter().filter(|served| is_of_access(served.treatment)).collect();
    if served.is_empty() {
        return Some("Interrupts: unknown, the kernel shows none of this disk.".to_owned());
    }
    let all: f64 = served.iter().map(|served| served.interrupts as f64).sum();
    let beside = served.iter().map(|served| served.by_row * served.interrupts as f64).sum::<f64>();
    let shown = percent(beside / all);
    Some(if table.part.matrix.rows.len() < 2 {
        format!("Interrupts: {shown} ran on the CPUs of the program's group.")
    } else if beside >= MOSTLY * all {
        format!(
            "Interrupts: {shown} ran on CPUs of the program's group. So the effect of the program \
             includes that of its interrupts."
        )
    } else {
        format!(
            "Interrupts: {shown} ran on CPUs of the program's group. They were not set, and their \
             effect is unknown (--irq near,far sets those that can be moved)."
        )
    })
}

/// The largest effect, or that there is none.
pub(super) fn in_a_line(io: &Io) -> Option<String> {
    let decided = io
        .factors()
        .filter(|effect| matches!(effect.verdict, FactorVerdict::Slower | FactorVerdict::Faster));
    let size = |effect: &&PlacementEffect<IoAccess>| effect.ratio.ln().abs();
    if let Some(largest) = decided.max_by(|a, b| size(a).total_cmp(&size(b))) {
        let short = placement::without_interval(largest, "Buffer");
        return Some(format!("{}: {short}", names::access(&largest.access)));
    }
    let mut effects = io.factors().peekable();
    if effects.peek().is_none() {
        return figures_in_a_line(io);
    }
    let is_same = effects.all(|effect| effect.verdict == FactorVerdict::Same);
    Some(if is_same {
        "no difference beyond 2 %, wherever program and buffer are".to_owned()
    } else {
        "undetermined: intervals are too wide".to_owned()
    })
}

/// The first figure of each table, where there is nothing to compare: "52.9 ±0.4 µs, 2.8 ±0.1
/// GB/s".
fn figures_in_a_line(io: &Io) -> Option<String> {
    let latency = io.latency.iter().flat_map(|table| &table.part.matrix.cells);
    let latency = latency.filter(|cell| cell.median.is_some()).map(figures::us_text).next();
    let rates = io.throughput.iter().flat_map(|table| &table.part.matrix.cells);
    let rate = rates.filter(|cell| cell.median.is_some()).map(figures::gb_text).next();
    let latency = latency.map(|text| format!("{text} µs"));
    let shown = [latency, rate.map(|text| format!("{text} GB/s"))];
    let shown: Vec<String> = shown.into_iter().flatten().collect();
    (!shown.is_empty()).then(|| shown.join(", "))
}
