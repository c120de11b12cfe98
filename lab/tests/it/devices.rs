//! Machines with devices: Linux finds each on the node that the description puts it on.

use crate::lab::{is_ready, lab, machine};

/// Each function below a root port: class and node, sorted.
const SCRIPT: &str = r#"cd /sys/bus/pci/devices
    for device in *; do
        [ "$(cat $device/numa_node)" = -1 ] || echo "$(cat $device/class) $(cat $device/numa_node)"
    done | grep -v '^0x0604' | sort"#;

#[test]
fn devices_are_on_their_nodes() {
    if !is_ready("x86_64") {
        return;
    }
    let machine = machine("devices");
    let output = lab(&["run", &machine, "--no-plugin", "--no-wait", "--", "sh", "-c", SCRIPT]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    // A network card, two disks, a USB controller.
    let found = String::from_utf8_lossy(&output.stdout);
    assert_eq!(found, "0x010802 0\n0x010802 1\n0x020000 1\n0x0c0330 0\n");
}
