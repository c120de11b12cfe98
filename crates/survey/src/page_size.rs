//! What base pages cost against huge pages: one chase through both, interleaved, from one CPU group.

use nearfar_infer::InferError;
use serde::{Deserialize, Serialize};

use crate::{Matrix, Samples};

/// A matrix of one row and two columns: 2 MiB pages, and 4 KiB pages (the base size).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PageSize {
    /// The costs.
    #[serde(flatten)]
    pub matrix: Matrix,
    /// Base pages over huge pages. Null where either was not measured, or no huge pages were to be had.
    pub ratio: Option<f64>,
    /// 95 % interval of the ratio. Both were measured in the same rounds, so it is narrower than the costs' own intervals.
    pub ratio_ci95: Option<[f64; 2]>,
    /// Its samples, as the survey's.
    pub samples: Option<Samples>,
}

const HUGE: usize = 0;
const BASE: usize = 1;

impl PageSize {
    pub(crate) fn new(matrix: Matrix, samples: Samples) -> Self {
        Self { matrix, ratio: None, ratio_ci95: None, samples: Some(samples) }
    }

    /// Derives its figures from its samples.
    pub(crate) fn judge(&mut self, seed: u64) -> Result<(), InferError> {
        let Some(samples) = &self.samples else { return Ok(()) };
        self.matrix.estimate(samples, seed)?;
        if !self.has_huge_pages() {
            return Ok(());
        }
        let readings = samples.readings(self.matrix.rows.len(), self.matrix.columns.len())?;
        let Some(effect) = nearfar_infer::effect(&readings, seed) else { return Ok(()) };
        let [low, high] = effect.ci95.map(|effect| 1.0 + effect);
        let base_is_dearer = (effect.near, effect.far) == (HUGE, BASE);
        // An effect is the dearer over the cheaper, and at least 1: an interval that reaches 1 may reach beyond it.
        let mirrored = if low > 1.0 { low } else { 1.0 / high };
        let (ratio, interval) = match base_is_dearer {
            true => (1.0 + effect.effect, [mirrored, high]),
            false => (1.0 / (1.0 + effect.effect), [1.0 / high, 1.0 / mirrored]),
        };
        (self.ratio, self.ratio_ci95) = (Some(ratio), Some(interval));
        Ok(())
    }

    /// Whether huge pages came: without them both columns are base pages.
    fn has_huge_pages(&self) -> bool {
        let backing = self.matrix.columns.get(HUGE).and_then(|column| column.backing.as_deref());
        matches!(backing, Some("thp" | "hugetlb"))
    }

    /// What it means, where it was measured.
    pub(crate) fn sentence(&self) -> Option<String> {
        let (ratio, [low, high]) = (self.ratio?, self.ratio_ci95?);
        let cost = |column| self.matrix.cell(0, column)?.median;
        let (huge, base) = (cost(HUGE)?, cost(BASE)?);
        let figures = format!(
            "{base:.0} against {huge:.0} ns, ratio {ratio:.2}, 95 % interval {low:.2} to {high:.2}, {}",
            self.matrix.probe
        );
        Some(match (low > 1.0, high < 1.0) {
            (true, _) => format!(
                "A random access costs more in 4 KiB pages than in 2 MiB pages ({figures}): programs with large memory gain from huge pages."
            ),
            (_, true) => format!("A random access costs less in 4 KiB pages than in 2 MiB pages ({figures})."),
            _ => format!("4 KiB pages make no difference that could be measured ({figures})."),
        })
    }
}
