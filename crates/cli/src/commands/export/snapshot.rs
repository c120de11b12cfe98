//! What is exported now.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use nearfar_machine::process::NodeSummaries;
use nearfar_machine::{
    MachineCounters, MachineError, MemoryActivity, PageSizes, Source, Topology, TrafficDomains,
};
use nearfar_report::metrics::{self, Metrics};
use nearfar_survey::Survey;
use nearfar_survey::newest_survey::newest_of_user;

/// How often the store is searched for a newer survey.
const SURVEY_AGE: Duration = Duration::from_secs(300);

/// Reads the machine anew for each export.
pub(super) struct Exporter {
    source: Source,
    sizes: PageSizes,
    domains: TrafficDomains,
    topology: Topology,
    survey: Mutex<(Instant, Option<Survey>)>,
}

impl Exporter {
    /// Fails on a machine without nodes.
    pub(super) fn new(source: Source) -> anyhow::Result<Self> {
        let topology = Topology::read(&source)?;
        let nodes = NodeSummaries::read(&source);
        if nodes.nodes.is_empty() {
            return Err(MachineError::NoNodes { origin: source.origin().to_owned() }.into());
        }
        let survey = Mutex::new((Instant::now(), kept(&topology)));
        let (sizes, domains) = (PageSizes::read(&source), TrafficDomains::find(&source, &nodes));
        Ok(Self { source, sizes, domains, topology, survey })
    }

    /// All metrics.
    pub(super) fn text(&self) -> String {
        let counters = MachineCounters::read_with(&self.source, self.sizes);
        let activity = MemoryActivity::read(&self.source);
        let traffic = self.domains.read(&self.source);
        let mut survey = self.survey.lock().unwrap_or_else(PoisonError::into_inner);
        if survey.0.elapsed() > SURVEY_AGE {
            *survey = (Instant::now(), kept(&self.topology));
        }
        metrics::text(Metrics {
            version: env!("CARGO_PKG_VERSION"),
            counters: &counters,
            activity: &activity,
            traffic: &traffic,
            survey: survey.1.as_ref(),
        })
    }
}

/// The newest kept survey of this machine.
fn kept(topology: &Topology) -> Option<Survey> {
    let has_latencies = |survey: &Survey, _: &Topology| !survey.latency.cells.is_empty();
    Some(newest_of_user(topology, has_latencies)?.1)
}
