//! `nearfar loaded` on the machine the tests run on.

mod running;

use std::io::{self, Write};

use running::{User, nearfar, refusal, stderr, stdout};
use serde_json::Value;

/// One CPU cannot disturb itself.
fn has_two_cpus() -> bool {
    let enough = std::thread::available_parallelism().is_ok_and(|cpus| cpus.get() > 1);
    if !enough {
        io::stderr().write_all(b"skipped: one CPU only\n").unwrap();
    }
    enough
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("a number: {value}"))
}

#[test]
fn more_traffic_comes_with_shorter_delays_and_memory_does_not_become_faster() {
    if !has_two_cpus() {
        return;
    }
    let user = User::new();
    let file = user.folder().join("loaded.json");
    let kept = file.to_str().unwrap();
    let output =
        user.measure(&["loaded", "--quick", "--seed", "3", "--size", "64M", "--points", "6", "-o", kept, "--json"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let survey: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let loaded = &survey["loaded"];
    assert_eq!(
        (&loaded["probe"], &loaded["unit"], &loaded["kernel"]),
        (&"loaded".into(), &"ns".into(), &"read".into())
    );
    assert!(survey["latency"]["cells"].as_array().unwrap().is_empty());
    let curves = loaded["curves"].as_array().unwrap();
    assert!(!curves.is_empty());
    for curve in curves {
        let (idle, saturated) = (number(&curve["idle_ns"]["value"]), number(&curve["saturated_ns"]["value"]));
        assert!((1.0..5_000.0).contains(&idle) && saturated > 0.9 * idle, "{curve}");
        assert!(number(&curve["saturated_bytes_per_s"]) > 1e7, "{curve}");
    }
    let traffic_at = |delay: Option<u64>| {
        let cells = loaded["cells"].as_array().unwrap();
        let cell = cells.iter().find(|cell| cell["delay"].as_u64() == delay && cell["aggressors_column"].is_null());
        number(&cell.unwrap()["traffic_bytes_per_s"])
    };
    assert!(traffic_at(None) == 0.0);
    assert!(traffic_at(Some(100_000)) < traffic_at(Some(1_000)) && traffic_at(Some(1_000)) < traffic_at(Some(0)));
    figures_follow_from_samples(&file);
    the_spreadsheet_has_cells_and_what_curves_say(&file);
    let shown = stdout(&user.run(&["show", kept]));
    assert!(shown.contains("latency while others stream (read"), "{shown}");
}

fn the_spreadsheet_has_cells_and_what_curves_say(file: &std::path::Path) {
    let kept = nearfar_survey::read(file).unwrap();
    let loaded = kept.loaded.as_ref().unwrap();
    let csv = nearfar_report::survey::loaded_csv(&kept);
    let lines: Vec<&str> = csv.lines().collect();
    let cells = loaded.part.matrix.cells.len();
    assert!(lines[0].starts_with("row,column,cpus,node,aggressors,aggressors_column,delay,traffic_bytes_per_s,q25_ns"));
    assert!(lines[cells + 1].starts_with("row,column,aggressors,idle_ns,idle_low_ns,idle_high_ns,knee_bytes_per_s"));
    let curve: Vec<&str> = lines[cells + 2].split(',').collect();
    let [idle, low, high] = [3, 4, 5].map(|field| curve[field].parse::<f64>().unwrap());
    assert!(idle == loaded.curves[0].idle_ns.value && low <= idle && idle <= high, "{curve:?}");
}

fn figures_follow_from_samples(file: &std::path::Path) {
    let kept = nearfar_survey::read(file).unwrap();
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
    let (status, said) = refusal(&User::new().run(&["loaded", "--quick", "--cpus", "0"]));
    assert_eq!(status, 2);
    assert_eq!(
        said,
        "nearfar: loaded latency needs two CPUs, one that waits and one that disturbs it: there is one only (CPU 0)"
    );
    if has_two_cpus() {
        let confined = User::new().through("taskset", &["-c", "1", nearfar(), "loaded", "--quick"]).output();
        let (status, said) = refusal(&confined.expect("taskset starts"));
        assert!(status == 2 && said.contains("needs two CPUs"), "{said}");
    }
}

#[test]
fn what_does_not_fit_is_refused_before_anything_is_touched() {
    if !has_two_cpus() {
        return;
    }
    let refused = |args: &[&str]| refusal(&User::new().run(&[&["loaded", "--quick"], args].concat()));
    let (status, said) = refused(&["--size", "900T"]);
    assert!(status == 2 && said.contains("--size 900 TiB is more than") && said.ends_with("ask for less"), "{said}");
    let (status, said) = refused(&["--size", "4K"]);
    assert!(status == 2 && said.contains("is too small"), "{said}");
    let (status, said) = refused(&["--cpus", "0,4000"]);
    assert!(status == 2 && said.starts_with("nearfar: CPU 4000 does not exist"), "{said}");
    let (status, said) = refused(&["--nodes", "77"]);
    assert!(status == 2 && said.starts_with("nearfar: node 77 does not exist"), "{said}");
    let (status, said) = refused(&["--isa", "mmx"]);
    assert!(status == 2 && said.starts_with("nearfar: --isa"), "{said}");
    for bad in [["--kernel", "sing"], ["--points", "5"], ["--quick", "--thorough"]] {
        assert_eq!(User::new().run(&[&["loaded"], &bad[..]].concat()).status.code(), Some(2), "{bad:?}");
    }
}
