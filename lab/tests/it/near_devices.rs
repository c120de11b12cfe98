//! `nearfar run --near` and `nearfar where` in a guest with disks on nodes 0, 1 and 2, and one
//! without a node.

use crate::lab::{is_ready, lab};

const MACHINE: &str = "devices-2s";

/// A part for each claim, after a line with its name.
const SCRIPT: &str = r#"
    show() { echo "== $1"; shift; "$@" 2>&1; }
    cd /tmp
    for disk in /sys/class/nvme/nvme*; do
        node=$(cat $disk/device/numa_node)
        name=$(basename $(ls -d $disk/nvme*n1))
        show "node $node" nearfar run --near /dev/$name -- nearfar run --show
        nearfar run --near $name -- sh -c "exec 3</dev/$name; exec sleep 60" &
        sleep 1
        show "where near $node" nearfar where $!
        other=$((node == 1 ? 0 : 1))
        nearfar run -N $other -- sh -c "exec 3</dev/$name; exec sleep 60" &
        sleep 1
        show "where far $node" nearfar where $!
        show "condition $node" sh -c "nearfar where $! --fail-if far-disk >/dev/null; echo status \$?"
    done
    show refused nearfar run --near vda -- true
    show anyway nearfar run --near vda --near-anyway 1 -- nearfar run --show
    show missing nearfar run --near nvem0 -- true
    show explained nearfar run --near 41:00.0 --explain
    true"#;

fn part<'t>(text: &'t str, name: &str) -> &'t str {
    let head = format!("== {name}\n");
    let start = text.find(&head).unwrap_or_else(|| panic!("{name} in\n{text}")) + head.len();
    text[start..].split("\n== ").next().unwrap()
}

#[test]
fn programs_run_near_their_disks() {
    if !is_ready("x86_64") {
        return;
    }
    let output = lab(&["run", MACHINE, "--no-plugin", "--no-wait", "--", "sh", "-c", SCRIPT]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{text}\n{}", String::from_utf8_lossy(&output.stderr));

    // Node 2 has no CPUs: node 0 is nearest.
    for (node, cpus, home) in [(0, "0 1", 0), (2, "0 1", 0)] {
        let shown = part(&text, &format!("node {node}"));
        assert!(shown.contains(&format!("physcpubind: {cpus} \n")), "{shown}");
        assert!(shown.contains(&format!("preferred node: {home}")), "{shown}");
        let near = part(&text, &format!("where near {node}"));
        assert!(near.contains("  near  ") && !near.contains("far  "), "{near}");
        let far = part(&text, &format!("where far {node}"));
        let condition = part(&text, &format!("condition {node}"));
        assert!(condition.contains("'far-disk' holds: process "), "{condition}");
        assert!(condition.contains("status 3"), "{condition}");
        assert!(far.contains("  far  ") && far.contains("nearfar run --near nvme"), "{far}");
    }
    let refused = part(&text, "refused");
    assert!(refused.contains("does not know the node of vda"), "{refused}");
    let anyway = part(&text, "anyway");
    assert!(
        anyway.contains("physcpubind: 2 3 \n") && anyway.contains("preferred node: 1"),
        "{anyway}"
    );
    assert!(part(&text, "missing").contains("did you mean disk:nvme0"), "{text}");
    let explained = part(&text, "explained");
    assert!(explained.contains("the nearest with CPUs is node 0"), "{explained}");
}
