//! Latency of loaded memory: latency while other CPUs stream, by their traffic.

use std::collections::BTreeSet;

use nearfar_infer::InferError;
use nearfar_infer::load_curve::{LoadCurve, LoadPoint, SharesLink, load_curve, shares_link};
use nearfar_model::{CellIndex, Instrument, Sample};
use nearfar_probe::loaded::{Load, LoadedSetup};
use nearfar_probe::{Layout, PlanOutcome};
use serde::{Deserialize, Serialize};

use super::instrument_part::InstrumentPart;
use crate::{InstrumentTable, MatrixCell, Samples, Treatment, TreatmentMatrix};

/// The figures of one instrument: nanoseconds an access.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Loaded {
    /// The figures.
    #[serde(flatten)]
    pub part: TreatmentMatrix<LoadTreatment>,
    /// What aggressors do: a kernel of `bandwidth`.
    pub kernel: String,
    /// The instructions.
    pub isa: String,
    /// What the aggressors swept together, at least.
    pub footprint_bytes: u64,
    /// What each curve shows.
    pub curves: Vec<LoadingCurve>,
    /// Which ways to memory share a link, as far as they were driven together.
    pub shared_links: Vec<SharedLink>,
}

/// What a cell is visited with.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Serialize,
    Deserialize,
    schemars::JsonSchema,
)]
#[schemars(rename = "Loading")]
pub struct LoadTreatment {
    /// Index of the row whose CPUs stream; null where none stream.
    pub aggressors: Option<usize>,
    /// Index of the column whose memory they stream through; null for the cell's own.
    pub aggressors_column: Option<usize>,
    /// Turns of an empty loop, about a cycle each, that each of them makes after every piece of
    /// memory; null where no CPU streams.
    pub delay: Option<u32>,
}

/// Latency by load: one victim, one memory, one row of aggressors.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct LoadingCurve {
    /// Index of the victim's row.
    pub row: usize,
    /// Index of the column.
    pub column: usize,
    /// Index of the aggressors' row.
    pub aggressors: usize,
    /// What the curve shows.
    #[serde(flatten)]
    pub curve: LoadCurve,
    /// Whether there are CPUs left that could stream as well. False in documents before schema 2.
    #[serde(default)]
    pub has_idle_cpus: bool,
}

/// Whether two paths to memory share something: the victim on one is slowed by more than 5 % while
/// the other is busy.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct SharedLink {
    /// The victim's path: indexes of row and column.
    pub a: [usize; 2],
    /// The aggressors' path.
    pub b: [usize; 2],
    /// Whether they do.
    #[serde(flatten)]
    pub found: SharesLink,
}

/// The delay that stands for no streaming: next to no traffic.
const IDLE_DELAY: u32 = 1_000_000;

impl Treatment for LoadTreatment {
    const INSTRUMENT: Instrument = Instrument::Loaded;
}

impl LoadTreatment {
    /// No CPU streams.
    pub const IDLE: Self = Self { aggressors: None, aggressors_column: None, delay: None };

    fn all_of(setup: &LoadedSetup) -> Vec<Self> {
        let loading = |load: &Load| Self {
            aggressors: Some(load.row),
            aggressors_column: load.memory,
            delay: Some(load.delay),
        };
        setup.loads.iter().map(|load| load.as_ref().map_or(Self::IDLE, loading)).collect()
    }

    /// Whether it is a point of the curve of these aggressors, who stream through the cell's own
    /// memory.
    fn is_of_curve(&self, aggressors: usize) -> bool {
        *self == Self::IDLE
            || (self.aggressors == Some(aggressors) && self.aggressors_column.is_none())
    }
}

impl InstrumentPart for Loaded {
    fn judge(&mut self, cpus: usize, seed: u64) -> Result<(), InferError> {
        self.part.judge(seed)?;
        let Some(samples) = &self.part.samples else { return Ok(()) };
        let places = self.part.places();
        for (cell, place) in self.part.matrix.cells.iter_mut().zip(places) {
            cell.traffic_bytes_per_s = traffic(&samples.at(place));
        }
        self.curves = self.read_curves(samples, cpus, seed)?;
        self.shared_links = self.find_links(samples, seed)?;
        Ok(())
    }

    fn strip_samples(&mut self) {
        self.part.samples = None;
    }

    fn tables(&self) -> Vec<InstrumentTable<'_>> {
        vec![self.part.table(|_| true)]
    }
}

impl Loaded {
    /// The part before its figures; `visited` is what the plans visited.
    pub fn new(
        layout: &Layout,
        outcome: &PlanOutcome,
        visited: &[CellIndex],
        setup: &LoadedSetup,
    ) -> Self {
        let visited: BTreeSet<CellIndex> = visited.iter().copied().collect();
        Self {
            part: TreatmentMatrix::new(
                layout,
                outcome,
                LoadTreatment::all_of(setup),
                &Vec::from_iter(visited),
            ),
            kernel: setup.kernel.name().to_owned(),
            isa: setup.isa.name().to_owned(),
            footprint_bytes: setup.footprint.0,
            curves: Vec::new(),
            shared_links: Vec::new(),
        }
    }

    /// The curves that were visited: row, column and aggressors.
    fn driven(&self) -> BTreeSet<(usize, usize, usize)> {
        let own =
            self.part.matrix.cells.iter().filter(|cell| cell.treatment.aggressors_column.is_none());
        own.filter_map(|cell| Some((cell.row, cell.column, cell.treatment.aggressors?))).collect()
    }

    fn read_curves(
        &self,
        samples: &Samples,
        cpus: usize,
        seed: u64,
    ) -> Result<Vec<LoadingCurve>, InferError> {
        let mut curves = Vec::new();
        for (row, column, aggressors) in self.driven() {
            let points = points(samples, &self.part.treatments, row, column, aggressors);
            let Some(curve) = load_curve(&points, seed)? else { continue };
            let has_idle_cpus = self.has_idle_cpus(row, aggressors, cpus);
            curves.push(LoadingCurve { row, column, aggressors, curve, has_idle_cpus });
        }
        Ok(curves)
    }

    /// Whether some CPU neither streams nor is the victim.
    fn has_idle_cpus(&self, row: usize, aggressors: usize, cpus: usize) -> bool {
        let streaming = self.part.matrix.rows.get(aggressors).map_or(0, |row| row.cpus.len());
        streaming + usize::from(row != aggressors) < cpus
    }

    /// Every path under full load, except a row's own path with itself.
    fn find_links(&self, samples: &Samples, seed: u64) -> Result<Vec<SharedLink>, InferError> {
        let of = |column, treatment: &LoadTreatment, row| {
            let index = self.part.index_of(treatment);
            index.map_or_else(Vec::new, |index| {
                samples.at(CellIndex::new(row, column).with_treatment(index))
            })
        };
        let mut links = Vec::new();
        for cell in &self.part.matrix.cells {
            let LoadTreatment { aggressors: Some(aggressors), aggressors_column, delay: Some(0) } =
                cell.treatment
            else {
                continue;
            };
            let (a, b) =
                ([cell.row, cell.column], [aggressors, aggressors_column.unwrap_or(cell.column)]);
            if a == b {
                continue;
            }
            let alone = of(cell.column, &LoadTreatment::IDLE, cell.row);
            let found = shares_link(&alone, &of(cell.column, &cell.treatment, cell.row), seed)?;
            links.push(SharedLink { a, b, found });
        }
        Ok(links)
    }

    /// The cells of a curve, from the lightest load to the heaviest; the first is idle.
    pub fn curve(
        &self,
        row: usize,
        column: usize,
        aggressors: usize,
    ) -> Vec<&MatrixCell<LoadTreatment>> {
        let here =
            self.part.matrix.cells.iter().filter(|cell| (cell.row, cell.column) == (row, column));
        let mut cells: Vec<_> =
            here.filter(|cell| cell.treatment.is_of_curve(aggressors)).collect();
        cells.sort_by_key(|cell| std::cmp::Reverse(cell.treatment.delay.unwrap_or(u32::MAX)));
        cells
    }
}

/// The points of these curves (row, column, aggressors' row) as plans measured them, for choosing
/// the next delays.
pub fn load_points(
    setup: &LoadedSetup,
    outcome: &PlanOutcome,
    curves: &[(usize, usize, usize)],
) -> Vec<Vec<LoadPoint>> {
    let samples = Samples::from_outcome(outcome);
    let treatments = LoadTreatment::all_of(setup);
    let of_curve =
        |&(row, column, aggressors)| points(&samples, &treatments, row, column, aggressors);
    curves.iter().map(of_curve).collect()
}

fn points(
    samples: &Samples,
    treatments: &[LoadTreatment],
    row: usize,
    column: usize,
    aggressors: usize,
) -> Vec<LoadPoint> {
    let of_curve =
        treatments.iter().enumerate().filter(|(_, loading)| loading.is_of_curve(aggressors));
    let point = |(at, loading): (usize, &LoadTreatment)| {
        let samples = samples.at(CellIndex::new(row, column).with_treatment(at));
        let delay = loading.delay.unwrap_or(IDLE_DELAY);
        Some(LoadPoint { delay, bytes_per_s: traffic(&samples)?, samples })
    };
    of_curve.filter_map(point).collect()
}

/// What others moved meanwhile: the median, as far as that is known.
fn traffic(samples: &[Sample]) -> Option<f64> {
    let mut values: Vec<f64> = samples.iter().filter_map(|sample| sample.traffic).collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied()
}

#[cfg(test)]
mod tests {
    use nearfar_infer::load_curve::{LinkSharing, NoKnee};
    use nearfar_model::{CpuSet, Unit};

    use super::*;
    use crate::{Matrix, MatrixColumn, MatrixRow};

    const BUSY: LoadTreatment =
        LoadTreatment { aggressors: Some(0), aggressors_column: None, delay: Some(0) };
    const ELSEWHERE: LoadTreatment =
        LoadTreatment { aggressors: Some(0), aggressors_column: Some(1), delay: Some(0) };

    /// One row and two columns; of each the latencies idle, beside 1 GB/s, beside 20 GB/s, and
    /// beside 20 GB/s at the other column.
    fn measured(figures: [[f64; 4]; 2]) -> Loaded {
        let slow = LoadTreatment { delay: Some(1_000), ..BUSY };
        let treatments = vec![LoadTreatment::IDLE, slow, BUSY, ELSEWHERE];
        let traffic = [0.0, 1e9, 20e9, 20e9];
        let mut lines = Vec::new();
        for (column, latencies) in figures.iter().enumerate() {
            for (at, ns) in latencies.iter().enumerate() {
                for round in 0..20 {
                    let scatter = 1.0 + f64::from((round * 7 + at as u32 * 3) % 5) / 500.0;
                    let place = CellIndex::new(0, column).with_treatment(at);
                    let sample = Sample::new(round / 2, round, place, ns * scatter);
                    lines.push(Sample { traffic: Some(traffic[at]), ..sample });
                }
            }
        }
        let row = MatrixRow {
            label: "node 0".to_owned(),
            cpus: CpuSet::new(),
            node: None,
            ghz: None,
            drift: None,
        };
        let column =
            MatrixColumn { label: "node 0".to_owned(), node: None, pages: 8, backing: None };
        let cells = (0..2)
            .flat_map(|column| treatments.iter().map(move |treatment| cell(column, *treatment)));
        let matrix = Matrix {
            probe: "loaded".to_owned(),
            unit: Unit::Nanoseconds,
            rows: vec![row],
            columns: vec![column; 2],
            cells: cells.collect(),
        };
        let part = TreatmentMatrix {
            matrix,
            treatments: treatments.clone(),
            samples: Some(Samples::from_lines(lines)),
        };
        let mut loaded = Loaded {
            part,
            kernel: "read".to_owned(),
            isa: "portable".to_owned(),
            footprint_bytes: 1,
            curves: vec![],
            shared_links: vec![],
        };
        loaded.judge(8, 1).unwrap();
        loaded
    }

    fn cell(column: usize, treatment: LoadTreatment) -> MatrixCell<LoadTreatment> {
        MatrixCell { column, treatment, ..MatrixCell::default() }
    }

    #[test]
    fn curves_have_idle_knee_and_saturation() {
        let loaded = measured([[100.0, 101.0, 200.0, 100.0], [150.0, 151.0, 160.0, 152.0]]);
        let [near, far] = &loaded.curves[..] else { panic!("{:?}", loaded.curves) };
        assert!((near.curve.idle_ns.value / 100.0 - 1.0).abs() < 0.02, "{near:?}");
        assert!(
            (near.curve.saturated_ns.value / 200.0 - 1.0).abs() < 0.02
                && near.curve.saturated_bytes_per_s == 20e9
        );
        let knee = near.curve.knee_bytes_per_s.unwrap().value;
        assert!((1e9..20e9).contains(&knee), "{near:?}");
        assert!(far.curve.knee_bytes_per_s.is_none(), "{far:?}");
        assert!(
            matches!(far.curve.why, Some(NoKnee::LittleRise { .. })) && far.has_idle_cpus,
            "{far:?}"
        );
        let busy = loaded.part.cell(0, 0, &BUSY).unwrap();
        assert_eq!(busy.traffic_bytes_per_s, Some(20e9));
        let delays: Vec<_> =
            loaded.curve(0, 0, 0).iter().map(|cell| cell.treatment.delay).collect();
        assert_eq!(delays, [None, Some(1_000), Some(0)]);
    }

    #[test]
    fn slowed_paths_share_a_link() {
        let loaded = measured([[100.0, 101.0, 200.0, 130.0], [150.0, 151.0, 160.0, 150.0]]);
        let found: Vec<_> =
            loaded.shared_links.iter().map(|link| (link.a, link.b, link.found.shared)).collect();
        // Column 1's own aggressors at column 1 are no link between two ways.
        assert_eq!(found, [([0, 0], [0, 1], LinkSharing::Yes)]);
        assert!(
            (loaded.shared_links[0].found.slowdown.unwrap() - 0.3).abs() < 0.02,
            "{:?}",
            loaded.shared_links
        );
    }

    #[test]
    fn samples_without_traffic_give_no_curve() {
        let mut loaded = measured([[100.0; 4]; 2]);
        let text = r#"{
            "fields": ["process", "round", "row", "column", "treatment", "cpu", "page", "ns"],
            "data": [[0, 0, 0, 0, 0, 0, 0, 9.5]]
        }"#;
        loaded.part.samples = serde_json::from_str(text).unwrap();
        loaded.judge(8, 1).unwrap();
        assert!(loaded.curves.is_empty());
    }

    #[test]
    fn suggested_injectors_exist() {
        let mut loaded = measured([[100.0; 4]; 2]);
        loaded.part.matrix.rows[0].cpus = CpuSet::parse_list("0-1").unwrap();
        for cpus in [2, 3] {
            loaded.judge(cpus, 1).unwrap();
            assert_eq!(loaded.curves[0].has_idle_cpus, cpus > 2);
        }
    }
}
