use std::path::Path;

use super::{named, parse};
use crate::description::Api;

const GOOD: &str = r#"
summary = "two GPUs"
[[gpu]]
name = "Lab GPU"
address = "0000:3b:00.0"
memory_mib = 1024
node = 0
claimed_node = 0
to_device_gb_s = [25, 12]
from_device_gb_s = [26, 13]
pageable_gb_s = [8, 5]
latency_us = [2, 3]
[[gpu]]
name = "Lab GPU"
address = "0000:af:00.0"
memory_mib = 1024
node = 1
to_device_gb_s = [12, 25]
from_device_gb_s = [13, 26]
pageable_gb_s = [5, 8]
latency_us = [3, 2]
cpu_us = [0.5, 0]
[[link]]
gb_s = 30
sides = [[0], [1]]
[[peer]]
from = 0
to = 1
gb_s = 20
latency_us = 4
access = true
[faults]
register = "memlock"
lost = { gpu = 1, after_copies = 5 }
"#;

#[test]
fn good_description_is_read() {
    let description = parse(Path::new("gpus.toml"), GOOD).unwrap();
    assert_eq!(description.apis, [Api::Cuda, Api::Hip]);
    assert_eq!(description.gpus[1].claimed_node, None);
    assert_eq!(description.faults.lost.unwrap().code, 999);
}

#[test]
fn wrong_descriptions_are_refused_in_a_line() {
    let wrong = [
        ("name = \"Lab GPU\"", "nmae = \"Lab GPU\"", "gpus.toml:4: unknown field `nmae`"),
        ("node = 0\nc", "node = 2\nc", "gpus.toml: gpu 0: node: to_device_gb_s has no number"),
        ("[25, 12]", "[25, 0]", "gpus.toml: gpu 0: to_device_gb_s: 0 is not above 0"),
        ("[5, 8]", "[5]", "gpus.toml: gpu 1: pageable_gb_s: it has 1 numbers"),
        ("0000:af:00.0", "AF:00.0", "gpus.toml: gpu 1: address: 'AF:00.0'"),
        ("sides = [[0], [1]]", "sides = [[0], [0]]", "gpus.toml: link 0: sides: each node"),
        ("to = 1", "to = 2", "gpus.toml: peer 0: 0 to 2 are not two of 2 GPUs"),
        ("\"memlock\"", "\"never\"", "gpus.toml:33: unknown variant `never`"),
        ("gpu = 1,", "gpu = 2,", "gpus.toml: faults.lost.gpu: there is no GPU 2"),
        ("summary", "version = \"twelve\"\nsummary", "gpus.toml: version: 'twelve' is not"),
    ];
    for (from, to, message) in wrong {
        let text = GOOD.replacen(from, to, 1);
        let line = parse(Path::new("gpus.toml"), &text).unwrap_err().to_string();
        assert!(line.starts_with(message), "{line}, instead of {message}");
        assert!(!line.contains('\n'), "{line}");
    }
}

#[test]
fn missing_file_is_named() {
    let line = named(Some("/nowhere/gpus.toml".into())).unwrap_err().to_string();
    assert!(line.starts_with("cannot read the description of GPUs /nowhere/gpus.toml: "), "{line}");
    let line = named(None).unwrap_err().to_string();
    assert_eq!(line, "NEARFAR_LAB_GPUS names no file with a description of GPUs");
}

#[test]
fn descriptions_of_the_labs_machines_are_right() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("machines");
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    for path in files {
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(!parse(&path, &text).unwrap().gpus.is_empty(), "{}", path.display());
    }
}
