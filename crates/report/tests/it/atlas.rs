//! Machines of the atlas, replayed, beside its rows: their sections, and the documents that
//! `docs/measure/atlas.md` shows.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use nearfar_infer::Numa;
use nearfar_report::page::{self, Origin};
use nearfar_report::survey::{Verbosity, text};
use nearfar_survey::{
    Bandwidth, BandwidthTreatment, Matrix, MatrixCell, Peak, Survey, TreatmentMatrix,
};
use snapbox::{assert_data_eq, file};

use crate::by_hand::{columns, matrix, rows, survey, verdict};
use crate::published_file::assert_published;

/// A machine that a source describes by its matrices.
#[derive(Clone, Copy)]
struct Replay {
    name: &'static str,
    model: &'static str,
    /// CPUs of each node.
    cpus: [&'static str; 2],
    latency_ns: [[f64; 2]; 2],
    bandwidth_gb_s: [[f64; 2]; 2],
    hypervisor: Option<&'static str>,
}

/// Of `crates/survey/atlas.toml`, but for the second: its source shows a fault.
const REPLAYS: [Replay; 4] = [
    Replay {
        name: "atlas-healthy",
        model: "Intel(R) Xeon(R) Platinum 8280 CPU @ 2.70GHz",
        cpus: ["0-27", "28-55"],
        latency_ns: [[81.2, 130.2], [130.2, 81.1]],
        bandwidth_gb_s: [[122.1, 51.33], [51.31, 122.01]],
        hypervisor: None,
    },
    Replay {
        name: "atlas-half-populated",
        model: "Intel(R) Xeon(R) Platinum 8180 CPU @ 2.50GHz",
        cpus: ["0-27", "28-55"],
        latency_ns: [[81.1, 144.5], [139.6, 72.7]],
        bandwidth_gb_s: [[108.03, 16.95], [50.66, 19.47]],
        hypervisor: None,
    },
    Replay {
        name: "atlas-interleaved",
        model: "Intel(R) Xeon(R) CPU E5-2630 v4 @ 2.20GHz",
        cpus: ["0-9", "10-19"],
        latency_ns: [[106.9, 106.9], [107.2, 107.2]],
        bandwidth_gb_s: [[50.44, 50.35], [50.49, 50.58]],
        hypervisor: None,
    },
    // The first machine, as if a hypervisor were below and showed its nodes.
    Replay {
        name: "atlas-guest",
        model: "Intel(R) Xeon(R) Platinum 8280 CPU @ 2.70GHz",
        cpus: ["0-27", "28-55"],
        latency_ns: [[81.2, 130.2], [130.2, 81.1]],
        bandwidth_gb_s: [[122.1, 51.33], [51.31, 122.01]],
        hypervisor: Some("KVM"),
    },
];

impl Replay {
    fn survey(&self) -> Survey {
        let costs = self.latency_ns.map(|row| row.map(Some).to_vec()).to_vec();
        let latency = matrix(rows(&self.cpus), columns(2), &costs);
        // Of the row whose memories differ most, as a survey's verdict.
        let [[near, far], [far_back, near_back]] = self.latency_ns;
        let effect = (far / near).max(far_back / near_back) - 1.0;
        let numa = if effect > 0.05 { Numa::Yes } else { Numa::No };
        let judged = verdict(numa, effect, [effect - 0.01, effect + 0.01], 0.0005);
        let mut survey = survey(self.model, latency, None, judged);
        let machine = &mut survey.machine;
        (machine.cores, machine.cpus) = (56, 56);
        (machine.kernel, machine.memory_bytes) = (None, None);
        machine.hypervisor = self.hypervisor.map(str::to_owned);
        survey.provenance.started = "replayed, not measured".to_owned();
        survey.bandwidth = Some(self.bandwidth());
        survey
    }

    fn bandwidth(&self) -> Bandwidth {
        let treatment = BandwidthTreatment { kernel: "read".to_owned(), threads: 28 };
        let costs = self.bandwidth_gb_s.map(|row| row.map(|gb| Some(gb * 1e9)).to_vec()).to_vec();
        let plain = matrix(rows(&self.cpus), columns(2), &costs);
        let cell = |cell: MatrixCell| MatrixCell {
            row: cell.row,
            column: cell.column,
            cpus: cell.cpus,
            node: cell.node,
            treatment: treatment.clone(),
            q25: cell.q25,
            median: cell.median,
            se: cell.se,
            ci95: cell.ci95,
            traffic_bytes_per_s: None,
            rough: None,
            samples: cell.samples,
            dropped: cell.dropped,
            why: None,
        };
        let matrix = Matrix {
            probe: "bandwidth".to_owned(),
            unit: nearfar_model::Unit::BytesPerSecond,
            rows: plain.rows,
            columns: plain.columns,
            cells: plain.cells.into_iter().map(cell).collect(),
        };
        Bandwidth {
            part: TreatmentMatrix { matrix, treatments: vec![treatment], samples: None },
            isa: "avx512".to_owned(),
            footprint_bytes: 1 << 30,
            window_ms: None,
            windows: 1,
            windows_dropped: BTreeMap::new(),
            kernels: vec![],
            knees: vec![],
            peak: None,
        }
    }
}

/// The section of a screen.
fn section(survey: &Survey) -> String {
    let screen = text(survey, Verbosity::Brief).text();
    let after = screen.split_once("Published figures\n").map(|(_, after)| after);
    after.and_then(|after| after.split("\n\n").next()).unwrap_or("nothing\n").to_owned()
}

#[test]
fn replayed_machines_lie_beside_the_atlas() {
    let mut all = String::new();
    for replay in &REPLAYS {
        writeln!(all, "{}\n{}", replay.name, section(&replay.survey())).unwrap();
    }
    assert_data_eq!(all, file!["../golden/atlas-sections.txt"]);
}

#[test]
fn figures_beyond_all_methods_are_unusual_on_screen_and_page() {
    let slow = Replay { latency_ns: [[200.0, 600.0], [600.0, 200.0]], ..REPLAYS[0] };
    let mut survey = slow.survey();
    let peak =
        Peak { node_bytes_per_s: 281.6e9, source: "user".to_owned(), dimms: "12".to_owned() };
    survey.bandwidth.as_mut().unwrap().peak = Some(peak);
    let section = section(&survey).split_whitespace().collect::<Vec<_>>().join(" ");
    for part in [
        "unusual: remote/local 3.00; published for Cascade Lake-SP: ",
        "; other methods explain 1.12 to 2.41",
        "reads of what the memory channels could deliver: 43.3 to 43.4 %; published for machines",
        "local 200 ns; published for this model: ",
    ] {
        assert!(section.contains(part), "{part:?} is missing: {section}");
    }
    let origin = Origin { file: "a.json".to_owned(), made_from: None };
    let page = page::survey(&survey, &origin, false);
    assert!(
        page.contains("<h3>Published figures</h3>") && page.contains("; other methods explain")
    );
    let usual = survey_of_an_unknown_model();
    assert!(!page::survey(&usual, &origin, false).contains("Published figures"));
}

/// Two nodes of a CPU without rows.
fn survey_of_an_unknown_model() -> Survey {
    let mut survey = REPLAYS[0].survey();
    survey.machine.model = "Example 9000".to_owned();
    survey
}

#[test]
fn documents_of_the_page_are_the_replays() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/gallery/documents");
    for replay in &REPLAYS {
        let document = serde_json::to_string(&replay.survey()).unwrap() + "\n";
        let path = folder.join(format!("{}.json", replay.name));
        assert_published(&path, &document, "SNAPSHOTS=overwrite cargo test");
    }
}
