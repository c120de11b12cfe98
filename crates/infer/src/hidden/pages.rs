//! Hidden nodes behind one memory, from the pages of several processes.

use serde::{Deserialize, Serialize};

use super::Contrasts;
use super::PooledPages;
use super::clusters::{Clustering, clusters};
use super::cost_table::{CostTable, mean, median};
use super::cut::{MIN_GAP, cut_numbers};
use super::joined::LEVEL_GAP;
use super::nearness::{Nearness, nearness};
use super::over_processes::enough;
use super::page_kinds::PageKinds;
use super::page_reason::{PageReason, Settling};
use super::rows_apart::{ROWS_APART, RowsApart};
use crate::cell::MAD_TO_SD;

/// The result for pages.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum PageFinding {
    /// No nodes, down to some difference.
    None,
    /// Pages belong to nodes that the system does not show.
    Found,
    /// The data is insufficient.
    #[default]
    Undetermined,
}

/// Pages with equal costs.
#[derive(Clone, Debug, PartialEq)]
pub struct PageCluster {
    /// Rows that are near this cluster, by index.
    pub near: Vec<usize>,
    /// Its cost for each row, in nanoseconds, by the rows' index; none for unmeasured rows.
    pub ns: Vec<Option<f64>>,
    /// Its share of all pages.
    pub share: f64,
}

/// The result for pages, with clusters.
#[derive(Clone, Debug, PartialEq)]
pub struct PageStatement {
    /// The result, with its reasons.
    pub verdict: PageVerdict,
    /// The clusters.
    pub clusters: Vec<PageCluster>,
    /// For each process the cluster of each of its pages: (page, index of the cluster).
    pub of_pages: Vec<Vec<(usize, usize)>>,
    /// The place of each row among the clusters. Empty without clusters.
    pub near: Vec<Nearness>,
    /// Pages that are far nearer to some row than others of their cluster, and too few for one.
    pub strays: usize,
    /// Clusters that are less far apart (a fraction) may count as one. `None` without clusters.
    pub resolution: Option<f64>,
}

/// The result for pages, with its reasons.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct PageVerdict {
    /// "found", "none" or "undetermined".
    pub finding: PageFinding,
    /// The smallest detectable difference (a fraction). Null where nodes were found, or nothing
    /// could be compared.
    pub down_to: Option<f64>,
    /// The largest ratio of two kinds' costs for one row that is near a kind, minus 1 (a fraction).
    /// Where memory of some node was not seen it may be larger.
    pub effect: Option<f64>,
    /// Its 95 % interval, also as fractions, simultaneous over rows and kinds.
    pub ci95: Option<[f64; 2]>,
    /// The p-value of the kinds, in the least clear agreeing process.
    pub p: Option<f64>,
    /// The share of processes with pages of several kinds.
    pub support: f64,
    /// The ratio of the slowest row to the fastest on the same pages, minus 1, by the nearer ends
    /// of their intervals.
    pub rows_apart: Option<f64>,
    /// The reasons.
    pub reasons: Vec<PageReason>,
    /// What would settle an undetermined result: "pages", "more-processes", "other-cpus" or
    /// "other-pages". Null where it is settled.
    #[serde(default)]
    pub settling: Option<Settling>,
}

/// Clusters of fewer pages are not significant.
pub const MIN_PAGES: usize = 16;
/// Distance of two equal clusters, in standard deviations, that is detected four times in five.
const DEVIATIONS: f64 = 5.0;
/// The smallest difference for the result "none" (a logarithm: 4.5 %): gaps near the limit are
/// detected every second time.
const FINEST: f64 = 0.044;
/// A row sees two kinds if it assigns this share of the pages to their own kind.
const SEEN_ALIKE: f64 = 0.9;
/// With a larger detectable difference, the result is not "none".
const ROUGHEST: f64 = 0.25;

/// The result for pages of several processes, each with fresh ones. `rows` is the number of CPU
/// groups.
pub fn pages(sheets: &[CostTable], rows: usize, seed: u64) -> PageStatement {
    let is_usable = |sheet: &CostTable| sheet.items() >= MIN_PAGES && sheet.rows() > 0;
    let usable: Vec<usize> = (0..sheets.len()).filter(|&at| is_usable(&sheets[at])).collect();
    let measured: Vec<&CostTable> = usable.iter().map(|&at| &sheets[at]).collect();
    if measured.len() < 2 {
        let reason =
            PageReason::FewProcesses { with_pages: measured.len(), processes: sheets.len() };
        let one_alone = (measured.len(), sheets.len()) == (1, 1);
        let settling = if one_alone { Settling::MoreProcesses } else { Settling::Pages };
        return PageVerdict::undetermined(reason, settling, None).into();
    }
    let found: Vec<Clustering> =
        measured.iter().zip(seed..).map(|(sheet, seed)| clusters(sheet, seed)).collect();
    let kinds =
        PooledPages::new(&measured, &found, seed).map(|pooled| PageKinds::new(pooled, seed));
    let kinds = kinds.filter(|kinds| kinds.count() > 1 && kinds.witnesses() >= enough(found.len()));
    match kinds {
        Some(kinds) if kinds.turn() >= MIN_GAP => {
            let mut statement = for_kinds(&kinds, found.len(), rows);
            statement.of_pages = vec![Vec::new(); sheets.len()];
            for (process, at) in usable.into_iter().enumerate() {
                statement.of_pages[at] = kinds.for_process(process);
            }
            statement
        }
        kinds => {
            let alike = kinds.map(|kinds| kinds.levels_apart());
            without(&measured, &found, alike, seed).into()
        }
    }
}

/// The result where enough processes have the same kinds.
fn for_kinds(kinds: &PageKinds, processes: usize, rows: usize) -> PageStatement {
    let contrasts = Contrasts::new(kinds);
    let near = nearness(kinds, &contrasts, rows);
    let (effect, ci95) = effect(kinds, &contrasts);
    let agreeing = kinds.witnesses();
    let reason = PageReason::Kinds { kinds: kinds.count(), agreeing, processes, effect };
    let differs =
        if turns(kinds, &contrasts) { PageReason::OrderTurns } else { PageReason::ContrastDiffers };
    let verdict = PageVerdict {
        finding: PageFinding::Found,
        effect: Some(effect),
        ci95: Some(ci95),
        p: Some(kinds.p).filter(|p| *p < 1.0),
        support: agreeing as f64 / processes as f64,
        reasons: vec![reason, differs],
        ..PageVerdict::default()
    };
    let pages = kinds.pooled.pages.len() as f64;
    let place = |row: usize| kinds.pooled.rows.iter().position(|known| *known == row);
    let cluster = |kind: usize| PageCluster {
        near: (0..rows).filter(|row| near[*row] == Nearness::Near(kind)).collect(),
        ns: (0..rows).map(|row| place(row).map(|at| kinds.centres[kind][at].exp())).collect(),
        share: kinds.groups[kind].len() as f64 / pages,
    };
    PageStatement {
        verdict,
        clusters: (0..kinds.count()).map(cluster).collect(),
        of_pages: Vec::new(),
        near,
        strays: kinds.strays,
        resolution: Some((kinds.resolution() + LEVEL_GAP).exp_m1()),
    }
}

/// The largest ratio of two kinds for the same row, minus 1, and its interval.
fn effect(kinds: &PageKinds, contrasts: &Contrasts<'_>) -> (f64, [f64; 2]) {
    let all = (0..kinds.pooled.rows.len()).flat_map(|row| {
        let ratio = move |(near, far): (usize, usize)| {
            (contrasts.between(row, near, far), contrasts.half(near, far))
        };
        contrasts.pairs().map(ratio)
    });
    let largest = all.fold([0.0f64; 3], |[middle, low, high], (contrast, half)| {
        [middle.max(contrast), low.max(contrast - half), high.max(contrast + half)]
    });
    let [middle, low, high] = largest.map(f64::exp_m1);
    (middle, [low, high])
}

/// Whether two rows have the opposite order of two kinds, each by at least half the smallest gap.
fn turns(kinds: &PageKinds, contrasts: &Contrasts<'_>) -> bool {
    let rows = 0..kinds.pooled.rows.len();
    contrasts.pairs().any(|(a, b)| {
        let sees = |limit: f64| {
            rows.clone().any(|row| contrasts.between(row, a, b) * limit.signum() >= limit.abs())
        };
        sees(MIN_GAP / 2.0) && sees(-MIN_GAP / 2.0)
    })
}

/// The result without agreed clusters.
fn without(
    measured: &[&CostTable],
    found: &[Clustering],
    alike: Option<f64>,
    seed: u64,
) -> PageVerdict {
    let apart = RowsApart::from_tables(measured);
    let rows_apart = apart.map(|apart| apart.at_least);
    let undetermined = |reason, settling| PageVerdict::undetermined(reason, settling, rows_apart);
    let with_kinds = found.iter().filter(|one| one.groups.len() > 1).count();
    if with_kinds > 0 && 3 * with_kinds >= found.len() {
        let reason = PageReason::OtherKinds { with_kinds, processes: found.len() };
        return undetermined(reason, Settling::MoreProcesses);
    }
    if let Some(kinds) = alike.or_else(|| kinds_alike(measured, seed)) {
        return undetermined(
            PageReason::KindsFromAllAlike { apart: kinds.exp_m1() },
            Settling::OtherCpus,
        );
    }
    let floor = floor(measured);
    let down_to = floor.exp_m1();
    if floor > ROUGHEST.ln_1p() {
        return undetermined(
            PageReason::Scatter { detectable_from: down_to },
            Settling::MoreProcesses,
        );
    }
    let one_kind = PageReason::OneKind { detectable_from: down_to };
    let (finding, reasons, settling) = match doubt(measured, apart) {
        None => (PageFinding::None, vec![one_kind], None),
        Some((doubt, settling)) => {
            (PageFinding::Undetermined, vec![one_kind, doubt], Some(settling))
        }
    };
    PageVerdict {
        finding,
        down_to: Some(down_to),
        rows_apart,
        reasons,
        settling,
        ..PageVerdict::default()
    }
}

/// Why pages of one kind may all be near one of several nodes, and what would settle it. None where
/// rows are shown to be equal.
fn doubt(measured: &[&CostTable], apart: Option<RowsApart>) -> Option<(PageReason, Settling)> {
    match apart {
        None if measured.iter().all(|sheet| sheet.rows() < 2) => None,
        None => Some((PageReason::FewRows, Settling::MoreProcesses)),
        Some(RowsApart { at_least, .. }) if at_least > ROWS_APART => {
            Some((PageReason::CpusDiffer { at_least }, Settling::OtherPages))
        }
        Some(RowsApart { at_most, .. }) if at_most > ROWS_APART => {
            Some((PageReason::CpusMayDiffer { at_most }, Settling::MoreProcesses))
        }
        Some(_) => None,
    }
}

/// The distance of two kinds of pages common to all rows, where enough processes have them: a
/// logarithm.
fn kinds_alike(measured: &[&CostTable], seed: u64) -> Option<f64> {
    let gaps: Vec<f64> = measured
        .iter()
        .zip(seed..)
        .filter_map(|(sheet, seed)| kinds_of_one_process(sheet, seed))
        .collect();
    (gaps.len() >= enough(measured.len())).then(|| median(gaps.into_iter()))
}

/// The same for one process: each row must have the two kinds that the mean of rows has. Pages at
/// 1000 and 1600, 1600 and 1000, and 1600 and 1600 ns from two rows have two kinds on average, and
/// other ones for each row.
fn kinds_of_one_process(sheet: &CostTable, seed: u64) -> Option<f64> {
    let (second, gap) = cut_numbers(&sheet.level_of_items(), seed)?;
    let sees_them = |row: usize| {
        let logs = sheet.logs.iter().map(|logs| logs[row]);
        let kind_mean = |kind: bool| {
            mean(logs.clone().zip(&second).filter(|(_, of)| **of == kind).map(|(log, _)| log))
        };
        let [first_mean, second_mean] = [false, true].map(kind_mean);
        let middle = f64::midpoint(first_mean, second_mean);
        let as_on_average =
            logs.clone().zip(&second).filter(|(log, of)| (*log > middle) == **of).count();
        as_on_average as f64 >= SEEN_ALIKE * second.len() as f64
    };
    (0..sheet.rows()).all(sees_them).then_some(gap)
}

/// The smallest detectable gap between two kinds of pages, as a logarithm, in enough processes for
/// a result.
fn floor(measured: &[&CostTable]) -> f64 {
    let mut floors: Vec<f64> = measured.iter().map(|sheet| DEVIATIONS * scatter(sheet)).collect();
    floors.sort_by(f64::total_cmp);
    let deciding =
        floors.get(enough(floors.len()).min(floors.len()) - 1).copied().unwrap_or(f64::INFINITY);
    deciding.max(FINEST)
}

/// The standard deviation of the interaction, in the row where it is largest; for a single row, of
/// its costs.
fn scatter(sheet: &CostTable) -> f64 {
    let points = if sheet.rows() > 1 {
        sheet.turning()
    } else {
        sheet.level_of_items().into_iter().map(|at| vec![at]).collect()
    };
    let row_scatter = |row: usize| {
        let middle = median(points.iter().map(|point| point[row]));
        MAD_TO_SD * median(points.iter().map(|point| (point[row] - middle).abs()))
    };
    (0..sheet.rows()).map(row_scatter).fold(0.0, f64::max)
}

impl PageVerdict {
    /// The result without measured pages.
    pub fn unmeasured(reason: PageReason) -> Self {
        Self::undetermined(reason, Settling::Pages, None)
    }

    fn undetermined(reason: PageReason, settling: Settling, rows_apart: Option<f64>) -> Self {
        Self { rows_apart, reasons: vec![reason], settling: Some(settling), ..Self::default() }
    }
}

/// The result without clusters.
impl From<PageVerdict> for PageStatement {
    fn from(verdict: PageVerdict) -> Self {
        Self {
            verdict,
            clusters: Vec::new(),
            of_pages: Vec::new(),
            near: Vec::new(),
            strays: 0,
            resolution: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use nearfar_model::{CellIndex, Sample};

    use super::*;

    /// Costs of two rows for pages with these pairs of costs, in turn.
    fn sheet(kinds: &[[f64; 2]]) -> CostTable {
        let cost =
            |row: usize, page: usize| kinds[page % kinds.len()][row] * (1.0 + page as f64 * 1e-4);
        let places = (0..2).flat_map(|row| (0..60).map(move |page| (row, page)));
        let samples =
            places.map(|(row, page)| Sample::new(0, 0, CellIndex::new(row, page), cost(row, page)));
        CostTable::new(&samples.collect::<Vec<_>>())
    }

    #[test]
    fn common_kinds_appear_in_each_row() {
        let gap = |kinds: &[[f64; 2]]| kinds_of_one_process(&sheet(kinds), 1).map(f64::exp_m1);
        assert!((gap(&[[100.0, 140.0], [150.0, 210.0]]).unwrap() - 0.5).abs() < 0.01);
        // Two kinds on average over the rows, 27 % apart; other ones for each row.
        assert_eq!(gap(&[[1000.0, 1600.0], [1600.0, 1000.0], [1600.0, 1600.0]]), None);
    }
}
