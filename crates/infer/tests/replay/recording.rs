//! Residuals recorded on real machines (`./dev bench noise`), split into components for machines of
//! other sizes.
//!
//! A *moment* is the common part of a row's columns in one round: the CPU's speed at that time. The
//! *rest* is due to single samples, and to pages, for the life of a process.

use std::sync::LazyLock;

/// The probe of a recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Probe {
    /// The page probe.
    Page,
    /// A chase through 256 MiB.
    Chase,
}

/// Each file has comments with its host, its shape, and a line per process: round by round, first
/// row first, in ten-thousandths of the logarithm of the cell's median.
macro_rules! recordings {
    ($($name:literal),*) => { [$(($name, include_str!(concat!("recordings/", $name, ".txt")))),*] };
}

static PAGE: LazyLock<Vec<Recording>> = LazyLock::new(|| {
    recordings!["page-two-cpus-2026-11-20", "page-amd-epyc-2026-11-23"]
        .map(Recording::parsed)
        .into()
});
static CHASE: LazyLock<Vec<Recording>> =
    LazyLock::new(|| recordings!["chase-two-cpus-2026-11-20"].map(Recording::parsed).into());

const UNIT: f64 = 1e-4;

impl Probe {
    /// The recordings of this probe, one per host.
    pub fn recordings(self) -> &'static [Recording] {
        match self {
            Self::Page => &PAGE,
            Self::Chase => &CHASE,
        }
    }
}

/// The deviations of samples on one host.
#[derive(Debug)]
pub struct Recording {
    /// Its file, without the ending.
    pub name: &'static str,
    rows: usize,
    columns: usize,
    processes: Vec<Vec<i16>>,
}

impl Recording {
    fn parsed((name, text): (&'static str, &str)) -> Self {
        Self::parse(name, text).unwrap_or_else(|| panic!("recordings/{name}.txt is damaged"))
    }

    fn parse(name: &'static str, text: &str) -> Option<Self> {
        let mut lines = text.lines().filter(|line| !line.starts_with('#'));
        let (rows, columns) = lines.next()?.strip_suffix(" columns")?.split_once(" rows, ")?;
        let (rows, columns): (usize, usize) = (rows.parse().ok()?, columns.parse().ok()?);
        let process_residuals = |line: &str| -> Option<Vec<i16>> {
            let residuals: Vec<i16> =
                line.split(' ').map(|word| word.parse().ok()).collect::<Option<_>>()?;
            (residuals.len() % (rows * columns) == 0).then_some(residuals)
        };
        let processes: Vec<Vec<i16>> = lines.map(process_residuals).collect::<Option<_>>()?;
        (rows * columns > 0 && !processes.is_empty()).then_some(Self {
            name,
            rows,
            columns,
            processes,
        })
    }

    /// Number of recorded rows.
    pub(super) fn rows(&self) -> usize {
        self.rows
    }

    /// Number of recorded columns.
    pub(super) fn columns(&self) -> usize {
        self.columns
    }

    /// Number of recorded processes.
    pub(super) fn count(&self) -> usize {
        self.processes.len()
    }

    /// The size of residuals at this percentile, as a fraction.
    pub fn size(&self, percent: usize) -> f64 {
        let mut sizes: Vec<u16> =
            self.processes.iter().flatten().map(|residual| residual.unsigned_abs()).collect();
        sizes.sort_unstable();
        (f64::from(sizes[(sizes.len() - 1) * percent / 100]) * UNIT).exp_m1()
    }

    /// The residuals of one row's columns in a round; later rounds repeat the first ones.
    fn residuals(&self, process: usize, row: usize, round: usize) -> impl Iterator<Item = f64> {
        let recorded = &self.processes[process];
        let rounds = recorded.len() / (self.rows * self.columns);
        let start = ((round % rounds) * self.rows + row) * self.columns;
        recorded[start..start + self.columns].iter().map(|&residual| f64::from(residual) * UNIT)
    }

    /// The common part of a row's columns in a round: zero for a single recorded column.
    pub(super) fn moment(&self, process: usize, row: usize, round: usize) -> f64 {
        if self.columns == 1 {
            return 0.0;
        }
        let mut residuals: Vec<f64> = self.residuals(process, row, round).collect();
        residuals.sort_by(f64::total_cmp);
        f64::midpoint(residuals[(residuals.len() - 1) / 2], residuals[residuals.len() / 2])
    }

    /// The remaining part of one sample.
    pub(super) fn rest(&self, process: usize, row: usize, column: usize, round: usize) -> f64 {
        let residual = self.residuals(process, row, round).nth(column).unwrap_or(0.0);
        residual - self.moment(process, row, round)
    }
}
