//! The limits of the instruments' plans.

use std::time::Duration;

use nearfar_infer::MIN_PROCESSES;
use nearfar_model::Instrument;
use nearfar_probe::PlanLimits;

use crate::Mode;

/// The limits of an instrument's whole plan. Where effects of 2 % are to be decided, or a cost is
/// to be compared with latency, figures are as precise as latency.
pub(crate) fn plan_limits(instrument: Instrument, mode: Mode) -> PlanLimits {
    let usual = mode.limits();
    let twice_the_error = 2.0 * usual.standard_error;
    let by_mode = |[quick, default, thorough]: [u32; 3]| match mode {
        Mode::Quick => quick,
        Mode::Default => default,
        Mode::Thorough => thorough,
    };
    let deadline = |seconds| Some(Duration::from_secs(by_mode(seconds).into()));
    // Visits far longer than a page sample: first ten rounds in five processes.
    let slow = |rounds, step_rounds, seconds| PlanLimits {
        first_rounds: 10,
        first_rounds_per_process: 2,
        step_rounds,
        max_rounds: by_mode(rounds),
        standard_error: usual.standard_error,
        deadline: deadline(seconds),
    };
    // Cells are compared with one another: the first turn has all processes that effects need.
    let crossed = |rounds, seconds| PlanLimits {
        first_rounds: 2 * MIN_PROCESSES as u32,
        ..slow(rounds, 5, seconds)
    };
    match instrument {
        // Only machines with thousands of cells, and emulated ones, come near this time.
        Instrument::Latency => PlanLimits { deadline: deadline([120, 600, 3_600]), ..usual },
        Instrument::PageSize => PlanLimits { max_rounds: 15, ..PlanLimits::quick() },
        // A visit takes forty times as long as a page sample, so there are fewer of them.
        Instrument::Bandwidth => slow([15, 30, 90], 5, [60, 300, 1_800]),
        // A loaded sample takes twenty times as long as an idle one, and scatters more.
        Instrument::Loaded => PlanLimits {
            standard_error: twice_the_error,
            ..slow([15, 30, 90], 5, [60, 300, 1_800])
        },
        Instrument::CoreToCore => PlanLimits {
            first_rounds: 9,
            step_rounds: 3,
            max_rounds: by_mode([15, 30, 90]),
            deadline: deadline([60, 300, 1_800]),
            ..usual
        },
        // A round takes seconds, mostly to warm sizes beyond the caches.
        Instrument::Caches => slow([10, 20, 60], 2, [90, 300, 1_800]),
        Instrument::Interleave => usual,
        // Most disks need all of the budget.
        Instrument::Io => crossed([200, 1_000, 4_000], [60, 600, 3_600]),
        Instrument::Gpu => crossed([100, 500, 2_000], [60, 600, 3_600]),
        // Coarser than latency's, since each process has its own pages.
        Instrument::Hidden => PlanLimits { standard_error: twice_the_error, ..usual },
    }
}
