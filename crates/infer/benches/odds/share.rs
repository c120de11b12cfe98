//! Rates over many trials, with bounds.

use std::thread;

/// Threads that share the work.
const THREADS: u64 = 2;

/// Rate of an event.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Share {
    pub(crate) hits: u64,
    pub(crate) of: u64,
}

impl Share {
    pub(crate) fn value(self) -> f64 {
        self.hits as f64 / self.of.max(1) as f64
    }

    /// The upper end of the 95 % interval, two-sided (Clopper and Pearson): the rate at which at
    /// most this many hits have a probability of 2.5 %.
    pub(crate) fn upper(self) -> f64 {
        let (mut low, mut high) = (self.value(), 1.0);
        for _ in 0..60 {
            let middle = f64::midpoint(low, high);
            if at_most(self.hits, self.of, middle) > 0.025 { low = middle } else { high = middle }
        }
        high
    }

    pub(crate) fn percent(self) -> String {
        percent(self.value())
    }
}

pub(crate) fn percent(share: f64) -> String {
    let percent = 100.0 * share;
    match percent {
        0.0 | 100.0 => format!("{percent:.0}"),
        _ if !(10.0..=90.0).contains(&percent) => format!("{percent:.1}"),
        _ => format!("{percent:.0}"),
    }
}

/// The probability of at most this many hits at a rate.
fn at_most(hits: u64, of: u64, rate: f64) -> f64 {
    let (mut log, mut sum) = (of as f64 * (-rate).ln_1p(), 0.0);
    for count in 0..=hits {
        sum += log.exp();
        log += ((of - count) as f64 / (count + 1) as f64).ln() + rate.ln() - (-rate).ln_1p();
    }
    sum
}

/// Runs seeds 0 to `trials` and counts each of several events.
pub(crate) fn count<const N: usize>(
    trials: u64,
    trial: impl Fn(u64) -> [bool; N] + Sync,
) -> [Share; N] {
    let mut shares = [Share { hits: 0, of: trials }; N];
    let counted = thread::scope(|scope| {
        let trial = &trial;
        let worker = |first: u64| {
            move || {
                let mut hits = [0; N];
                for seed in (first..trials).step_by(THREADS as usize) {
                    for (hits, hit) in hits.iter_mut().zip(trial(seed)) {
                        *hits += u64::from(hit);
                    }
                }
                hits
            }
        };
        let workers: Vec<_> = (0..THREADS).map(|first| scope.spawn(worker(first))).collect();
        workers
            .into_iter()
            .map(|worker| worker.join().expect("a trial panicked"))
            .collect::<Vec<_>>()
    });
    for hits in counted {
        for (share, hits) in shares.iter_mut().zip(hits) {
            share.hits += hits;
        }
    }
    shares
}
