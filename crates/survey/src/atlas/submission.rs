//! What is sent of a survey: a row for the atlas, and the document without what identifies the
//! machine or its owner.

use crate::{Claims, MachineSummary, Provenance, Survey};

use crate::atlas::Atlas;
use crate::atlas::cpu_name::plain;
use crate::atlas::figures::{MachineFigures, NodeFigure};
use crate::atlas::row::{AtlasRow, Method, Platform, Span};

/// What a stripped document keeps. All else is left out: product, kernel, settings, command line,
/// devices, interrupts, diagnosis, samples, seed, day and time.
pub const KEPT: [&str; 6] = [
    "CPU model, architecture, hypervisor, numbers of packages, cores, CPUs and nodes",
    "memory and CPUs of each node, and SLIT's distances",
    "latency, with intervals",
    "bandwidth, with intervals, and what the memory channels could deliver",
    "verdict",
    "nearfar's version, options, and the month",
];

/// Where a row's address is written once it is published.
const SOURCE: &str = "write the address here where you publish the document";

/// What is sent of a survey.
#[derive(Clone, Debug, PartialEq)]
pub struct Submission {
    /// The row.
    pub row: AtlasRow,
    /// The document without what identifies the machine.
    pub document: Survey,
}

/// Why a survey gives no row.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SubmissionError {
    /// No latency.
    #[error("it has no latency of local memory: 'nearfar survey' measures it")]
    NoLatency,
    /// No model.
    #[error("its CPU model is unknown: a row needs one")]
    NoModel,
    /// No row.
    #[error("cannot write the row: {0}")]
    Unwritable(String),
}

impl Submission {
    /// Of a survey.
    pub fn for_survey(survey: &Survey) -> Result<Self, SubmissionError> {
        let document = stripped(survey);
        let figures = MachineFigures::for_survey(&document);
        if !figures.latency.iter().any(|cell| cell.cpus == cell.memory) {
            return Err(SubmissionError::NoLatency);
        }
        if ["", "unknown"].contains(&figures.model.as_str()) {
            return Err(SubmissionError::NoModel);
        }
        Ok(Self { row: row(&document, &figures), document })
    }

    /// The row as a table of `atlas.toml`.
    pub fn row_text(&self) -> Result<String, SubmissionError> {
        #[derive(serde::Serialize, schemars::JsonSchema)]
        struct File<'a> {
            row: [&'a AtlasRow; 1],
        }
        toml::to_string(&File { row: [&self.row] })
            .map_err(|error| SubmissionError::Unwritable(error.to_string()))
    }
}

fn stripped(survey: &Survey) -> Survey {
    let mut bandwidth = survey.bandwidth.clone();
    bandwidth.iter_mut().for_each(|bandwidth| bandwidth.part.samples = None);
    let provenance = &survey.provenance;
    Survey {
        schema: survey.schema.clone(),
        machine: MachineSummary { product: None, kernel: None, ..survey.machine.clone() },
        claims: Claims {
            nodes: survey.claims.nodes.clone(),
            distances: survey.claims.distances.clone(),
            ..Claims::default()
        },
        latency: survey.latency.clone(),
        controls: survey.controls.clone(),
        bandwidth,
        verdict: survey.verdict.clone(),
        provenance: Provenance {
            version: provenance.version.clone(),
            started: month(survey).unwrap_or_default(),
            processes: provenance.processes,
            rounds: provenance.rounds,
            stopped: provenance.stopped.clone(),
            options: provenance.options.clone(),
            ..Provenance::default()
        },
        ..Survey::default()
    }
}

/// "2026-11".
fn month(survey: &Survey) -> Option<String> {
    let month = survey.provenance.started.get(..7)?;
    month.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-').then(|| month.to_owned())
}

fn row(survey: &Survey, figures: &MachineFigures) -> AtlasRow {
    let name = plain(&figures.model);
    let found = Atlas::built_in().for_cpu(&figures.model, figures.cpuid.as_ref());
    let (packages, nodes) = (figures.packages, figures.nodes);
    let date = month(survey);
    let tenths = |matrix: Vec<Vec<f64>>| -> Vec<Vec<f64>> {
        matrix
            .into_iter()
            .map(|row| row.into_iter().map(|value| (value * 10.0).round() / 10.0).collect())
            .collect()
    };
    let local = figures.latency.iter().filter(|cell| cell.cpus == cell.memory);
    let local: Vec<f64> = local.map(|cell| (cell.median * 10.0).round() / 10.0).collect();
    let latency_ns = square(&figures.latency, nodes).map(tenths);
    AtlasRow {
        id: format!(
            "nearfar-{}-{packages}p-{nodes}n-{}",
            name.replace([' ', '/'], "-"),
            date.as_deref().unwrap_or("undated")
        ),
        cpu: figures.model.clone(),
        family: found.family.unwrap_or_else(|| "unknown".to_owned()),
        sockets: Some(packages),
        nodes: Some(nodes),
        nodes_per_socket: figures.nodes_per_package(),
        platform: if figures.hypervisor.is_some() { Platform::Guest } else { Platform::BareMetal },
        tool: format!("nearfar {}", survey.provenance.version),
        method: Method::Nearfar,
        source: SOURCE.to_owned(),
        date,
        local_ns: if latency_ns.is_none() { Span::around(&local) } else { None },
        latency_ns,
        bandwidth_gb_s: square(&figures.reads, nodes).map(tenths),
        ..AtlasRow::default()
    }
}

/// The matrix of all nodes with CPUs; none where a cell is missing.
fn square(figures: &[NodeFigure], nodes: usize) -> Option<Vec<Vec<f64>>> {
    let mut ids: Vec<u32> = figures.iter().map(|cell| cell.cpus).collect();
    ids.sort_unstable();
    ids.dedup();
    let find = |cpus: u32, memory: u32| {
        let cell = figures.iter().find(|cell| (cell.cpus, cell.memory) == (cpus, memory));
        cell.map(|cell| cell.median)
    };
    let row =
        |cpus: &u32| ids.iter().map(|memory| find(*cpus, *memory)).collect::<Option<Vec<_>>>();
    let matrix = ids.iter().map(row).collect::<Option<Vec<_>>>()?;
    (matrix.len() == nodes && nodes > 0).then_some(matrix)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::atlas::row;

    /// A kept survey of a guest: it has a command line, devices and a seed.
    fn kept() -> Survey {
        let text = include_str!("../../../../docs/gallery/documents/this-machine.json");
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn nothing_that_identifies_is_sent() {
        let mut survey = kept();
        survey.machine.product = Some("secret product".to_owned());
        survey.machine.kernel = Some("6.1-secret".to_owned());
        survey.environment.insert("command_line".to_owned(), "root=secret".into());
        let submission = Submission::for_survey(&survey).unwrap();
        let sent = serde_json::to_string(&submission.document).unwrap();
        for identifying in ["secret", "0000:", &survey.provenance.started] {
            assert!(!sent.contains(identifying), "{identifying}");
        }
        assert_eq!(submission.document.latency, survey.latency);
        assert_eq!(submission.document.provenance.seed, 0);
        let again: Survey = serde_json::from_str(&sent).unwrap();
        assert_eq!(again, submission.document);
    }

    #[test]
    fn rows_are_accepted_once_they_have_an_address() {
        let submission = Submission::for_survey(&kept()).unwrap();
        let text = submission.row_text().unwrap();
        assert!(row::parse(&text).unwrap_err().contains("source is no address"), "{text}");
        let published = text.replace(SOURCE, "https://example.org/document.json");
        let rows = row::parse(&published).unwrap();
        assert_eq!((rows[0].platform, rows[0].method), (Platform::Guest, Method::Nearfar));
        assert_eq!(rows[0].local(), submission.row.local());
    }

    #[test]
    fn surveys_without_latency_give_no_row() {
        let mut survey = kept();
        survey.latency.cells.clear();
        assert_eq!(Submission::for_survey(&survey).unwrap_err(), SubmissionError::NoLatency);
        survey = kept();
        survey.machine.model = "unknown".to_owned();
        assert_eq!(Submission::for_survey(&survey).unwrap_err(), SubmissionError::NoModel);
    }
}
