//! Simulated programs whose response to latency is known, with noise of several kinds.

use fastrand::Rng;
use nearfar_infer::normal;
use nearfar_infer::response::DosePeriod;

/// What changes a program's time beside its dose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProgramNoise {
    /// A scatter of 2 %.
    Gaussian,
    /// Student's t with two degrees of freedom, 1 %: rare periods are far off.
    Tails,
    /// A drift of 20 % over the run, and a random walk.
    Drift,
    /// One period in 20 begins a disturbance of 25 %, of up to four periods.
    Disturbed,
    /// A slow wave of 2 %: each period has four fifths of the deviation before it.
    Autocorrelated,
    /// Twenty hot pages alone: the dose scatters about what was wanted.
    FewHotPages,
    /// Scatter, drift, disturbances and waves.
    All,
}

impl ProgramNoise {
    /// Kinds that keep the dose.
    pub const OF_TIME: [Self; 6] = [
        Self::Gaussian,
        Self::Tails,
        Self::Drift,
        Self::Disturbed,
        Self::Autocorrelated,
        Self::All,
    ];

    /// Its name in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Gaussian => "Gaussian",
            Self::Tails => "heavy tails",
            Self::Drift => "drift",
            Self::Disturbed => "disturbed periods",
            Self::Autocorrelated => "autocorrelated",
            Self::FewHotPages => "few hot pages",
            Self::All => "all of these",
        }
    }

    fn has(self, part: Self) -> bool {
        self == part || (self == Self::All && part != Self::Tails && part != Self::FewHotPages)
    }
}

/// A program: how much more time it takes at the highest dose, and halfway beside a straight line.
#[derive(Clone, Copy, Debug)]
pub struct SimulatedProgram {
    /// 0.8 is 80 % more.
    pub effect: f64,
    /// The same, halfway.
    pub bend: f64,
    /// Its noise.
    pub noise: ProgramNoise,
}

/// Mean latencies of the lowest and the highest dose.
pub const LATENCIES: [f64; 2] = [78.6, 144.1];
/// Shares of far memory in a block.
const SHARES: [f64; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];
const SCATTER: f64 = 0.02;

impl SimulatedProgram {
    /// Its periods in this number of blocks.
    pub fn periods(&self, blocks: u32, seed: u64) -> Vec<DosePeriod> {
        let mut rng = Rng::with_seed(seed);
        let mut others = OtherChanges::new(self.noise, f64::from(blocks) * 5.0, &mut rng);
        let mut periods = Vec::new();
        for block in 0..blocks {
            let mut shares = SHARES;
            rng.shuffle(&mut shares);
            for share in shares {
                let real = self.real_share(share, &mut rng);
                let time = 1.0 + self.effect * real + 4.0 * self.bend * real * (1.0 - real);
                let log_time = 3.0 + time.ln() + others.next(&mut rng);
                let dose = LATENCIES[0] + share * (LATENCIES[1] - LATENCIES[0]);
                periods.push(DosePeriod { block, dose, log_time });
            }
        }
        periods
    }

    /// Of accesses, where pages have this share.
    fn real_share(&self, share: f64, rng: &mut Rng) -> f64 {
        if self.noise != ProgramNoise::FewHotPages {
            return share;
        }
        (0..20).filter(|_| rng.f64() < share).count() as f64 / 20.0
    }
}

/// Deviations of one period after the other.
pub(super) struct OtherChanges {
    noise: ProgramNoise,
    periods: f64,
    at: f64,
    walk: f64,
    wave: f64,
    disturbed: u32,
}

impl OtherChanges {
    pub(super) fn new(noise: ProgramNoise, periods: f64, rng: &mut Rng) -> Self {
        Self { noise, periods, at: 0.0, walk: 0.0, wave: SCATTER * normal(rng), disturbed: 0 }
    }

    pub(super) fn next(&mut self, rng: &mut Rng) -> f64 {
        let mut change = match self.noise {
            ProgramNoise::Tails => {
                let chi = (normal(rng).powi(2) + normal(rng).powi(2)) / 2.0;
                SCATTER / 2.0 * normal(rng) / chi.sqrt()
            }
            ProgramNoise::Autocorrelated => SCATTER / 4.0 * normal(rng),
            _ => SCATTER * normal(rng),
        };
        if self.noise.has(ProgramNoise::Drift) {
            self.walk += 0.003 * normal(rng);
            change += 0.2 * self.at / self.periods + self.walk;
        }
        if self.noise.has(ProgramNoise::Disturbed) {
            if self.disturbed == 0 && rng.u32(..20) == 0 {
                self.disturbed = rng.u32(1..=4);
            }
            change += if self.disturbed > 0 { 0.25 } else { 0.0 };
            self.disturbed = self.disturbed.saturating_sub(1);
        }
        if self.noise.has(ProgramNoise::Autocorrelated) {
            self.wave = 0.8 * self.wave + 0.6 * SCATTER * normal(rng);
            change += self.wave;
        }
        self.at += 1.0;
        change
    }
}
