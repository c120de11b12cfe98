//! Documents of nearfar itself: the machine of `nearfar topology --json`, and what a survey keeps
//! of its machine.

use nearfar_model::{Bytes, CpuSet, NodeId};
use serde_json::Value;

use super::cpu_table::{shared_cache, topology};
use super::guessed_cpus::{Counts, guess};
use super::json_value;
use crate::source::{MachineFiles, RefusedText, SYSTEM};

/// Where a document has its schema, in bytes from its beginning.
const HEAD: usize = 256;
const PREFIX: &str = "nearfar.";

/// "nearfar.topology/1"
pub(super) fn schema(text: &str) -> Option<&str> {
    let end = (0..=HEAD.min(text.len())).rev().find(|&end| text.is_char_boundary(end))?;
    let rest = text[..end].split_once("\"schema\"")?.1;
    let value = rest.trim_start().strip_prefix(':')?.trim_start().strip_prefix('"')?;
    value.split('"').next().filter(|value| value.starts_with(PREFIX))
}

/// Reads the document; others than these two have no machine.
pub(super) fn read(text: &str, files: &mut MachineFiles) -> bool {
    let document = match json_value::first(text) {
        Some(Ok(document)) => document,
        Some(Err(refused)) => {
            files.refused = Some(refused);
            return false;
        }
        None => return false,
    };
    let schema = document["schema"].as_str().unwrap_or_default();
    if schema.starts_with("nearfar.topology/") {
        names(&document["topology"], files);
        return machine(&document["topology"], files);
    }
    if schema.starts_with("nearfar.survey/") {
        names(&document["machine"], files);
        claims(&document, files);
        return true;
    }
    files.refused = Some(RefusedText::NoMachine(schema.to_owned()));
    false
}

fn names(machine: &Value, files: &mut MachineFiles) {
    let named = [
        ("arch", "/proc/sys/kernel/arch"),
        ("kernel", "/proc/sys/kernel/osrelease"),
        ("hypervisor", "/nearfar/hypervisor"),
        ("product", "/sys/class/dmi/id/product_name"),
    ];
    for (name, path) in named {
        if let Some(value) = machine[name].as_str() {
            files.put(path, value);
        }
    }
    if let Some(model) = machine["model"].as_str().filter(|model| *model != "unknown") {
        files.put("/proc/cpuinfo", format!("model name\t: {model}"));
    }
    let memory = ["memory_total_bytes", "memory_bytes"].map(|name| machine[name].as_u64());
    if let Some(bytes) = memory.into_iter().flatten().next() {
        files.put("/proc/meminfo", format!("MemTotal: {} kB", bytes >> 10));
    }
}

fn machine(machine: &Value, files: &mut MachineFiles) -> bool {
    let list = |name: &str| items(&machine[name]);
    let online = list("cpus").iter().filter(|cpu| cpu["online"] == true);
    files.cpus = online.filter_map(|cpu| number(&cpu["id"])).map(nearfar_model::CpuId).collect();
    let groups = [
        ("cores", "core_id", "core_cpus_list"),
        ("packages", "physical_package_id", "package_cpus_list"),
        ("dies", "die_id", "die_cpus_list"),
    ];
    for (name, id, of) in groups {
        for group in list(name) {
            let (Some(number), Some(cpus)) = (number(&group["id"]), cpus(group)) else { continue };
            topology(files, &cpus, &[(id, number.to_string())], of);
        }
    }
    for cache in list("caches") {
        put_cache(files, cache, "size_bytes");
    }
    for node in list("nodes").iter().filter(|node| node["online"] == true) {
        let (Some(id), Some(cpus)) = (number(&node["id"]), cpus(node)) else { continue };
        let memory = node["memory"]["total_bytes"].as_u64().map(Bytes);
        files.node(NodeId(id), &cpus, memory);
    }
    distances(&machine["distances"], files);
    !files.cpus.is_empty()
}

/// What a survey keeps of nodes and parts. Those without parts have counts.
fn claims(document: &Value, files: &mut MachineFiles) {
    let (machine, claims) = (&document["machine"], &document["claims"]);
    let nodes = items(&claims["nodes"]).iter();
    let nodes = nodes.filter_map(|node| Some((node, NodeId(number(&node["id"])?), cpus(node)?)));
    let mut known = Vec::new();
    for (node, id, cpus) in nodes {
        files.node(id, &cpus, node["memory_bytes"].as_u64().map(Bytes));
        files.cpus = files.cpus.union(&cpus);
        known.push((id, cpus));
    }
    distances(&claims["distances"], files);
    let parts = &claims["parts"];
    for (id, cpus) in items(&parts["cores"]).iter().filter_map(cpus).enumerate() {
        topology(files, &cpus, &[("core_id", id.to_string())], "core_cpus_list");
    }
    for package in items(&parts["packages"]) {
        let (Some(id), Some(cpus)) = (number(&package["id"]), cpus(package)) else { continue };
        topology(files, &cpus, &[("physical_package_id", id.to_string())], "package_cpus_list");
    }
    for cache in items(&parts["cache_groups"]) {
        put_cache(files, cache, "bytes");
    }
    let count = |name: &str| usize::try_from(machine[name].as_u64()?).ok().filter(|&n| n > 0);
    let (Some(cores), true) = (count("cores"), parts.is_null()) else { return };
    let packages = count("packages");
    let counts = Counts {
        threads: files.cpus.len() / cores,
        packages,
        cores_of_package: packages.map(|packages| cores / packages),
        caches: Vec::new(),
    };
    guess(files, &files.cpus.clone(), &known, &counts);
}

fn items(value: &Value) -> &[Value] {
    value.as_array().map(Vec::as_slice).unwrap_or_default()
}

fn cpus(value: &Value) -> Option<CpuSet> {
    CpuSet::parse_list(value["cpus"].as_str()?).ok()
}

fn put_cache(files: &mut MachineFiles, cache: &Value, size: &str) {
    let kind = match cache["kind"].as_str() {
        Some("data") => "Data",
        Some("instruction") => "Instruction",
        _ => "Unified",
    };
    let (Some(level), Some(cpus)) = (number(&cache["level"]), cpus(cache)) else { return };
    for folder in shared_cache(files, &cpus, level, kind) {
        if let Some(size) = cache[size].as_u64() {
            files.put(&format!("{folder}/size"), format!("{}K", size >> 10));
        }
    }
}

fn distances(distances: &Value, files: &mut MachineFiles) {
    for (node, row) in items(&distances["nodes"]).iter().zip(items(&distances["rows"])) {
        let row = items(row).iter().filter_map(number);
        let row: Vec<String> = row.map(|distance| distance.to_string()).collect();
        if let Some(node) = number(node) {
            files.put(&format!("{SYSTEM}/node/node{node}/distance"), row.join(" "));
        }
    }
}

fn number(value: &Value) -> Option<u32> {
    u32::try_from(value.as_u64()?).ok().filter(|&number| number <= nearfar_model::MAX_ID)
}

#[cfg(test)]
mod tests {
    use super::super::{SentError, parse};
    use super::schema;
    use crate::document::MachineDocument;
    use crate::source::Source;

    #[test]
    fn a_topology_document_is_its_machine() {
        let source = Source::live();
        let Ok(document) = MachineDocument::read(&source) else { return };
        let compact = serde_json::to_string(&document).unwrap();
        let pretty = serde_json::to_string_pretty(&document).unwrap();
        for text in [&compact, &pretty] {
            let sent = parse(text.as_bytes()).unwrap();
            assert_eq!(sent.parts[0].form, "nearfar topology --json");
            let read = MachineDocument::read(&sent.source).unwrap().topology;
            let own = &document.topology;
            assert_eq!(read.packages(), own.packages());
            assert_eq!(read.cores(), own.cores());
            assert_eq!(read.online(), own.online());
            assert_eq!(read.distances, own.distances);
            assert_eq!(read.caches.len(), own.caches.len());
            assert_eq!(read.identity.model, own.identity.model);
        }
        let cut = &pretty[..pretty.len() / 2];
        let error = parse(cut.as_bytes()).unwrap_err().to_string();
        assert!(error.contains("cut off after line"), "{error}");
    }

    #[test]
    fn a_survey_has_names_and_others_have_no_machine() {
        let survey = r#"{"schema":"nearfar.survey/2","machine":{"model":"AMD EPYC 7451","arch":
            "x86_64","kernel":"6.1.0-28-amd64","memory_bytes":1073741824}}"#;
        let facts = &parse(survey.as_bytes()).unwrap().parts[0].facts;
        assert_eq!((facts.release.as_deref(), facts.nodes), (Some("6.1.0-28-amd64"), None));
        let error = parse(br#"{ "schema" : "nearfar.sweep/2", "x": [] }"#).unwrap_err();
        assert!(matches!(error, SentError::Machine(_)), "{error}");
        assert!(error.to_string().contains("nearfar.sweep/2"), "{error}");
    }

    /// Of surveys without parts, packages and cores are counts.
    #[test]
    fn a_survey_has_nodes_and_parts() {
        let counts = r#"{"schema":"nearfar.survey/2","machine":{"model":"x","packages":2,"cores":4,
            "cpus":8},"claims":{"nodes":[{"id":0,"cpus":"0-1,4-5","memory_bytes":1048576},
            {"id":2,"cpus":"2-3,6-7"}],"distances":{"nodes":[0,2],"rows":[[10,21],[21,10]]}"#;
        let parts = r#","parts":{"packages":[{"id":0,"cpus":"0-1,4-5"},{"id":1,"cpus":"2-3,6-7"}],
            "cores":[{"cpus":"0,4"},{"cpus":"1,5"},{"cpus":"2,6"},{"cpus":"3,7"}],"cache_groups":
            [{"cpus":"0-1,4-5","level":3,"kind":"unified","bytes":4194304}]}"#;
        for (parts, caches) in [("", 0), (parts, 1)] {
            let sent = parse(format!("{counts}{parts}}}}}").as_bytes()).unwrap();
            assert_eq!(sent.parts[0].facts.nodes, Some(2), "{parts}");
            let read = MachineDocument::read(&sent.source).unwrap().topology;
            let nodes: Vec<_> =
                read.nodes.iter().map(|node| format!("{}: {}", node.id, node.cpus)).collect();
            assert_eq!(nodes, ["0: 0-1,4-5", "2: 2-3,6-7"]);
            assert_eq!((read.cores().len(), read.packages().len()), (4, 2), "{parts}");
            assert_eq!(read.caches.len(), caches);
            let (a, b) = (read.nodes[0].id, read.nodes[1].id);
            assert_eq!(read.distances.unwrap().between(a, b), Some(21));
        }
    }

    #[test]
    fn the_schema_stands_at_the_beginning() {
        assert_eq!(schema("{\n  \"schema\": \"nearfar.show/1\","), Some("nearfar.show/1"));
        assert_eq!(schema(&format!("{{{}\"schema\":\"nearfar.x/1\"}}", "é".repeat(200))), None);
        assert_eq!(schema("{\"lscpu\": []}"), None);
    }
}
