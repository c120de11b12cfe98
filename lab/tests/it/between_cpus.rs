//! What needs two CPUs of the host at the same time, and so runs while no other guest does. Its
//! name sorts before those of other tests, which would otherwise keep it waiting.

use serde_json::Value;

use crate::instruments::core_to_core::{MACHINE, SLOWDOWN, number_in};
use crate::instruments::document::{cells, index};
use crate::lab::{Measurement, is_ready};

/// Of three CPUs two are of one package. On a host that other programs keep busy pairs may have no
/// figure (`time-shared`), which is right; then there is nothing to compare.
#[test]
fn cpus_of_a_package_hand_lines_over_sooner_than_those_of_two() {
    if !is_ready("x86_64") {
        return;
    }
    let document = Measurement {
        machine: MACHINE,
        slowdown: SLOWDOWN,
        command: "core-to-core --quick --cpus 0-1,4 --handoff-only --no-samples",
        settled: r#"! grep -q '"median": *null' $document"#,
    }
    .document_alone();
    let part = &document["core_to_core"];
    let cpu = |axis: &str, at: &Value| number_in(part[axis][index(at)]["label"].as_str().unwrap());
    let pairs = cells(part).map(|cell| {
        let (a, b) = (cpu("rows", &cell["row"]), cpu("columns", &cell["column"]));
        assert!(cell["median"].is_number() || cell["why"].is_string(), "{cell:#}");
        (a < 2 && b < 2, cell["median"].as_f64())
    });
    let (near, far): (Vec<_>, Vec<_>) = pairs.partition(|(is_near, _)| *is_near);
    assert!(!near.is_empty() && !far.is_empty(), "{part:#}");
    let figures =
        |pairs: Vec<(bool, Option<f64>)>| pairs.into_iter().filter_map(|(_, median)| median);
    // 159 and 295 ns of the machine.
    let slowest = figures(near).fold(0.0, f64::max);
    let soonest = figures(far).fold(f64::INFINITY, f64::min);
    assert!(slowest < soonest, "{slowest} {soonest}: {part:#}");
}
