//! What the nodes of program and memory cost in each copy, and the controls.

use nearfar_infer::FactorVerdict;
use nearfar_survey::{CopyTreatment, GpuCopy, GpuNearest, GpuTable, PlacementEffect};
use nearfar_view::text::count;
use nearfar_view::text::paragraph;

use super::super::placement;
use super::names;
use crate::survey::Verbosity;

/// Comparisons of one level with its reference, in all kinds of copy.
#[derive(Default)]
struct Comparisons<'t> {
    /// The largest decided difference, and how many are decided in its direction.
    largest: Option<(&'t PlacementEffect<GpuCopy>, usize)>,
    same: usize,
    undetermined: usize,
    /// Decided differences in the other direction.
    opposed: usize,
}

/// A paragraph for each GPU: the largest difference of each level, and in how many kinds of copy
/// there is one.
pub(super) fn effects<T: CopyTreatment>(
    table: &GpuTable<T>,
    nearest: &[GpuNearest],
    verbosity: Verbosity,
) -> String {
    let factors: Vec<PlacementEffect<GpuCopy>> =
        table.factors.iter().map(|effect| from_nearest(effect, nearest)).collect();
    let mut levels: Vec<(&PlacementEffect<GpuCopy>, Comparisons<'_>)> = Vec::new();
    for effect in &factors {
        let is_same = |(known, _): &&mut (&PlacementEffect<GpuCopy>, _)| {
            known.access.gpus == effect.access.gpus
                && (known.factor, &known.level, &known.reference)
                    == (effect.factor, &effect.level, &effect.reference)
        };
        match levels.iter_mut().find(is_same) {
            Some((_, comparisons)) => comparisons.add(effect),
            None => {
                let mut comparisons = Comparisons::default();
                comparisons.add(effect);
                levels.push((effect, comparisons));
            }
        }
    }
    let mut text = String::new();
    let mut gpus: Option<&Vec<String>> = None;
    for (first, comparisons) in &levels {
        if gpus != Some(&first.access.gpus) {
            text += &paragraph::of(&names::together(&first.access), "", "");
            gpus = Some(&first.access.gpus);
        }
        text += &paragraph::remark(&comparisons.sentence(first, verbosity));
    }
    text
}

/// The same effect with the nearest node as its reference, where it is one of both.
fn from_nearest(
    effect: &PlacementEffect<GpuCopy>,
    nearest: &[GpuNearest],
) -> PlacementEffect<GpuCopy> {
    let mut effect = effect.clone();
    let is_nearest = |level: &str| {
        let of_gpu = nearest.iter().filter(|verdict| effect.access.gpus == [verdict.gpu.as_str()]);
        let mut nodes = of_gpu.flat_map(|verdict| &verdict.nearest.nodes);
        nodes.any(|node| node.to_string() == level)
    };
    if is_nearest(&effect.level) && !is_nearest(&effect.reference) {
        std::mem::swap(&mut effect.level, &mut effect.reference);
        effect.ratio = 1.0 / effect.ratio;
        effect.ci95 = [1.0 / effect.ci95[1], 1.0 / effect.ci95[0]];
        effect.verdict = match effect.verdict {
            FactorVerdict::Slower => FactorVerdict::Faster,
            FactorVerdict::Faster => FactorVerdict::Slower,
            other => other,
        };
    }
    effect
}

impl<'t> Comparisons<'t> {
    fn add(&mut self, effect: &'t PlacementEffect<GpuCopy>) {
        match effect.verdict {
            FactorVerdict::Same => self.same += 1,
            FactorVerdict::Undetermined => self.undetermined += 1,
            FactorVerdict::Slower | FactorVerdict::Faster => {
                let size = |effect: &PlacementEffect<GpuCopy>| effect.ratio.ln().abs();
                self.largest = Some(match self.largest {
                    None => (effect, 1),
                    Some((known, number)) if known.verdict == effect.verdict => {
                        (if size(effect) > size(known) { effect } else { known }, number + 1)
                    }
                    Some(known) => {
                        self.opposed += 1;
                        known
                    }
                });
            }
        }
    }

    fn sentence(&self, first: &PlacementEffect<GpuCopy>, verbosity: Verbosity) -> String {
        let all = self.same
            + self.undetermined
            + self.opposed
            + self.largest.map_or(0, |(_, number)| number);
        let Some((largest, number)) = self.largest else {
            let what = placement::level(first, "Memory");
            return if self.undetermined == 0 {
                format!("{what}: no difference beyond 2 % in {} of copy.", count(all, "kind"))
            } else {
                format!(
                    "{what}: undetermined in {} of {} of copy, else no difference beyond 2 %.",
                    self.undetermined,
                    count(all, "kind")
                )
            };
        };
        let most = placement::phrase(largest, "Memory", verbosity);
        let kind = names::kind(&largest.access);
        let word = if largest.verdict == FactorVerdict::Faster { "faster" } else { "slower" };
        let mut rest = vec![format!("{number} of {} of copy are {word}", count(all, "kind"))];
        if self.opposed > 0 {
            rest.push(format!("{} the reverse", self.opposed));
        }
        if self.undetermined > 0 {
            rest.push(format!("{} undetermined", self.undetermined));
        }
        format!("{most}, most in '{kind}'. {}.", rest.join(", "))
    }
}

/// What measuring a cell twice gave.
pub(super) fn controls<T: CopyTreatment>(table: &GpuTable<T>, verbosity: Verbosity) -> String {
    let matrix = &table.part.matrix;
    let of_control = |control: &nearfar_survey::CellControl| {
        let copy = names::copy(table.part.treatments.get(control.treatment)?.access());
        let row = matrix.row_label(control.row)?;
        Some(placement::control(control, &format!("{row}, {copy}")))
    };
    let shown =
        |control: &&nearfar_survey::CellControl| control.differs || verbosity == Verbosity::Verbose;
    table.controls.iter().filter(shown).filter_map(of_control).collect()
}
