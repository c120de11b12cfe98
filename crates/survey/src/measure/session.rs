//! The measured machine at the start of a measurement.

use std::rc::Rc;
use std::time::Instant;

use jiff::Timestamp;
use nearfar_diagnose::Witnesses;
use nearfar_machine::interrupts::InterruptSnapshot;
use nearfar_machine::{Activity, Environment, Source, Topology};
use nearfar_model::CpuSet;

use crate::measure::MeasureError;
use crate::{Instruments, MachineSummary, Observed, Provenance, Survey};

/// Random seeds are short enough to be typed.
const SEEDS: u64 = 1_000_000;

/// The measured machine.
pub struct Session {
    pub(crate) topology: Rc<Topology>,
    pub(crate) environment: Environment,
    pub(crate) witnesses: Witnesses,
    pub(crate) seed: u64,
    pub(crate) begun: Instant,
    /// For later reads: free memory changes.
    pub(crate) source: Rc<Source>,
    pub(crate) started: Timestamp,
    before: Activity,
}

impl Session {
    pub(crate) fn begin(seed: Option<u64>) -> Result<Self, MeasureError> {
        let source = Source::live();
        Ok(Self {
            topology: Rc::new(Topology::read(&source)?),
            environment: Environment::read(&source),
            witnesses: Witnesses::read(&source),
            seed: seed.unwrap_or_else(|| fastrand::u64(..SEEDS)),
            before: Activity::read(&source),
            begun: Instant::now(),
            started: Timestamp::now(),
            source: Rc::new(source),
        })
    }

    /// A name for the survey's file: machine and time.
    pub(crate) fn name(&self) -> String {
        let machine = MachineSummary::new(&self.topology, &self.environment).short_name();
        format!("{machine}-{}", self.started.strftime("%Y%m%d-%H%M%S"))
    }

    /// The document of what was measured.
    pub(crate) fn document(
        &self,
        instruments: Instruments<'_>,
        threshold: f64,
        provenance: Provenance,
    ) -> Result<Survey, MeasureError> {
        let devices = nearfar_diagnose::usual_devices(&self.witnesses, &self.source);
        // The witnesses have the first reading of the counters, from just before `begun`.
        let now = InterruptSnapshot::read(&self.source).ok();
        let now = now.as_ref().map(|now| (now, self.begun.elapsed().as_secs_f64()));
        let interrupts = devices.as_ref().zip(now).and_then(|(devices, now)| {
            nearfar_diagnose::interrupts(&self.witnesses, devices, Some(now))
        });
        Ok(crate::assemble(Observed {
            topology: &self.topology,
            environment: &self.environment,
            witnesses: &self.witnesses,
            devices,
            interrupts,
            activity: &Activity::read(&self.source).since(&self.before),
            went_offline: self.went_offline(),
            instruments,
            threshold,
            provenance,
        })?)
    }

    /// CPUs that this process could use at the beginning and cannot use now.
    fn went_offline(&self) -> CpuSet {
        let now = Topology::read(&self.source);
        let now = now.map(|now| self.topology.allowed.cpus.difference(&now.allowed.cpus));
        now.unwrap_or_default()
    }
}

/// Seconds to a tenth.
pub(crate) fn tenths(seconds: f64) -> f64 {
    (seconds * 10.0).round() / 10.0
}
