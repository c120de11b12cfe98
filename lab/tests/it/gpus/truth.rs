//! What the description of gpus-2s makes of each copy.

use serde_json::Value;

const DESCRIPTION: &str = include_str!("../../../gpu/machines/gpus-2s.toml");

/// All figures within these.
const TOLERANCE: f64 = 0.03;

/// The described GPUs and pairs.
pub(super) struct Truth(toml::Table);

impl Truth {
    pub(super) fn read() -> Self {
        Self(DESCRIPTION.parse().unwrap())
    }

    /// The description of the GPU at an address.
    fn gpu(&self, document: &Value, label: &Value) -> &toml::Value {
        let gpus = document["gpus"].as_array().unwrap();
        let address = &gpus.iter().find(|gpu| gpu["label"] == *label).unwrap()["address"];
        let described = self.0["gpu"].as_array().unwrap();
        described.iter().find(|gpu| gpu["address"].as_str() == address.as_str()).unwrap()
    }

    /// Rates are bytes by time; each copy takes its latency and its bytes' time.
    #[track_caller]
    pub(super) fn assert_rates(&self, document: &Value) {
        for cell in cells(&document["bandwidth"]) {
            let [label] = &cell["gpus"].as_array().unwrap()[..] else { continue };
            let gpu = self.gpu(document, label);
            let bytes = cell["size_bytes"].as_f64().unwrap();
            let lane = |rates: &str| bytes / self.copy_s(gpu, rates, cell, bytes);
            let [to, from] = ["to_device_gb_s", "from_device_gb_s"].map(lane);
            let expected = match (cell["direction"].as_str(), cell["memory"].as_str()) {
                (_, Some("pageable")) => lane("pageable_gb_s"),
                (Some("to-device"), _) => to,
                (Some("from-device"), _) => from,
                // Both begin together, and end with the slower.
                _ => 2.0 * to.min(from),
            };
            assert_near(cell, expected);
        }
    }

    /// What nodes add is found within 3 %; the emulator's own time is the same for all.
    pub(super) fn latencies_are_found(&self, document: &Value) -> Result<(), String> {
        let ns = |cell: &Value| cell["median"].as_f64().unwrap_or(f64::NAN);
        let expected_ns = |cell: &Value| {
            let gpu = self.gpu(document, &cell["gpus"][0]);
            1e9 * self.copy_s(gpu, "to_device_gb_s", cell, 0.0)
        };
        let first = |cell: &Value| cell["row"] == 0 && cell["column"] == 0;
        let is_alike = |a: &Value, b: &Value| {
            ["direction", "size_bytes"].iter().all(|name| a[*name] == b[*name])
        };
        let all = cells(&document["latency"]);
        for cell in &all {
            let base = all.iter().find(|base| first(base) && is_alike(base, cell)).unwrap();
            let added = ns(cell) - ns(base);
            let expected = expected_ns(cell) - expected_ns(base);
            // 64 KiB take up to 0.1 ms more or less than 4 bytes.
            let is_near = (added - expected).abs() <= TOLERANCE * expected_ns(cell);
            if !is_near {
                return Err(format!("{added} instead of {expected}: {cell:#} {base:#}"));
            }
        }
        Ok(())
    }

    /// Described pairs have their rate.
    #[track_caller]
    pub(super) fn assert_peers(&self, document: &Value) {
        let described = self.0["peer"].as_array().unwrap();
        let mut found = 0;
        for cell in cells(&document["peer_bandwidth"]) {
            let pair: [i64; 2] = [&cell["gpus"][0], &cell["peer"]].map(number);
            let own = described.iter().find(|peer| {
                [&peer["from"], &peer["to"]].map(|one| one.as_integer().unwrap()) == pair
            });
            let Some(own) = own else { continue };
            let bytes = cell["size_bytes"].as_f64().unwrap();
            let s = 1e-6 * float(&own["latency_us"]) + 1e-9 * bytes / float(&own["gb_s"]);
            assert_near(cell, bytes / s);
            found += 1;
        }
        assert_eq!(found, described.len());
    }

    fn copy_s(&self, gpu: &toml::Value, rates: &str, cell: &Value, bytes: f64) -> f64 {
        let (row, column) = (index(&cell["row"]), index(&cell["column"]));
        let figure = |key: &str, node: usize| float(&gpu[key].as_array().unwrap()[node]);
        // The third node, without CPUs, has no row: rows are nodes 0 and 1.
        let start_us = figure("latency_us", column) + figure("cpu_us", row);
        1e-6 * start_us + 1e-9 * bytes / figure(rates, column)
    }
}

/// Cells that are no controls.
fn cells(table: &Value) -> Vec<&Value> {
    let all = table["cells"].as_array().unwrap();
    all.iter().filter(|cell| cell["control"].is_null()).collect()
}

fn index(number: &Value) -> usize {
    number.as_u64().unwrap() as usize
}

fn float(number: &toml::Value) -> f64 {
    number.as_float().unwrap_or_else(|| number.as_integer().unwrap() as f64)
}

#[track_caller]
fn assert_near(cell: &Value, expected: f64) {
    // A busy host may leave a cell without a figure, and never with a wrong one.
    let Some(found) = cell["median"].as_f64() else { return };
    assert!((found / expected - 1.0).abs() < TOLERANCE, "{expected} expected: {cell:#}");
}

/// The number of a label.
fn number(label: &Value) -> i64 {
    label.as_str().unwrap().trim_start_matches("GPU").parse().unwrap()
}
