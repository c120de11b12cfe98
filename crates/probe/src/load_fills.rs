//! Loads, and the fills that local and remote memory served meanwhile.

use std::ops::AddAssign;

use nearfar_machine::pmu::Fills;
use serde::{Deserialize, Serialize};

/// Loads of visits, and the fills that the PMU counted meanwhile.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoadFills {
    /// Timed loads of samples. Those of disturbed attempts are not included, though their fills
    /// are.
    pub loads: u64,
    /// Fills of the visits.
    pub fills: Fills,
}

impl AddAssign for LoadFills {
    fn add_assign(&mut self, more: Self) {
        self.loads = self.loads.saturating_add(more.loads);
        self.fills += more.fills;
    }
}
