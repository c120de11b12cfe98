//! Copies.

use nearfar_model::Instrument;
use nearfar_probe::gpu::{CopyRoute, GpuSetup, GpuTreatment};
use serde::{Deserialize, Serialize};

use super::super::placement::{PlacedAccess, PlacedTreatment, placed_treatments};

/// One kind of copy.
#[derive(
    Clone,
    Debug,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Serialize,
    Deserialize,
    schemars::JsonSchema,
)]
pub struct GpuCopy {
    /// Labels of the GPUs that copy at once; of a copy between GPUs, the source.
    pub gpus: Vec<String>,
    /// "to-device", "from-device" or "both"; "peer" of a copy between GPUs.
    pub direction: String,
    /// The host's memory: "pinned" (registered with the driver) or "pageable"; null of a copy
    /// between GPUs.
    pub memory: Option<String>,
    /// The label of the GPU that a copy between GPUs goes to; null of all others.
    pub peer: Option<String>,
    /// Bytes of a copy; of several GPUs, or both ways, of each.
    pub size_bytes: u64,
    /// "again" of a control, which repeats a cell; null of all others.
    pub control: Option<String>,
}

impl GpuCopy {
    pub(super) fn new(setup: &GpuSetup, treatment: &GpuTreatment) -> Self {
        let label = |gpu: &usize| setup.gpus[*gpu].label.clone();
        let size_bytes = treatment.size.0;
        let control = treatment.again.then(|| "again".to_owned());
        match &treatment.route {
            CopyRoute::Host { gpus, direction, memory } => Self {
                gpus: gpus.iter().map(label).collect(),
                direction: direction.name().to_owned(),
                memory: Some(memory.name().to_owned()),
                peer: None,
                size_bytes,
                control,
            },
            CopyRoute::Peer { from, to } => Self {
                gpus: vec![label(from)],
                direction: "peer".to_owned(),
                memory: None,
                peer: Some(label(to)),
                size_bytes,
                control,
            },
        }
    }

    /// Whether the GPU itself accesses the host's memory, so that its node shows.
    pub fn is_pinned(&self) -> bool {
        self.memory.as_deref() == Some("pinned")
    }
}

impl PlacedAccess for GpuCopy {
    const INSTRUMENT: Instrument = Instrument::Gpu;

    fn is_control(&self) -> bool {
        self.control.is_some()
    }

    fn without_control(&self) -> Self {
        Self { control: None, ..self.clone() }
    }
}

placed_treatments! {
    /// A copy whose figure is nanoseconds.
    GpuLatencyCopy(GpuCopy): Nanoseconds;
    /// Copies whose figure is bytes a second.
    GpuRateCopy(GpuCopy): BytesPerSecond;
}

/// A treatment that is a copy.
pub trait CopyTreatment: PlacedTreatment<Access = GpuCopy> {}

impl<T: PlacedTreatment<Access = GpuCopy>> CopyTreatment for T {}
