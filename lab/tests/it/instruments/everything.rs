//! Every instrument on another architecture.

use std::fs;

use serde_json::Value;

use super::document::cells;
use crate::lab::{is_ready, lab};

/// Instruments with their parts of the document. Two CPUs and small memories: what counts is that
/// all of it works.
const INSTRUMENTS: [(&str, &str); 5] = [
    ("bandwidth", "bandwidth --quick --cpus 0-1 --kernels read,copy --size 1M --window 100"),
    ("loaded", "loaded --quick --cpus 0-1 --points 6 --size 1M"),
    ("core_to_core", "core-to-core --quick --cpus 0-1 --handoff-only"),
    ("caches", "caches --quick --cpus 0 --largest 1M"),
    (
        "interleave",
        "interleave --quick --cpus 0-1 --kernels read --size 1M --window 100 --accesses 4096",
    ),
];

#[test]
#[ignore = "long: aarch64"]
fn every_instrument_runs_on_aarch64() {
    if !is_ready("aarch64") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let one = |(part, command): &(&str, &str)| {
        format!("nearfar {command} --no-samples -o /out/{part}.json >/dev/null || exit 1")
    };
    let script = INSTRUMENTS.iter().map(one).collect::<Vec<_>>().join("; ");
    let out = folder.path().to_str().unwrap();
    let output =
        lab(&["run", "sc2a11-24c", "--out", out, "--timeout", "600", "--", "sh", "-c", &script]);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{stderr}");
    for (part, _) in INSTRUMENTS {
        let document: Value =
            serde_json::from_slice(&fs::read(folder.path().join(format!("{part}.json"))).unwrap())
                .unwrap();
        assert_eq!(document["schema"], "nearfar.survey/2");
        assert_eq!(document["machine"]["arch"], "aarch64");
        assert!(!document[part].is_null(), "{part}: {document:#}");
        assert_figures_or_reason(part, &document[part]);
    }
}

/// A part has plausible figures or a reason.
fn assert_figures_or_reason(part: &str, document: &Value) {
    let spread = [&document["bandwidth"], &document["latency"]];
    let parts = if part == "interleave" {
        spread.into_iter().filter(|part| !part.is_null()).collect()
    } else {
        vec![document]
    };
    for part_document in &parts {
        assert!(cells(part_document).next().is_some(), "{part}: {part_document:#}");
        let is_figure = |cell: &Value| cell["median"].as_f64().is_some_and(|figure| figure > 0.0);
        for cell in cells(part_document) {
            assert!(is_figure(cell) || cell["why"].is_string(), "{part}: {cell:#}");
        }
        // Two CPUs of the guest may be run in turns by two busy ones of the host, and then exchange
        // nothing.
        assert!(
            part == "core_to_core" || cells(part_document).any(is_figure),
            "{part}: {part_document:#}"
        );
    }
    // One memory is spread over nothing.
    assert!(!parts.is_empty() || document["why"].is_string(), "{part}: {document:#}");
}
