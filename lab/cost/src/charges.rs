//! What a guest's accesses are to cost, as the launcher passes it to the plugin: one JSON file.
//!
//! Every time is in nanoseconds of the host's clock, the machine's slowdown already applied; every
//! line has 64 bytes.

use serde::{Deserialize, Serialize};

use crate::device_access::DeviceAccess;

/// Bytes of a line: what caches hold and memory hands out.
pub const LINE_BYTES: u64 = 64;

/// All that an access can cost, by who makes it and where it goes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Charges {
    /// Where bursts begin, and whatever else is drawn.
    pub seed: u64,
    /// Lines that each CPU's model cache holds.
    pub cache_lines: usize,
    /// The group of each virtual CPU: its row of `latency_ns`.
    pub groups: Vec<usize>,
    /// The home that is each group's own; absent for CPUs without memory.
    pub own_home: Vec<Option<usize>>,
    /// Which memory is where, in the addresses that the emulator reports. What lies in none of
    /// them costs nothing.
    pub ranges: Vec<HomeRange>,
    /// An uncontended access: group × home.
    pub latency_ns: Vec<Vec<f64>>,
    /// How long a line occupies each home's memory; absent where nothing limits its bandwidth.
    pub home_service_ns: Vec<Option<f64>>,
    /// The links between groups and homes, and how long a line occupies each.
    pub links: Vec<Link>,
    /// How many lines a CPU has on their way where it goes from line to neighbouring line; absent:
    /// one, as everywhere else.
    pub streams: Option<Streams>,
    /// What it costs to fetch a line that another CPU holds modified; absent: what memory costs.
    pub modified: Option<ModifiedLines>,
    /// What it costs to reach registers of devices; absent: nothing.
    pub devices: Option<DeviceAccess>,
    /// What disturbs the machine.
    pub noise: Noise,
}

/// A stretch of physical addresses and whose memory it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HomeRange {
    /// Its first address.
    pub start: u64,
    /// The address behind its last.
    pub end: u64,
    /// The home of its lines; of several, lines alternate among them, as firmware interleaves.
    pub homes: Vec<usize>,
}

/// A connection that lines pass one after the other.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Link {
    /// The (group, home) pairs whose lines pass here when the group reads them.
    pub carries: Vec<(usize, usize)>,
    /// The (group, home) pairs whose lines pass here when the group writes them back.
    pub carries_back: Vec<(usize, usize)>,
    /// How long a line occupies it.
    pub service_ns: f64,
}

/// Memory-level parallelism of streams.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Streams {
    /// Lines that one CPU has on their way at most, in all its streams together.
    pub lines: usize,
}

/// The cost of a line that another CPU has written and still holds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModifiedLines {
    /// Reader's group × holder's group, for a line whose home is the holder's own.
    pub ns: Vec<Vec<f64>>,
    /// Added when the line's home is the reader's own and not the holder's.
    #[serde(default)]
    pub homed_at_reader_extra_ns: f64,
    /// Added when the line's home is neither's.
    #[serde(default)]
    pub homed_elsewhere_extra_ns: f64,
}

/// What disturbs the machine over time. Times count from the guest's start.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Noise {
    /// A slow swing of all costs.
    pub drift: Option<Drift>,
    /// Short times in which everything costs more.
    pub bursts: Option<Bursts>,
    /// CPUs that a hypervisor moves elsewhere.
    pub moves: Vec<Move>,
}

/// All costs swing as a sine.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Drift {
    /// How far above and below, as a fraction.
    pub share: f64,
    /// From peak to peak.
    pub period_s: f64,
}

/// From time to time all costs are multiplied for a while, beginning at random.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bursts {
    /// One begins somewhere in each stretch of this length.
    pub every_s: f64,
    /// How long it lasts; less than `every_s`.
    pub lasts_s: f64,
    /// What costs are multiplied by while it lasts.
    pub factor: f64,
}

/// From some time on, a CPU runs in another group.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Move {
    /// When.
    pub at_s: f64,
    /// Which virtual CPU.
    pub cpu: usize,
    /// Where it runs from then on.
    pub to_group: usize,
}
