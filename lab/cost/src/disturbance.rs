//! What disturbs the machine, at any moment: a function of the time and the seed, so that every run
//! replays.

use std::f64::consts::TAU;

use crate::charges::{Bursts, Drift, Noise};

/// A machine's noise, ready to be asked.
#[derive(Debug)]
pub(crate) struct NoiseSource {
    noise: Noise,
    seed: u64,
}

impl NoiseSource {
    pub(crate) fn new(noise: Noise, seed: u64) -> Self {
        Self { noise, seed }
    }

    /// What costs are multiplied by at a time.
    pub(crate) fn factor(&self, now_ns: u64) -> f64 {
        let now_s = now_ns as f64 / 1e9;
        let drift = self.noise.drift.map_or(1.0, |drift| swing(drift, now_s));
        let burst = self.noise.bursts.filter(|&bursts| self.in_burst(bursts, now_s));
        drift * burst.map_or(1.0, |bursts| bursts.factor)
    }

    /// The group that a CPU runs in at a time.
    pub(crate) fn group(&self, cpu: usize, at_first: usize, now_ns: u64) -> usize {
        let now_s = now_ns as f64 / 1e9;
        let moves = self.noise.moves.iter().filter(|one| one.cpu == cpu && one.at_s <= now_s);
        moves.max_by(|a, b| a.at_s.total_cmp(&b.at_s)).map_or(at_first, |last| last.to_group)
    }

    fn in_burst(&self, bursts: Bursts, now_s: f64) -> bool {
        let stretch = (now_s / bursts.every_s).floor();
        let begins = stretch * bursts.every_s
            + self.draw(stretch as u64) * (bursts.every_s - bursts.lasts_s);
        (begins..begins + bursts.lasts_s).contains(&now_s)
    }

    /// A number from 0 to 1, drawn for the nth time: SplitMix64 (Steele, Lea and Flood, OOPSLA
    /// 2014).
    fn draw(&self, nth: u64) -> f64 {
        let mut bits = self.seed.wrapping_add((nth + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((bits ^ bits >> 31) >> 11) as f64 / (1_u64 << 53) as f64
    }
}

fn swing(drift: Drift, now_s: f64) -> f64 {
    1.0 + drift.share * (TAU * now_s / drift.period_s).sin()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::charges::Move;

    const SECOND: u64 = 1_000_000_000;

    fn disturbed(noise: Noise) -> NoiseSource {
        NoiseSource::new(noise, 1)
    }

    #[test]
    fn a_quiet_machine_always_costs_the_same() {
        let quiet = disturbed(Noise::default());
        assert!((0..100).all(|second| quiet.factor(second * SECOND) == 1.0));
    }

    #[test]
    fn drift_swings_to_its_amplitude_and_back() {
        let drift = Drift { share: 0.03, period_s: 8.0 };
        let drifting = disturbed(Noise { drift: Some(drift), ..Noise::default() });
        let factors =
            [0, 2, 4, 6, 8].map(|second| (drifting.factor(second * SECOND) * 1e6).round() / 1e6);
        assert_eq!(factors, [1.0, 1.03, 1.0, 0.97, 1.0]);
    }

    #[test]
    fn the_seed_places_one_burst_in_each_stretch() {
        let noise = Noise {
            bursts: Some(Bursts { every_s: 1.0, lasts_s: 0.1, factor: 2.0 }),
            ..Noise::default()
        };
        let milliseconds = |seed: u64| -> Vec<u64> {
            let bursting = NoiseSource::new(noise.clone(), seed);
            (0..10_000).filter(|ms| bursting.factor(ms * 1_000_000) == 2.0).collect()
        };
        let burst = milliseconds(1);
        assert!((980..=1020).contains(&burst.len()), "{}", burst.len());
        assert_eq!(burst, milliseconds(1));
        assert_ne!(burst, milliseconds(2));
        for second in 0..10 {
            let within = burst.iter().filter(|&&ms| ms / 1000 == second).count();
            assert!((95..=105).contains(&within), "second {second}: {within}");
        }
    }

    #[test]
    fn a_moved_cpu_runs_where_it_was_moved_to_last() {
        let moves =
            vec![Move { at_s: 2.0, cpu: 1, to_group: 5 }, Move { at_s: 1.0, cpu: 1, to_group: 3 }];
        let moving = disturbed(Noise { moves, ..Noise::default() });
        assert_eq!([0, 1, 2, 9].map(|second| moving.group(1, 0, second * SECOND)), [0, 3, 5, 5]);
        assert_eq!(moving.group(2, 0, 9 * SECOND), 0);
    }
}
