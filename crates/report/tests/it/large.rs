//! Surveys of machines of many nodes and CPUs, with every part that grows.

use serde_json::{Value, json};

use nearfar_survey::Survey;

/// Packages, and groups of CPUs that share a cache, as a document has them.
pub(crate) fn parts(packages: &[&str], groups: &[&str]) -> Value {
    let package = |(id, cpus): (usize, &&str)| json!({"id": id, "cpus": cpus});
    let group =
        |cpus: &&str| json!({"cpus": cpus, "level": 3, "kind": "unified", "bytes": 32 << 20});
    json!({
        "packages": packages.iter().enumerate().map(package).collect::<Vec<_>>(),
        "dies": [],
        "cache_groups": groups.iter().map(group).collect::<Vec<_>>(),
        "cores": [],
    })
}

/// Nodes with equal numbers of CPUs: latency, bandwidth of two kernels, and core to core of
/// some pairs of all.
pub(crate) fn survey(nodes: usize, cpus: usize) -> Survey {
    let mut document: Value = serde_json::from_str(include_str!("../golden/several.json")).unwrap();
    let each = cpus / nodes;
    let lists: Vec<String> =
        (0..nodes).map(|node| format!("{}-{}", node * each, (node + 1) * each - 1)).collect();
    let names: Vec<&str> = lists.iter().map(String::as_str).collect();
    document["machine"]["nodes"] = json!(nodes);
    document["machine"]["cpus"] = json!(cpus);
    document["claims"]["nodes"] = (0..nodes)
        .map(|node| json!({"id": node, "cpus": lists[node], "memory_bytes": 64u64 << 30}))
        .collect();
    document["claims"]["distances"] = Value::Null;
    document["claims"]["parts"] = parts(&names, &names);
    let rows: Vec<Value> = (0..nodes)
        .map(|node| {
            json!({
                "label": format!("node {node}"), "cpus": lists[node], "node": node, "ghz": 3.0,
                "wander": 0.001
            })
        })
        .collect();
    let columns: Vec<Value> = (0..nodes)
        .map(|node| {
            json!({
                "label": format!("node {node}"), "node": node, "pages": 32, "backing": "thp"
            })
        })
        .collect();
    let figure = |row: usize, column: usize| 90.0 + 13.0 * ((row ^ column) as f64).sqrt();
    let cell = |row: usize, column: usize, treatment: Option<Value>, value: f64| {
        let mut cell = json!({
            "row": row, "column": column, "cpus": lists[row], "node": column,
            "q25": 0.99 * value, "median": value, "se": 0.004,
            "ci95": [0.99 * value, 1.01 * value], "samples": 35, "dropped": {}, "why": null
        });
        for (name, value) in treatment.iter().flat_map(|treatment| treatment.as_object().unwrap()) {
            cell[name] = value.clone();
        }
        cell
    };
    let places = || (0..nodes).flat_map(|row| (0..nodes).map(move |column| (row, column)));
    document["latency"]["rows"] = json!(rows);
    document["latency"]["columns"] = json!(columns);
    document["latency"]["cells"] =
        places().map(|(row, column)| cell(row, column, None, figure(row, column))).collect();
    let treatments: Vec<Value> =
        ["read", "copy"].iter().map(|kernel| json!({"kernel": kernel, "threads": each})).collect();
    let matrix = &mut document["bandwidth"];
    matrix["treatments"] = json!(treatments);
    matrix["rows"] = json!(rows);
    matrix["columns"] = json!(columns);
    let streams =
        treatments.iter().flat_map(|treatment| places().map(move |place| (place, treatment)));
    matrix["cells"] = streams
        .map(|((row, column), treatment)| {
            cell(row, column, Some(treatment.clone()), 1e13 / figure(row, column))
        })
        .collect();
    document["bandwidth"]["knees"] = json!([]);
    core_to_core(&mut document, cpus, each);
    serde_json::from_value(document).unwrap()
}

/// A pair of 33, near within a node and far beyond it.
fn core_to_core(document: &mut Value, cpus: usize, each: usize) {
    let part = &mut document["core_to_core"];
    let exchange = json!({"state": "handoff", "home": "any"});
    let name = |cpu: usize| format!("CPU {cpu}");
    part["treatments"] = json!([exchange]);
    part["rows"] = (0..cpus)
        .map(|cpu| {
            json!({
                "label": name(cpu), "cpus": cpu.to_string(), "node": null, "ghz": null,
                "wander": null
            })
        })
        .collect();
    part["columns"] = (0..cpus)
        .map(|cpu| json!({"label": name(cpu), "node": null, "pages": 0, "backing": null}))
        .collect();
    let pairs = (0..cpus)
        .flat_map(|a| (a + 1..cpus).map(move |b| (a, b)))
        .filter(|(a, b)| (a * 31 + b * 17) % 33 == 0);
    let cells: Vec<Value> = pairs
        .map(|(a, b)| {
            let value = if a / each == b / each { 45.0 } else { 110.0 + (a / each) as f64 };
            json!({
                "row": a, "column": b, "cpus": format!("{a},{b}"), "node": null, "state": "handoff",
                "home": "any", "q25": null, "median": value, "se": null,
                "ci95": null, "samples": 3, "dropped": {}, "why": null
            })
        })
        .collect();
    part["cells"] = json!(cells);
}
