//! Documents of nearfar itself: the machine of `nearfar topology --json`, and what a survey keeps
//! of its machine.

use nearfar_model::{Bytes, CpuSet, NodeId};
use serde_json::Value;

use super::cpu_table::{shared_cache, topology};
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
    let list = |name: &str| machine[name].as_array().map(Vec::as_slice).unwrap_or_default();
    let cpus = |value: &Value| CpuSet::parse_list(value["cpus"].as_str()?).ok();
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
        let kind = match cache["kind"].as_str() {
            Some("data") => "Data",
            Some("instruction") => "Instruction",
            _ => "Unified",
        };
        let (Some(level), Some(cpus)) = (number(&cache["level"]), cpus(cache)) else { continue };
        for folder in shared_cache(files, &cpus, level, kind) {
            if let Some(size) = cache["size_bytes"].as_u64() {
                files.put(&format!("{folder}/size"), format!("{}K", size >> 10));
            }
        }
    }
    for node in list("nodes").iter().filter(|node| node["online"] == true) {
        let (Some(id), Some(cpus)) = (number(&node["id"]), cpus(node)) else { continue };
        let memory = node["memory"]["total_bytes"].as_u64().map(Bytes);
        files.node(NodeId(id), &cpus, memory);
    }
    let distances = &machine["distances"];
    let nodes = distances["nodes"].as_array().into_iter().flatten();
    for (node, row) in nodes.zip(distances["rows"].as_array().into_iter().flatten()) {
        let row = row.as_array().into_iter().flatten().filter_map(number);
        let row: Vec<String> = row.map(|distance| distance.to_string()).collect();
        if let Some(node) = number(node) {
            files.put(&format!("{SYSTEM}/node/node{node}/distance"), row.join(" "));
        }
    }
    !files.cpus.is_empty()
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
        assert_eq!(facts.release.as_deref(), Some("6.1.0-28-amd64"));
        let error = parse(br#"{ "schema" : "nearfar.sweep/2", "x": [] }"#).unwrap_err();
        assert!(matches!(error, SentError::Machine(_)), "{error}");
        assert!(error.to_string().contains("nearfar.sweep/2"), "{error}");
    }

    #[test]
    fn the_schema_stands_at_the_beginning() {
        assert_eq!(schema("{\n  \"schema\": \"nearfar.show/1\","), Some("nearfar.show/1"));
        assert_eq!(schema(&format!("{{{}\"schema\":\"nearfar.x/1\"}}", "é".repeat(200))), None);
        assert_eq!(schema("{\"lscpu\": []}"), None);
    }
}
