//! Boots a machine, and brings back its kernel's log and nearfar's diagnosis.

use std::fs;

use serde_json::Value;

use crate::lab::lab;

/// The kernel's own words and nodes, then nearfar's.
const SCRIPT: &str = r#"dmesg > /out/log; uname -r > /out/release; touch /out/nodes; cd /sys/devices/system/node
    for node in node*; do
        memory=$(grep -q 'MemTotal: *0 kB' $node/meminfo && echo ", no memory")
        echo "node ${node#node}: CPUs $(cat $node/cpulist), distances $(cat $node/distance)$memory" >> /out/nodes
    done
    nearfar diagnose --json"#;

/// What came of a boot.
pub(crate) struct Boot {
    /// `dmesg`.
    pub(crate) log: String,
    pub(crate) release: String,
    /// A line for each node in sysfs.
    pub(crate) nodes: String,
    /// `nearfar diagnose`, as a user would run it there.
    pub(crate) diagnosis: Value,
}

/// Boots a machine beside others: nothing is timed here.
pub(crate) fn boot(machine: &str) -> Boot {
    let out = tempfile::tempdir().unwrap();
    let kept = out.path().to_str().unwrap();
    let output =
        lab(&["run", machine, "--no-plugin", "--no-wait", "--out", kept, "--", "sh", "-c", SCRIPT]);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{machine}: {stderr}");
    let file = |name: &str| fs::read_to_string(out.path().join(name)).unwrap();
    Boot {
        log: file("log"),
        release: file("release").trim().to_owned(),
        nodes: file("nodes"),
        diagnosis: serde_json::from_slice(&output.stdout)
            .unwrap_or_else(|_| panic!("{machine}: {stderr}")),
    }
}
