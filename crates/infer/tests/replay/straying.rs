//! Noise over consecutive visits.

use std::ops::Range;

use fastrand::Rng;
use nearfar_infer::normal;

use super::noise::Noise;
use super::recording::Recording;

/// Relative differences in speed between CPUs of one host.
const CPU_SPEEDS: f64 = 0.02;
/// The largest number of visits of a burst.
const MAX_BURST: u32 = 6;
/// The largest number of rounds of a burst of a single column.
const MAX_OWN_BURST: u32 = 4;

/// The state of a machine's noise.
pub(super) struct Straying<'a> {
    noise: &'a Noise,
    /// Of the whole machine.
    level: f64,
    /// Of each row, in this process.
    rows: Vec<f64>,
    /// Of each row, since its CPU last moved; and the row whose place it has.
    places: Vec<(usize, f64)>,
    /// Of each column, in this process.
    pages: Vec<f64>,
    burst: f64,
    burst_left: u32,
    round: usize,
    /// The column with a level of its own, and that level without its bursts.
    own: (usize, f64),
    /// Rounds with its extra cost, of all rounds of the survey.
    step: Range<usize>,
    rounds: usize,
    own_burst: f64,
    own_burst_left: u32,
    /// The replayed recording, and its factor.
    recorded: Option<(&'static Recording, f64)>,
    /// The recorded process that each pair of rows (or as many as were recorded) replays, and the
    /// process and column that each column replays.
    recorded_rows: Vec<usize>,
    recorded_columns: Vec<(usize, usize)>,
}

impl<'a> Straying<'a> {
    pub(super) fn new(noise: &'a Noise, rows: usize, columns: usize, rng: &mut Rng) -> Self {
        let places = (0..rows)
            .map(|row| (row, if noise.moves > 0.0 { CPU_SPEEDS * normal(rng) } else { 0.0 }))
            .collect();
        Self {
            noise,
            level: 0.0,
            rows: vec![0.0; rows],
            places,
            pages: vec![0.0; columns],
            burst: 0.0,
            burst_left: 0,
            round: 0,
            own: (if noise.has_own_column() { rng.usize(..columns) } else { 0 }, 0.0),
            step: if noise.column_step > 0.0 { step(rng) } else { 0..0 },
            rounds: 0,
            own_burst: 0.0,
            own_burst_left: 0,
            recorded: noise.recorded.map(|(probe, times)| {
                (&probe.recordings()[rng.usize(..probe.recordings().len())], times)
            }),
            recorded_rows: vec![],
            recorded_columns: vec![],
        }
    }

    pub(super) fn start_process(&mut self, rng: &mut Rng) {
        for row in &mut self.rows {
            *row = self.noise.process_drift * normal(rng);
        }
        for row in self.rows.iter_mut().take(self.noise.uneven_rows) {
            *row += if rng.bool() { Noise::UNEVEN.ln() } else { 0.0 };
        }
        for page in &mut self.pages {
            *page = self.noise.pages * normal(rng);
        }
        if let Some((recording, _)) = self.recorded {
            self.recorded_rows = (0..self.rows.len().div_ceil(recording.rows()))
                .map(|_| rng.usize(..recording.count()))
                .collect();
            self.recorded_columns = recorded_columns(
                self.pages.len(),
                recording.columns(),
                self.recorded_rows[0],
                |most| rng.usize(..most),
                recording.count(),
            );
        }
        self.round = usize::MAX;
    }

    pub(super) fn start_round(&mut self, rng: &mut Rng) {
        self.round = self.round.wrapping_add(1);
        self.rounds += 1;
        if self.noise.column_walk > 0.0 {
            self.own.1 += self.noise.column_walk * normal(rng);
        }
        self.own_burst_left = self.own_burst_left.saturating_sub(1);
        if self.noise.column_bursts > 0.0 && rng.f64() < self.noise.column_bursts {
            self.own_burst = burst(rng);
            self.own_burst_left = rng.u32(1..=MAX_OWN_BURST);
        }
    }

    /// The deviation of the column with a level of its own.
    fn own_level(&self, column: usize) -> f64 {
        if column != self.own.0 {
            return 0.0;
        }
        let step = if self.step.contains(&self.rounds) { self.noise.column_step } else { 0.0 };
        self.own.1 + step + if self.own_burst_left > 0 { self.own_burst } else { 0.0 }
    }

    /// The row whose place this row's CPU has, and the sample's deviation.
    pub(super) fn visit(&mut self, row: usize, column: usize, rng: &mut Rng) -> (usize, f64) {
        self.go_on(row, rng);
        let (place, speed) = self.places[row];
        let shared =
            self.level + self.rows[row] + self.pages[column] + speed + self.own_level(column);
        (place, shared + self.burst_now() + self.sample(row, column, rng))
    }

    fn go_on(&mut self, row: usize, rng: &mut Rng) {
        let Noise { drift, bursts, moves, .. } = *self.noise;
        if drift > 0.0 {
            self.level += drift * normal(rng);
        }
        self.burst_left = self.burst_left.saturating_sub(1);
        if bursts > 0.0 && rng.f64() < bursts {
            self.burst = burst(rng);
            self.burst_left = rng.u32(1..=MAX_BURST);
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

    /// The deviation of a single sample.
    fn sample(&self, row: usize, column: usize, rng: &mut Rng) -> f64 {
        let mut log = 0.0;
        if let Some((recording, times)) = self.recorded {
            let ((process, recorded), own) =
                (self.recorded_columns[column], self.recorded_rows[row / recording.rows()]);
            // Rows beyond those recorded also replay the rests of others.
            let shifted = (process + row / recording.rows() * 7) % recording.count();
            let moment = recording.moment(own, row % recording.rows(), self.round);
            log += times
                * (moment + recording.rest(shifted, row % recording.rows(), recorded, self.round));
        }
        let scatter = self.noise.scatter;
        if scatter > 0.0 {
            let tail = if rng.f64() < 0.05 { -4.0 * (1.0 - rng.f64()).ln() } else { 0.0 };
            log += scatter * (normal(rng) + tail);
        }
        log
    }
}

/// The extra cost of a burst: 30 to 100 %.
fn burst(rng: &mut Rng) -> f64 {
    (1.3 + 0.7 * rng.f64()).ln()
}

/// Rounds of a survey in which a column costs more.
fn step(rng: &mut Rng) -> Range<usize> {
    let begin = rng.usize(0..40);
    begin..begin + rng.usize(10..=20)
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
