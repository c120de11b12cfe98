//! Outputs that end too early, or are not as their program printed them, are refused.

use nearfar_model::CpuSet;

use super::{LSCPU, NUMACTL, SMI, TABLE, sent};
use crate::sent::{Sent, parse};
use crate::topology::Topology;

fn refusal(text: &str) -> String {
    match parse(text.as_bytes()) {
        Ok(sent) => panic!("{:?}: {text}", sent.parts),
        Err(error) => error.to_string(),
    }
}

/// The first bytes of a text, up to the end of this.
fn up_to<'t>(text: &'t str, end: &str) -> &'t str {
    &text[..text.find(end).unwrap() + end.len()]
}

#[test]
fn lscpu_has_all_nodes_and_all_their_cpus() {
    for (end, line) in [
        ("NUMA node1 CPU(s):     2,3,", 13),
        ("NUMA node1 CPU(s):     2,3", 13),
        ("NUMA node1 CPU(s):  ", 13),
        ("NUMA node1", 13),
        ("NUMA node0 CPU(s):     0,1,4,5\n", 12),
        ("NUMA node(s):          2\n", 11),
    ] {
        let error = refusal(up_to(LSCPU, end));
        assert!(error.contains(&format!("lscpu is cut off after line {line}:")), "{end}: {error}");
        let error = refusal(&format!("{}\n{NUMACTL}", up_to(LSCPU, end)));
        assert!(error.contains("lscpu is cut off"), "{end}: {error}");
    }
    let selected = "CPU(s):                8\nSocket(s):             2\nNUMA node(s):          2\n";
    assert_eq!(sent(selected).parts[0].form, "lscpu");
    let nodes = "NUMA node(s):       2\nNUMA node0 CPU(s):  0,1\nNUMA node1 CPU(s):  2,3\n";
    let facts = &sent(nodes).parts[0].facts;
    assert_eq!((facts.nodes, facts.cpus), (Some(2), Some(4)));
    let each_second = LSCPU.replace("0,1,4,5", "0-6:2").replace("2,3,6,7", "1-7:2");
    let nodes = Topology::read(&sent(&each_second).source).unwrap().nodes;
    let nodes: Vec<String> = nodes.iter().map(|node| node.cpus.to_string()).collect();
    assert_eq!(nodes, ["0,2,4,6", "1,3,5,7"]);
    assert!(refusal(up_to(&each_second, "1-7:")).contains("cut off after line 13:"));
    let in_no_node = LSCPU.replace("2,3,6,7", "2,3,6");
    assert_eq!(sent(&in_no_node).parts[0].facts.nodes, Some(2), "flags follow: it is all");
    let without_cpus = LSCPU.replace("2,3,6,7", "").replace("0,1,4,5", "0-7");
    assert_eq!(sent(&without_cpus).parts[0].facts.nodes, Some(2));
    let before = up_to(LSCPU, "L3 cache:");
    assert_eq!(sent(before).parts[0].facts.nodes, None, "nothing shows that there is more");
}

#[test]
fn numactl_ends_with_the_distances() {
    let whole = NUMACTL.trim_end();
    for end in 25..whole.len() {
        let error = refusal(&whole[..end]);
        let line = whole[..end].lines().count();
        let last = [line, line - 1].map(|line| format!("numactl -H is cut off after line {line}:"));
        assert!(last.iter().any(|last| error.contains(last)), "{}: {error}", &whole[..end]);
    }
    let none = format!("{}No distance information available.\n", up_to(NUMACTL, "100 MB\n"));
    assert_eq!(sent(&none).parts[0].facts.nodes, Some(2));
    let unknown = NUMACTL.replace("10  21", " 0   0").replace("21  10", " 0   0");
    assert_eq!(sent(&unknown).parts[0].facts.nodes, Some(2), "libnuma prints 0 for unknown");
    for (at, line) in [("cpus: 0 1 4", 3), ("0:  10", 11)] {
        let error = refusal(&NUMACTL.replace(at, &format!("{at}\n")));
        let expected = format!("numactl -H is damaged in line {line}, perhaps folded");
        assert!(error.contains(&expected), "{error}");
    }
}

#[test]
fn a_matrix_of_gpus_has_all_rows() {
    let four = "\tGPU0\tGPU1\tNIC0\tCPU Affinity\tNUMA Affinity\nGPU0\t X \tSYS\tPIX\t0-7\t0\n\
                GPU1\tSYS\t X \tSYS\t0-7\t0\nNIC0\tPIX\tSYS\t X \t\t\n\nLegend:\n";
    assert_eq!(sent(four).parts[0].form, "nvidia-smi topo -m");
    for (end, line) in [("Affinity\n", 1), ("0-7\t0\n", 2), ("GPU1\tSYS", 3), ("NIC0\tPIX\tSYS", 4)]
    {
        let error = refusal(up_to(four, end));
        let expected = format!("nvidia-smi topo -m is cut off after line {line}:");
        assert!(error.contains(&expected), "{end}: {error}");
    }
    assert!(refusal(up_to(SMI, "GPU0")).contains("is a known output"));
}

#[test]
fn json_may_be_folded() {
    let field = |(name, data): (&str, &str)| {
        format!("{{\"field\": \"{name}:\", \"data\": \"{}\"}}", data.trim())
    };
    let fields: Vec<String> =
        LSCPU.lines().filter_map(|line| line.split_once(':')).map(field).collect();
    let json = format!("{{\"lscpu\": [{}]}}", fields.join(","));
    let folded = |width: usize| {
        let lines = json.as_bytes().chunks(width).map(|line| String::from_utf8_lossy(line));
        lines.collect::<Vec<_>>().join("\n")
    };
    for width in [20, 21, 80, 132] {
        let text = format!("{}\n{NUMACTL}", folded(width));
        let forms: Vec<&str> = sent(&text).parts.iter().map(|part| part.form).collect();
        assert_eq!(forms, ["lscpu -J", "numactl -H"], "{text}");
    }
    for text in [&json, &folded(80)] {
        for end in [60, 75, 80, 81, 200] {
            let error = refusal(&text[..end]);
            assert!(error.contains("lscpu -J is cut off after line"), "{end}: {error}");
        }
    }
    let document = "{\"schema\":\"nearfar.topology/1\",\"topology\":{\"cpus\":[{\"id\":0,\
                    \"online\":true}]},\"boot\":{\"kernel_version\":\"Linux version 6.8.0\"}}";
    for width in [45, 80, 90, 100] {
        let lines: Vec<_> =
            document.as_bytes().chunks(width).map(String::from_utf8_lossy).collect();
        let forms: Vec<&str> = sent(&lines.join("\n")).parts.iter().map(|part| part.form).collect();
        assert_eq!(forms, ["nearfar topology --json"], "{width}");
    }
    let error = refusal(&json.replacen("},", "};", 1));
    assert!(error.contains("lscpu -J is damaged in line 1, perhaps folded"), "{error}");
}

#[test]
fn a_table_of_the_first_cpus_is_cut_off() {
    let cut = up_to(TABLE, "\n5,1,0");
    for text in [format!("{LSCPU}{cut}\n"), format!("{cut}\n{LSCPU}")] {
        let error = refusal(&text);
        let expected = "lscpu -p has the CPUs 0-5, and x (lscpu) has 0-7: it is cut off after line";
        assert!(error.contains(expected), "{error}");
    }
    let other = TABLE.replace("\n7,", "\n8,");
    assert!(refusal(&format!("{LSCPU}{other}")).contains("are of different machines"));
}

/// `lscpu -y` numbers cores as firmware does.
#[test]
fn cores_of_packages_may_have_the_same_numbers() {
    let table = "# CPU,Core,Socket,Node\n0,0,0,0\n1,0,1,1\n2,0,0,0\n3,0,1,1\n";
    let topology = Topology::read(&sent(table).source).unwrap();
    let cores: Vec<String> = topology.cores().iter().map(|core| core.cpus.to_string()).collect();
    assert_eq!(cores, ["0,2", "1,3"]);
}

#[test]
fn lscpu_in_other_languages_is_asked_for_in_english() {
    let german = "Architektur:           x86_64\n  CPU Operationsmodus: 32-bit, 64-bit\n\
                  CPU(s):                64\n  Liste der Online-CPU(s): 0-63\n\
                  Thread(s) pro Kern:    2\nNUMA:\n  NUMA-Knoten:         2\n\
                  NUMA-Knoten0 CPU(s):   0-15,32-47\n";
    assert!(refusal(german).contains("print it again with 'LC_ALL=C lscpu'"));
    let few = "CPU(s): 4\nNUMA node0 CPU(s): 0-3\n";
    assert_eq!(sent(few).parts[0].facts.nodes, Some(1), "a part in English");
}

/// A table with this many bytes after its header.
fn table(signature: &str, bytes: usize) -> Vec<u8> {
    let mut table = signature.as_bytes().to_vec();
    table.extend(u32::try_from(36 + bytes).unwrap().to_le_bytes());
    table.resize(36 + bytes, 1);
    table
}

/// As acpidump prints it.
fn dumped(table: &[u8]) -> String {
    let mut text = format!("{} @ 0x0000000000001000\n", String::from_utf8_lossy(&table[..4]));
    for (line, row) in table.chunks(16).enumerate() {
        let digits: Vec<String> = row.iter().map(|byte| format!("{byte:02X}")).collect();
        text += &format!("    {:04X}: {}\n", line * 16, digits.join(" "));
    }
    text
}

#[test]
fn tables_have_as_many_bytes_as_they_count() {
    let (text, second) = (dumped(&table("SRAT", 100)), dumped(&table("SLIT", 44)));
    let both = format!("{text}\n{second}");
    assert_eq!(crate::firmware_tables::read(&sent(&both).source).tables.len(), 2);
    for percent in [12, 35, 60, 90, 99] {
        let cut = &text[..text.trim_end().len() * percent / 100];
        for text in [cut.to_owned(), format!("{cut}\n\n{second}")] {
            let error = refusal(&text);
            assert!(error.contains("acpidump is cut off after line"), "{percent}: {error}");
        }
    }
    let lines: Vec<&str> = text.lines().collect();
    let error = refusal(&[&lines[..3], &lines[4..]].concat().join("\n"));
    assert!(error.contains("acpidump is damaged in line 4"), "{error}");
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("srat.dat");
    std::fs::write(&file, &table("SRAT", 644)[..400]).unwrap();
    for path in [&file, &folder.path().to_owned()] {
        let error = Sent::open(std::slice::from_ref(path)).unwrap_err().to_string();
        assert!(error.contains("srat.dat: SRAT is cut off: it has 400 of its 680"), "{error}");
    }
}

#[test]
fn tables_have_the_name_of_their_file() {
    let folder = tempfile::tempdir().unwrap();
    for (name, signature) in [("a.dat", "APIC"), ("b.dat", "SSDT"), ("c", "SRAT"), ("d", "SSDT")] {
        std::fs::write(folder.path().join(name), table(signature, 64)).unwrap();
    }
    let source = Sent::open(&[folder.path().to_owned()]).unwrap().source;
    let names = source.list("/sys/firmware/acpi/tables");
    assert_eq!(names, ["APIC", "SRAT", "SSDT1", "SSDT2"]);
    let place = |source: &crate::source::Source| {
        let tables = crate::firmware_tables::read(source).tables;
        let srat = tables.iter().find(|table| table.name == "SRAT").unwrap();
        (srat.path.clone(), srat.line)
    };
    assert_eq!(place(&source), (folder.path().join("c").display().to_string(), None));
    let text = format!("{LSCPU}{}", dumped(&table("SRAT", 64)));
    let line = LSCPU.lines().count() + 1;
    assert_eq!(place(&sent(&text).source), ("x".to_owned(), Some(line)));
}

#[test]
fn without_cpus_lscpu_is_asked_for() {
    let log = sent("[    0.000000] Linux version 6.1.0 (x)\n");
    let error = Topology::read(&log.source).unwrap_err().to_string();
    assert_eq!(error, "x has no list of CPUs: give what lscpu printed on that machine, too");
    let cpus = Topology::read(&sent(LSCPU).source).unwrap().online();
    assert_eq!(cpus, CpuSet::parse_list("0-7").unwrap());
}
