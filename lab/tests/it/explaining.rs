//! `nearfar explain` beside programs whose memory costs what the machine's description has:
//! `xeon-2s`, 78.6 ns near and 144.1 ns far.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::sync::OnceLock;

use serde_json::Value;

use crate::lab::{is_ready_with, lab};

const SCRIPT: &str = include_str!("explaining/explain.sh");
/// Far over near latency, minus 1: what the program gains if its memory comes near.
const GAIN: f64 = 144.1 / 78.6 - 1.0;

/// Files that the script left.
struct Left(BTreeMap<String, String>);

impl Left {
    fn text(&self, name: &str) -> &str {
        self.0.get(name).unwrap_or_else(|| panic!("no {name}: {:#?}", self.0))
    }

    fn json(&self, name: &str) -> Value {
        let text = self.text(&format!("{name}.json"));
        serde_json::from_str(text)
            .unwrap_or_else(|error| panic!("{error}: {}", self.text(&format!("{name}.err"))))
    }

    /// Pages on nodes 0 and 1.
    fn pages(&self, name: &str) -> [u64; 2] {
        let lines = self.text(&format!("{name}.pages")).lines();
        let mut counts = lines.map(|line| line.split_once(' ').unwrap().1.parse().unwrap());
        [counts.next().unwrap(), counts.next().unwrap()]
    }
}

/// One boot for all tests of this file.
fn left() -> Option<&'static Left> {
    static LEFT: OnceLock<Left> = OnceLock::new();
    if !is_ready_with("x86_64", &["chase"]) {
        return None;
    }
    Some(LEFT.get_or_init(|| {
        let kit = PathBuf::from(std::env::var_os("NEARFAR_LAB_KIT").unwrap());
        let chase = kit.join("x86_64/chase").display().to_string();
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().to_str().unwrap();
        let words = ["run", "xeon-2s", "--no-wait", "--timeout", "900", "--with", &chase];
        let words = [&words[..], &["--out", out, "--", "sh", "-c", SCRIPT]].concat();
        let output = lab(&words);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let files = fs::read_dir(folder.path()).unwrap().map(|file| {
            let file = file.unwrap();
            let text = String::from_utf8_lossy(&fs::read(file.path()).unwrap()).into_owned();
            (file.file_name().into_string().unwrap(), text)
        });
        Left(files.collect())
    }))
}

/// The value and the ends of an interval.
fn interval(value: &Value) -> (f64, [f64; 2]) {
    let number = |value: &Value| value.as_f64().unwrap_or_else(|| panic!("{value}"));
    (number(&value["value"]), [number(&value["ci95"][0]), number(&value["ci95"][1])])
}

/// The least and the most change of an access's time.
fn bounds(value: &Value) -> [f64; 2] {
    ["least", "most"]
        .map(|end| value[end]["change"].as_f64().unwrap_or_else(|| panic!("{end} of {value:#}")))
}

#[test]
#[ignore = "a long test: a guest in which several trials run"]
fn misplaced_memory_is_explained() {
    let Some(left) = left() else { return };
    let process = &left.json("far")["processes"][0];
    // Some of its code is on node 0: what a move gains depends on which pages it uses.
    assert!(["misplaced", "depends-on-use"].contains(&process["verdict"].as_str().unwrap()));
    let cost = bounds(&process["remote_cost"]);
    assert!(cost[0] < GAIN + 0.02 && (cost[1] - GAIN).abs() < 0.06, "{cost:?}: {process:#}");
    let cures = process["cures"].as_array().unwrap();
    let change = |kind: &str| {
        let cure = cures.iter().find(|cure| cure["kind"] == kind);
        bounds(&cure.unwrap_or_else(|| panic!("no {kind}: {process:#}"))["change"])
    };
    // All its accesses are to the ring, which is on node 1.
    let truth = 1.0 / (1.0 + GAIN) - 1.0;
    let [least, most] = change("move-pages");
    assert!(least < truth + 0.01 && truth < most + 0.01 && most < 0.02, "{process:#}");
    let [least, most] = change("move-threads");
    assert!(least < truth + 0.01 && truth < most, "{process:#}");
}

#[test]
#[ignore = "a long test: see above"]
fn a_trial_finds_the_gain_and_puts_pages_back() {
    let Some(left) = left() else { return };
    let trial = &left.json("tried")["trial"];
    assert_eq!(trial["verdict"], "pays", "{trial:#}");
    let (gain, _) = interval(&trial["change"]);
    // The program also counts, and writes the count.
    assert!((gain - GAIN).abs() < 0.1 * (1.0 + GAIN), "{gain}, {GAIN}: {trial:#}");
    assert!(left.text("tried.txt").contains("It pays: 'cat /tmp/steps' per second +"));
    let (before, after) = (left.pages("before"), left.pages("after"));
    assert!(before[1] > 1000 && after[0].abs_diff(before[0]) < 20, "{before:?} {after:?}");
    assert!(after[1].abs_diff(before[1]) < 20, "{before:?} {after:?}");
}

#[test]
#[ignore = "a long test: see above"]
fn a_killed_trial_is_undone() {
    let Some(left) = left() else { return };
    let (before, killed, undone) =
        (left.pages("before"), left.pages("killed"), left.pages("undone"));
    assert!(killed[0] > 900, "{killed:?}");
    assert!(undone[0].abs_diff(before[0]) < 20 && undone[1].abs_diff(before[1]) < 20, "{undone:?}");
    assert_eq!(left.text("again.code").trim(), "1");
    assert!(
        left.text("again.err").contains("nearfar explain --undo"),
        "{}",
        left.text("again.err")
    );
    assert!(left.text("undo.out").contains("are where they were"), "{}", left.text("undo.err"));
    assert!(left.text("nothing.out").contains("nothing to put back"));
}

#[test]
#[ignore = "a long test: see above"]
fn where_nothing_is_to_be_gained_nothing_is_claimed() {
    let Some(left) = left() else { return };
    let near = &left.json("near")["processes"][0];
    assert_eq!(near["verdict"], "nothing-to-gain", "{near:#}");
    assert_eq!(near["cures"], serde_json::json!([]));
    assert_eq!(left.text("refused.code").trim(), "1");
    assert!(left.text("refused.err").contains("no cure moves pages"));
    let busy = &left.json("busy")["trial"];
    let wrong = ["pays", "costs"].contains(&busy["verdict"].as_str().unwrap());
    assert!(!wrong, "{busy:#}");
}
