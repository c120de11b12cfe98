use super::*;
use crate::device_node::tests::MadeMachine;

fn found(list: &str) -> Result<Vec<(String, String)>, String> {
    let machine = MadeMachine::new();
    let devices = NearDevice::find_all(list, &machine.source()).map_err(|why| why.to_string())?;
    let names = |device: &NearDevice| {
        let names: Vec<&str> = device.hardware.iter().map(|one| one.name.as_str()).collect();
        (names.join("+"), device.nodes().to_string())
    };
    Ok(devices.iter().map(names).collect())
}

fn one(word: &str) -> (String, String) {
    found(word).unwrap_or_else(|why| panic!("{word}: {why}")).remove(0)
}

fn pair(name: &str, node: &str) -> (String, String) {
    (name.to_owned(), node.to_owned())
}

#[test]
fn each_form_of_a_name_is_found() {
    for (word, name, node) in [
        ("eth0", "eth0", "4"),
        ("nic:eth0", "eth0", "4"),
        ("NIC0", "eth0", "4"),
        ("nic:0", "eth0", "4"),
        ("nic0", "eth0", "4"),
        ("3b:00.0", "0000:3b:00.0", "4"),
        ("netdev:eth0", "eth0", "4"),
        ("pci:3b:0", "0000:3b:00.0", "4"),
        ("bond0", "eth0", "4"),
        ("sda2", "sda", "8"),
        ("nvme0n1", "nvme0n1", "0"),
        ("/dev/nvme0n1", "nvme0n1", "0"),
        ("vg-pool", "sda", "8"),
        ("/etc/hosts", "sda", "8"),
        ("nvidia0", "nvidia0", "8"),
        ("gpu:nvidia0", "nvidia0", "8"),
        ("/dev/nvidia0", "nvidia0", "8"),
        ("/dev/vfio/7", "0000:3b:00.0", "4"),
        ("/home/eth0", "sda", "8"),
    ] {
        assert_eq!(one(word), pair(name, node), "{word}");
    }
    assert_eq!(found("eth0,sda").unwrap(), [pair("eth0", "4"), pair("sda", "8")]);
}

#[test]
fn file_systems_on_several_disks_name_them() {
    assert_eq!(one("/both/x"), pair("nvme0n1+sda", "0,8"));
    assert_eq!(one("md0"), pair("sda+nvme0n1", "0,8"));
    let pool = found("/tank/x").unwrap_err();
    assert!(pool.contains("ZFS pool tank") && pool.contains("zpool list -v tank"), "{pool}");
}

#[test]
fn hardware_without_a_node_is_found() {
    let machine = MadeMachine::new();
    let device = NearDevice::find_all("80:2", &machine.source()).unwrap().remove(0);
    assert!(device.nodes().is_empty() && device.hardware[0].node.is_none());
    let file = device.hardware[0].source.as_deref();
    assert_eq!(file, Some("/sys/devices/pci0000:80/0000:80:02.0/numa_node"));
}

#[test]
fn missing_devices_list_similar_names() {
    for (word, expected) in [
        ("eth1", "there is no device 'eth1': did you mean nic:eth0"),
        ("nic:9", "there is no device 'nic:9': did you mean nic:0"),
        ("gpu:0", "there is no device 'gpu:0': this machine has no device of the kind gpu"),
        ("3c:00.0", "there is no device '3c:00.0': did you mean 0000:3b:00.0"),
        ("disk:mlx5_0", "there is no device 'disk:mlx5_0': there are disk:"),
        ("lo", "device 'lo': it is a software device"),
        ("/tmp/x", "device '/tmp/x': it is in tmpfs, which has no device"),
    ] {
        let refusal = found(word).unwrap_err();
        assert!(refusal.starts_with(expected), "{word}: {refusal}");
        assert!(!refusal.contains('\n'), "{refusal}");
    }
}
