//! What a load costs beside traffic, by the lab's own charges and ideal clocks: no host that is
//! late, no guest, nothing of nearfar.
//!
//! One CPU loads a line at a time, in no order. The other streams through memory and pauses after
//! every piece, for the given time.

use nearfar_lab_cost::{
    Access, Charges, EmulatedCpu, HomeRange, LINE_BYTES, Model, Noise, Streams,
};

/// What nearfar's aggressors move between two pauses, and along how many streams at once.
const PIECE_LINES: u64 = 24;
const STREAMS: u64 = 4;
/// Latency exceeds idle by this share at the knee.
const RISE: f64 = 0.2;
/// Much slower than the machine, so that whole nanoseconds are fine enough.
const SLOWDOWN: f64 = 1000.0;
const MEMORY: u64 = 1 << 32;
const BUFFER_LINES: u64 = 1 << 18;
const LOADS: u64 = 5_000;
/// Pauses differ by so much from each other, either way: else loads and pieces fall into step.
const JITTER: f64 = 0.2;
/// Rates that are tried, from the lightest on.
const RATES: u32 = 25;

/// A node's memory, and CPUs with that many lines in flight along streams.
#[derive(Clone, Copy)]
pub(crate) struct Node {
    pub(crate) latency_ns: f64,
    pub(crate) gb_s: f64,
    pub(crate) lines: usize,
}

/// What one row of traffic gives: bytes a ns, and what a load costs beside it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Beside {
    pub(crate) gb_s: f64,
    pub(crate) ns: f64,
}

impl Node {
    /// The least traffic at which latency exceeds idle by a fifth.
    pub(crate) fn knee_gb_s(self) -> f64 {
        let limit = self.latency_ns * (1.0 + RISE);
        // Up to what memory does not give.
        let rates = (1..=RATES).map(|step| 1.1 * self.gb_s * f64::from(step) / f64::from(RATES));
        let rows = rates.map(|wanted| self.beside(PIECE_LINES as f64 * LINE_BYTES as f64 / wanted));
        rows.filter(|row| row.ns >= limit).map(|row| row.gb_s).fold(f64::INFINITY, f64::min)
    }

    /// With this many ns of the machine from the beginning of a piece to that of the next, where
    /// memory lets it.
    pub(crate) fn beside(self, period_ns: f64) -> Beside {
        let model = Model::new(self.charges()).unwrap();
        let [mut victim, mut aggressor] = <[EmulatedCpu; 2]>::try_from(model.cpus()).unwrap();
        let period = |piece: u64| {
            // The golden ratio's multiples fill the space between 0 and 1 evenly, in no order.
            let drawn = (piece as f64 * 0.618_034).fract();
            (period_ns * SLOWDOWN * (1.0 + JITTER * (2.0 * drawn - 1.0))) as u64
        };
        let (mut victims, mut aggressors) = (0, 0);
        let (mut loads, mut lines, mut piece_began) = (0, 0, 0);
        while loads < LOADS {
            if victims <= aggressors {
                let place = loads * 7919 % (BUFFER_LINES / 4) * 4;
                victims = access(&model, &mut victim, place, victims);
                loads += 1;
                continue;
            }
            aggressors = access(&model, &mut aggressor, streamed(lines), aggressors);
            lines += 1;
            if lines % PIECE_LINES == 0 {
                (0..100).for_each(|_| aggressor.runs_block());
                piece_began = aggressors.max(piece_began + period(lines / PIECE_LINES));
                aggressors = piece_began;
            }
        }
        let time = victims as f64 / SLOWDOWN;
        Beside { gb_s: (lines * LINE_BYTES) as f64 / time, ns: time / loads as f64 }
    }

    fn charges(self) -> Charges {
        Charges {
            seed: 1,
            cache_lines: 16,
            groups: vec![0, 0],
            own_home: vec![Some(0)],
            ranges: vec![HomeRange { start: 0, end: MEMORY, homes: vec![0] }],
            latency_ns: vec![vec![self.latency_ns * SLOWDOWN]],
            home_service_ns: vec![Some(LINE_BYTES as f64 / self.gb_s * SLOWDOWN)],
            links: Vec::new(),
            streams: Some(Streams { lines: self.lines }),
            modified: None,
            devices: None,
            noise: Noise::default(),
        }
    }
}

/// Where the aggressor's next line is: behind the victim's memory, along several streams in turn.
fn streamed(line: u64) -> u64 {
    let (stream, along) = (line % STREAMS, line / STREAMS);
    (1 + stream) * BUFFER_LINES + along % BUFFER_LINES
}

/// When an access is over that begins at a time.
fn access(model: &Model, cpu: &mut EmulatedCpu, line: u64, now: u64) -> u64 {
    let address = line * LINE_BYTES;
    let wait = model.access(cpu, Access { address, store: false }, || now, || Some(address));
    wait.map_or(now, |wait| wait.until.max(now))
}
