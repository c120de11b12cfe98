//! What a file that is cached on the wrong node costs a program that maps it, and gains by a move:
//! on `xeon-2s`, 78.6 ns near and 144.1 ns far.

use crate::lab::{is_ready_with, lab};

const SCRIPT: &str = "
    steps() { nearfar run -N 0 chase map /tmp/model.gguf 60000; }
    nearfar run -N 1 -m 1 dd if=/dev/zero of=/tmp/model.gguf bs=1M count=16 2>/dev/null
    nearfar where /tmp/model.gguf
    steps; steps; steps
    nearfar move /tmp/model.gguf --nodes 0
    steps; steps; steps
    nearfar run -N 1 --warm /tmp/model.gguf true
    steps; steps; steps";

#[test]
#[ignore = "a long test: times of programs in a guest"]
fn a_models_second_run_is_as_much_faster_as_its_memory_is_nearer() {
    if !is_ready_with("x86_64", &["chase"]) {
        return;
    }
    let kit = std::path::PathBuf::from(std::env::var_os("NEARFAR_LAB_KIT").unwrap());
    let chase = kit.join("x86_64/chase").display().to_string();
    let words = ["run", "xeon-2s", "--no-wait", "--timeout", "600", "--with", &chase];
    let output = lab(&[&words[..], &["--", "sh", "-c", SCRIPT]].concat());
    let shown = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{shown}{}", String::from_utf8_lossy(&output.stderr));
    assert!(shown.contains("16 MiB on node 1"), "{shown}");
    let steps: Vec<f64> = shown
        .lines()
        .filter_map(|line| line.strip_prefix("chase: ")?.strip_suffix(" ns")?.parse().ok())
        .collect();
    let [far, near, far_again] = [0, 3, 6].map(|from| {
        let mut three = steps[from..from + 3].to_vec();
        three.sort_by(f64::total_cmp);
        three[1]
    });
    for gain in [far / near, far_again / near] {
        assert!((gain / (144.1 / 78.6) - 1.0).abs() < 0.05, "{gain}: {shown}");
    }
}
