//! What is exported now.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use nearfar_live::text::uncounted;
use nearfar_live::{NodeReader, TargetReader};
use nearfar_machine::process::NodeSummaries;
use nearfar_machine::{MachineError, Source, Topology};
use nearfar_survey::{Store, Survey};
use nearfar_view::terminal::exit::WrongUsage;
use nearfar_view::text::exposition::{Exposition, Kind};

/// How often the store is searched for a newer survey.
const SURVEY_AGE: Duration = Duration::from_secs(300);

/// Reads the machine anew for each export.
pub(super) struct Exporter {
    source: Source,
    reader: Mutex<NodeReader>,
    topology: Topology,
    survey: Mutex<(Instant, Option<Survey>)>,
    targets: Mutex<TargetReader>,
}

impl Exporter {
    /// Fails on a machine without nodes, and for words that name no target. What the PMU counts
    /// rises while this exists.
    pub(super) fn new(source: Source, with_pmu: bool, targets: &[String]) -> anyhow::Result<Self> {
        let topology = Topology::read(&source)?;
        let nodes = NodeSummaries::read(&source);
        if nodes.nodes.is_empty() {
            return Err(MachineError::NoNodes { origin: source.origin().to_owned() }.into());
        }
        let survey = Mutex::new((Instant::now(), kept(&topology)));
        let reader = NodeReader::new(&source, &nodes);
        let reader = if with_pmu { reader.with_pmu(&source, &nodes) } else { reader };
        let targets = TargetReader::new(&source, targets);
        let targets = Mutex::new(targets.map_err(|error| WrongUsage(error.to_string()))?);
        Ok(Self { source, reader: Mutex::new(reader), topology, survey, targets })
    }

    pub(super) fn text(&self) -> String {
        let mut out = Exposition::default();
        let build = [(vec![("version", env!("CARGO_PKG_VERSION").to_owned())], 1.0)];
        out.family("nearfar_build_info", Kind::Gauge, "Version of nearfar.", build);
        let mut reader = self.reader.lock().unwrap_or_else(PoisonError::into_inner);
        nearfar_live::metrics::add(&mut out, &reader.read(&self.source, 0.0));
        drop(reader);
        let mut targets = self.targets.lock().unwrap_or_else(PoisonError::into_inner);
        nearfar_live::metrics::add_targets(&mut out, &mut targets, &self.source);
        drop(targets);
        let mut survey = self.survey.lock().unwrap_or_else(PoisonError::into_inner);
        if survey.0.elapsed() > SURVEY_AGE {
            *survey = (Instant::now(), kept(&self.topology));
        }
        if let Some(survey) = &survey.1 {
            nearfar_report::metrics::add(&mut out, survey);
        }
        out.into_text()
    }

    /// Why the PMU counts nothing, a line for each reason.
    pub(super) fn uncounted(&self) -> Vec<String> {
        let reader = self.reader.lock().unwrap_or_else(PoisonError::into_inner);
        reader.pmu().as_ref().map(uncounted).unwrap_or_default()
    }
}

/// The newest kept survey of this machine.
fn kept(topology: &Topology) -> Option<Survey> {
    Some(Store::newest_of(topology, |survey| !survey.latency.cells.is_empty())?.1)
}
