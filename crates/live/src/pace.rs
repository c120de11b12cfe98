//! How often a reading is repeated: the more it costs, the less often.

/// The next time at which a reading may be repeated.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Pace {
    next_s: f64,
}

impl Pace {
    /// Whether it is time; times are seconds of any clock.
    pub fn is_due(self, now_s: f64) -> bool {
        now_s >= self.next_s
    }

    /// A reading began at this time and took `cost_s` of a CPU. All such readings together take this
    /// share of a CPU at most.
    pub fn spent(&mut self, now_s: f64, cost_s: f64, share: f64) {
        self.next_s = now_s + cost_s / share;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn costly_readings_wait_longer() {
        let mut pace = Pace::default();
        assert!(pace.is_due(0.0));
        pace.spent(10.0, 0.001, 0.005);
        assert!(!pace.is_due(10.1) && pace.is_due(10.2));
        pace.spent(20.0, 0.1, 0.005);
        assert!(!pace.is_due(39.0) && pace.is_due(40.0));
    }
}
