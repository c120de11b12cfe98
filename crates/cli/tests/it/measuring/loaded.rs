//! `nearfar loaded` on the machine the tests run on.

use serde_json::Value;

use crate::measured::{
    LOADED, assert_cells_are_consistent, assert_drops_are_warned_of, shown_of_recorded,
};
use crate::user::{User, document, has_two_cpus, nearfar, refusal};

#[test]
fn a_curve_has_a_cell_for_each_delay() {
    if !has_two_cpus() {
        return;
    }
    let survey = LOADED.document();
    let loaded = &survey["loaded"];
    assert_eq!(
        (&loaded["probe"], &loaded["unit"], &loaded["kernel"]),
        (&"loaded".into(), &"ns".into(), &"read".into())
    );
    assert!(survey["latency"]["cells"].as_array().unwrap().is_empty());
    let cells = loaded["cells"].as_array().unwrap();
    for delay in [None, Some(0), Some(100_000)] {
        assert!(cells.iter().any(|cell| cell["delay"].as_u64() == delay), "{delay:?}: {loaded}");
    }
    assert_cells_are_consistent(loaded);
    assert_drops_are_warned_of(&survey, "loaded");
    for curve in loaded["curves"].as_array().unwrap() {
        let idle = &curve["idle_ns"];
        let [low, value, high] =
            [&idle["ci95"][0], &idle["value"], &idle["ci95"][1]].map(|ns| ns.as_f64().unwrap());
        assert!(0.0 < low && low <= value && value <= high && high.is_finite(), "{curve}");
    }
    assert_eq!(LOADED.shown(&[]), LOADED.screen);
    let screen = shown_of_recorded(&["--part", "loaded"]);
    assert!(screen.contains("latency under load (read"), "{screen}");
}

#[test]
#[ignore = "long: compares what memory measured, on a quiet machine"]
fn shorter_delays_give_more_traffic() {
    if !has_two_cpus() {
        return;
    }
    let args = ["loaded", "--quick", "--seed", "3", "--size", "64M", "--points", "6", "--json"];
    let survey = document(&User::new().measure(&args));
    let loaded = &survey["loaded"];
    let number = |value: &Value| value.as_f64().unwrap_or_else(|| panic!("a number: {value}"));
    let curves = loaded["curves"].as_array().unwrap();
    assert!(!curves.is_empty());
    for curve in curves {
        let [idle, saturated] =
            ["idle_ns", "saturated_ns"].map(|name| number(&curve[name]["value"]));
        assert!((1.0..5_000.0).contains(&idle) && saturated > 0.9 * idle, "{curve}");
        assert!(number(&curve["saturated_bytes_per_s"]) > 1e7, "{curve}");
    }
    let traffic_at = |delay: Option<u64>| {
        let mut cells = loaded["cells"].as_array().unwrap().iter();
        let own = |cell: &&Value| cell["aggressors_column"].is_null();
        let cell = cells.find(|cell| cell["delay"].as_u64() == delay && own(cell));
        number(&cell.unwrap()["traffic_bytes_per_s"])
    };
    assert!(traffic_at(None) == 0.0 && traffic_at(Some(100_000)) < traffic_at(Some(1_000)));
    assert!(traffic_at(Some(1_000)) < traffic_at(Some(0)));
}

#[test]
fn csv_has_cells_and_curves() {
    if !has_two_cpus() {
        return;
    }
    let kept = LOADED.survey();
    let loaded = kept.loaded.as_ref().unwrap();
    let csv = LOADED.shown(&["--part", "loaded", "--csv"]);
    let lines: Vec<&str> = csv.lines().collect();
    let cells = loaded.part.matrix.cells.len();
    let head = "row,column,cpus,node,aggressors,aggressors_column,delay,traffic_bytes_per_s,q25_ns";
    assert!(lines[0].starts_with(head), "{csv}");
    let Some(first) = loaded.curves.first() else { return };
    let head = "row,column,aggressors,idle_ns,idle_low_ns,idle_high_ns,knee_bytes_per_s";
    assert!(lines[cells + 1].starts_with(head), "{csv}");
    let curve: Vec<&str> = lines[cells + 2].split(',').collect();
    let [idle, low, high] = [3, 4, 5].map(|field| curve[field].parse::<f64>().unwrap());
    assert!(idle == first.curve.idle_ns.value && low <= idle && idle <= high, "{curve:?}");
}

#[test]
fn figures_follow_from_samples_and_seed() {
    if !has_two_cpus() {
        return;
    }
    let kept = LOADED.survey();
    let mut again = kept.clone();
    let loaded = again.loaded.as_mut().unwrap();
    loaded.curves.clear();
    for cell in &mut loaded.part.matrix.cells {
        (cell.q25, cell.median, cell.ci95, cell.traffic_bytes_per_s) = (None, None, None, None);
    }
    again.judge().unwrap();
    assert_eq!(again, kept);
}

#[test]
fn one_cpu_is_not_enough() {
    let (status, message) = refusal(&User::new().run(&["loaded", "--quick", "--cpus", "0"]));
    assert_eq!(status, 2);
    assert_eq!(
        message,
        "nearfar: loaded latency needs two CPUs, one to measure and one to load memory: only \
         one is available (CPU 0)"
    );
    if has_two_cpus() {
        let confined =
            User::new().through("taskset", &["-c", "1", nearfar(), "loaded", "--quick"]).output();
        let (status, message) = refusal(&confined.expect("taskset starts"));
        assert!(status == 2 && message.contains("needs two CPUs"), "{message}");
    }
}

#[test]
fn too_large_buffers_are_refused_untouched() {
    if !has_two_cpus() {
        return;
    }
    let refused =
        |args: &[&str]| refusal(&User::new().run(&[&["loaded", "--quick"], args].concat()));
    let (status, message) = refused(&["--size", "900T"]);
    assert!(
        status == 2 && message.contains("--size 900 TiB exceeds") && message.ends_with("use less"),
        "{message}"
    );
    let (status, message) = refused(&["--size", "4K"]);
    assert!(status == 2 && message.contains("is too small"), "{message}");
    let (status, message) = refused(&["--cpus", "0,4000"]);
    assert!(status == 2 && message.starts_with("nearfar: CPU 4000 does not exist"), "{message}");
    let (status, message) = refused(&["--nodes", "77"]);
    assert!(status == 2 && message.starts_with("nearfar: node 77 does not exist"), "{message}");
    let (status, message) = refused(&["--isa", "mmx"]);
    assert!(status == 2 && message.starts_with("nearfar: --isa"), "{message}");
    for bad in [["--kernel", "sing"], ["--points", "5"], ["--quick", "--thorough"]] {
        assert_eq!(
            User::new().run(&[&["loaded"], &bad[..]].concat()).status.code(),
            Some(2),
            "{bad:?}"
        );
    }
}
