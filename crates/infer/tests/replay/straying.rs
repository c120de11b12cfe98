//! Noise as it goes on from visit to visit.

use fastrand::Rng;
use nearfar_infer::normal;

use super::noise::Noise;
use super::recording::ROWS;

/// How fast CPUs of one host differ in speed.
const CPU_SPEEDS: f64 = 0.02;
/// So many visits a burst lasts, at most.
const LONGEST_BURST: u32 = 6;

/// The state of a machine's noise.
pub(super) struct Straying<'a> {
    noise: &'a Noise,
    /// Of the whole machine.
    level: f64,
    /// Of each row, in this process.
    rows: Vec<f64>,
    /// Of each row, since its CPU was last moved; and the row whose place it has.
    places: Vec<(usize, f64)>,
    /// Of each column, in this process.
    pages: Vec<f64>,
    burst: f64,
    burst_left: u32,
    round: usize,
    /// Which recorded process each two rows replay, and which process and column each column does.
    recorded_rows: Vec<usize>,
    recorded_columns: Vec<(usize, usize)>,
}

impl<'a> Straying<'a> {
    pub(super) fn new(noise: &'a Noise, rows: usize, columns: usize, rng: &mut Rng) -> Self {
        let places =
            (0..rows).map(|row| (row, if noise.moves > 0.0 { CPU_SPEEDS * normal(rng) } else { 0.0 })).collect();
        Self {
            noise,
            level: 0.0,
            rows: vec![0.0; rows],
            places,
            pages: vec![0.0; columns],
            burst: 0.0,
            burst_left: 0,
            round: 0,
            recorded_rows: vec![],
            recorded_columns: vec![],
        }
    }

    pub(super) fn start_process(&mut self, rng: &mut Rng) {
        for row in &mut self.rows {
            *row = self.noise.wander * normal(rng);
        }
        for page in &mut self.pages {
            *page = self.noise.pages * normal(rng);
        }
        if let Some((probe, _)) = self.noise.recorded {
            self.recorded_rows = (0..self.rows.len().div_ceil(ROWS)).map(|_| rng.usize(..probe.count())).collect();
            self.recorded_columns = recorded_columns(
                self.pages.len(),
                probe.columns(),
                self.recorded_rows[0],
                |most| rng.usize(..most),
                probe.count(),
            );
        }
        self.round = usize::MAX;
    }

    pub(super) fn start_round(&mut self, _rng: &mut Rng) {
        self.round = self.round.wrapping_add(1);
    }

    /// Which row's place this row's CPU is in, and what the sample is off by.
    pub(super) fn visit(&mut self, row: usize, column: usize, rng: &mut Rng) -> (usize, f64) {
        self.go_on(row, rng);
        let (place, speed) = self.places[row];
        let shared = self.level + self.rows[row] + self.pages[column] + speed;
        (place, shared + self.burst_now() + self.sample(row, column, rng))
    }

    fn go_on(&mut self, row: usize, rng: &mut Rng) {
        let Noise { drift, bursts, moves, .. } = *self.noise;
        if drift > 0.0 {
            self.level += drift * normal(rng);
        }
        self.burst_left = self.burst_left.saturating_sub(1);
        if bursts > 0.0 && rng.f64() < bursts {
            self.burst = (1.3 + 0.7 * rng.f64()).ln();
            self.burst_left = rng.u32(1..=LONGEST_BURST);
        }
        if moves > 0.0 && rng.f64() < moves {
            let other = rng.usize(..self.places.len());
            let (here, there) = (self.places[row].0, self.places[other].0);
            (self.places[row].0, self.places[other].0) = (there, here);
            self.places[row].1 = CPU_SPEEDS * normal(rng);
        }
    }

    fn burst_now(&self) -> f64 {
        if self.burst_left > 0 { self.burst } else { 0.0 }
    }

    /// What a single sample is off by.
    fn sample(&self, row: usize, column: usize, rng: &mut Rng) -> f64 {
        let mut log = 0.0;
        if let Some((probe, times)) = self.noise.recorded {
            let ((process, recorded), own) = (self.recorded_columns[column], self.recorded_rows[row / ROWS]);
            // Rows beyond those recorded replay others' rests, too.
            let shifted = (process + row / ROWS * 7) % probe.count();
            let moment = probe.moment(own, row % ROWS, self.round);
            log += times * (moment + probe.rest(shifted, row % ROWS, recorded, self.round));
        }
        let scatter = self.noise.scatter;
        if scatter > 0.0 {
            let tail = if rng.f64() < 0.05 { -4.0 * (1.0 - rng.f64()).ln() } else { 0.0 };
            log += scatter * (normal(rng) + tail);
        }
        log
    }
}

/// The columns of one recorded process in random order, then those of others.
fn recorded_columns(
    columns: usize,
    recorded: usize,
    first: usize,
    mut below: impl FnMut(usize) -> usize,
    processes: usize,
) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut process = first;
    while found.len() < columns {
        let turn = below(recorded);
        found.extend((0..recorded).map(|column| (process, (column + turn) % recorded)));
        process = below(processes);
    }
    found.truncate(columns);
    found
}
