//! `nearfar devices` in a guest against the description of its devices.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::lab::{is_ready, lab};

const MACHINE: &str = "devices-2s";

#[test]
fn nearfar_reports_devices_as_described() {
    if !is_ready("x86_64") {
        return;
    }
    let truth: Value = serde_json::from_slice(&lab(&["show", MACHINE, "--json"]).stdout).unwrap();
    let command = ["nearfar", "devices", "--json"];
    let output = lab(&[&["run", MACHINE, "--no-plugin", "--no-wait", "--"][..], &command].concat());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();

    let described = truth["devices"].as_array().unwrap();
    for device in described {
        let reported = at(&document, &device["address"]);
        let name = &device["name"];
        assert_eq!(reported["node"]["node"], device["node"], "{name}: {reported:#}");
        let path = device["path"].as_str().unwrap().split('/').collect::<Vec<_>>();
        let mut own = strings(&reported["path"]);
        own.push(device["address"].as_str().unwrap().to_owned());
        assert_eq!(own, path, "{name}");
        assert_eq!(codes(&document, reported), expected(device), "{name}: {document:#}");
    }
    for pair in truth["pairs"].as_array().unwrap() {
        let [a, b] = ["a", "b"]
            .map(|end| described.iter().find(|device| device["name"] == pair[end]).unwrap());
        // Two devices with one root bus need no node; others with an unknown one have no level.
        let is_known = [a, b].iter().all(|device| !device["node"].is_null());
        let level = if is_known { pair["level"].as_str().unwrap() } else { "N/A" };
        let [a, b] = [a, b].map(|device| at(&document, &device["address"])["label"].clone());
        assert_eq!(in_matrix(&document, &a, &b), level, "{pair}");
    }
    let levels: BTreeSet<&str> = truth["pairs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|pair| pair["level"].as_str().unwrap())
        .collect();
    assert_eq!(levels, ["NODE", "PHB", "PIX", "PXB", "SYS"].into());
}

/// The reported device at an address.
fn at<'d>(document: &'d Value, address: &Value) -> &'d Value {
    let devices = document["devices"].as_array().unwrap();
    devices
        .iter()
        .find(|device| device["address"] == *address)
        .unwrap_or_else(|| panic!("{address} is not reported"))
}

/// The codes of the findings about a device.
fn codes(document: &Value, device: &Value) -> BTreeSet<String> {
    let label = &device["label"];
    let is_named = |finding: &&Value| {
        finding["device"] == *label
            || finding["devices"].as_array().is_some_and(|devices| devices.contains(label))
    };
    let findings = document["findings"].as_array().unwrap().iter().filter(is_named);
    findings.map(|finding| finding["code"].as_str().unwrap().to_owned()).collect()
}

/// The codes that the description expects.
fn expected(device: &Value) -> BTreeSet<String> {
    strings(&device["expects"]).into_iter().collect()
}

fn strings(list: &Value) -> Vec<String> {
    let list = list.as_array().into_iter().flatten();
    list.map(|list| list.as_str().unwrap().to_owned()).collect()
}

fn in_matrix<'d>(document: &'d Value, a: &Value, b: &Value) -> &'d str {
    let labels = document["matrix"]["labels"].as_array().unwrap();
    let place = |label: &Value| labels.iter().position(|one| one == label).unwrap();
    document["matrix"]["levels"][place(a)][place(b)].as_str().unwrap()
}
