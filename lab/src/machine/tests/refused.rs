//! Every contradiction, with the line that reports it.

use super::*;

fn error_lines(changes: &[(&str, &str)]) -> Vec<String> {
    let error = changed(changes).expect_err(&format!("{changes:?} should be refused")).to_string();
    // Errors of the TOML parser have the line's number beside the file.
    let own = |line: &str| match line.strip_prefix("mine.toml:").expect("each line names the file")
    {
        of_a_line if of_a_line.starts_with(|c: char| c.is_ascii_digit()) => line.to_owned(),
        of_a_key => of_a_key.trim_start().to_owned(),
    };
    error.lines().map(own).collect()
}

fn error_line(changes: &[(&str, &str)]) -> String {
    let lines = error_lines(changes);
    assert_eq!(lines.len(), 1, "{lines:#?}");
    lines.concat()
}

/// A change of the sound description, and the error it causes.
fn refused(cases: &[(&str, &str, &str)]) {
    for (from, to, expected) in cases {
        assert_eq!(error_line(&[(from, to)]), *expected, "for {to}");
    }
}

#[test]
fn keys_that_do_not_exist_and_values_of_the_wrong_kind_name_their_line() {
    let unknown = error_line(&[("seed = 7", "sede = 7")]);
    assert!(
        unknown.starts_with("mine.toml:9: unknown field `sede`, expected one of `summary`"),
        "{unknown}"
    );
    let list = error_line(&[("cpus = \"0-1\"", "cpus = \"0-x\"")]);
    assert_eq!(list, "mine.toml:13: '0-x' is not a CPU list: 'x' is not a number");
    let size = error_line(&[("memory = \"128M\"", "memory = \"128 frogs\"")]);
    assert_eq!(
        size,
        "mine.toml:20: '128 frogs' is not a size: write bytes, or a number with K, M, G or T \
         (times 1024)"
    );
    let kind = error_line(&[("kind = \"nvme\"", "kind = \"floppy\"")]);
    assert!(
        kind.contains("unknown variant `floppy`, expected one of `nvme`, `e1000e`, `xhci`"),
        "{kind}"
    );
    let missing = error_line(&[("arch = \"x86_64\"\n", "")]);
    assert_eq!(missing, "missing field `arch`; docs/lab/lab.md describes each part");
    let rate = error_line(&[("node_gb_s = [100, 20]", "node_gb_s = \"fast\"")]);
    assert!(
        rate.ends_with("a number, or a list with one number for each node with memory"),
        "{rate}"
    );
}

#[test]
fn a_machine_that_is_not_there_comes_with_those_that_are() {
    let error = LabMachine::load("epyc").unwrap_err().to_string();
    assert!(
        error.starts_with("the lab has no machine 'epyc': there are epyc-7451-2p, xeon-2s, "),
        "{error}"
    );
    assert!(
        LabMachine::load("../etc/passwd\n").unwrap_err().to_string().contains("'../etc/passwd?'")
    );
    let error = LabMachine::load("/nowhere/mine.toml").unwrap_err().to_string();
    assert!(
        error.starts_with("cannot read the machine description /nowhere/mine.toml: "),
        "{error}"
    );
}

#[test]
fn texts_are_lines() {
    refused(&[
        ("\"for tests\"", "\" \"", "summary: it is empty; describe the machine in a line"),
        (
            "\"for tests\"",
            r#""a\nb""#,
            "summary: it has line breaks or control characters; write it as one line",
        ),
        (
            "\"numa_balancing=disable\"",
            r#""quiet\u0000""#,
            "kernel_args: it has line breaks or control characters; write it as one line",
        ),
    ]);
}

#[test]
fn nodes_have_rising_ids_of_their_own_and_something_in_them() {
    refused(&[
        ("id = 1", "id = 0", "node[1].id: node 0 is there twice; give each node an id of its own"),
        ("id = 1", "id = 7", "node[2].id: node 2 stands behind node 7; list nodes by rising id"),
        (
            "id = 2",
            "id = 3",
            "node[2].id: node 3 follows 2 nodes, and Linux numbers an x86_64 machine's without \
             gaps; number them from 0, or describe an aarch64 machine",
        ),
        (
            "memory = \"128M\"",
            "",
            "node[2]: node 2 has neither CPUs nor memory; give it cpus, memory or both",
        ),
    ]);
    let none = parse("summary = 's'\narch = 'x86_64'\nnode = []\nlatency = { flat_ns = 9 }")
        .unwrap_err()
        .to_string();
    assert_eq!(none, "mine.toml: node: there is none; add a [[node]] with CPUs and memory");
    let large = "summary = 's'\narch = 'aarch64'\nnode = [{ id = 16, cpus = '0', memory = '256M' \
                 }]\nlatency = { flat_ns = 9 }";
    let large = parse(large).unwrap_err().to_string();
    assert_eq!(
        large,
        "mine.toml: node[0].id: 16 is too large: the lab's aarch64 machines have 16 nodes at \
         most; choose smaller ids"
    );
}

#[test]
fn each_cpu_is_in_one_node_and_none_is_left_out() {
    refused(&[
        (
            "cpus = \"2-3\"",
            "cpus = \"1-3\"",
            "node[1].cpus: CPU 1 is in node 0 already; put each CPU into one node",
        ),
        (
            "cpus = \"2-3\"",
            "cpus = \"4-5\"",
            "node: CPU 2 is in no node, and there are CPUs with higher numbers; number CPUs from \
             0 without gaps",
        ),
        (
            "cpus = \"2-3\"",
            "cpus = \"2-3,4-199\"",
            "node: there are 200 CPUs, and the lab has 128 at most; describe fewer",
        ),
    ]);
    let none = "summary = 's'\narch = 'x86_64'\nnode = [{ id = 0, memory = '256M' }]\nlatency = { \
                flat_ns = 9 }";
    let none = parse(none).unwrap_err().to_string();
    assert_eq!(none, "mine.toml: node: no node has CPUs; give one of them cpus = \"0\"");
}

#[test]
fn cpus_divide_over_packages_and_cores_stay_whole() {
    let divide = |packages| {
        format!(
            "packages: 4 CPUs do not divide over {packages} packages of cores with 2 threads; let \
             CPUs be a multiple of packages x threads_per_core"
        )
    };
    for packages in ["3", "0", "4"] {
        assert_eq!(
            error_line(&[("packages = 2", &format!("packages = {packages}"))]),
            divide(packages)
        );
    }
    assert!(
        error_line(&[("threads_per_core = 2", "threads_per_core = 0")])
            .contains("cores with 0 threads")
    );
    let torn =
        error_line(&[("cpus = \"0-1\"", "cpus = \"0,2\""), ("cpus = \"2-3\"", "cpus = \"1,3\"")]);
    assert_eq!(
        torn,
        "node[0].cpus: CPU 0 is without the other threads of its core; give nodes whole cores: \
         CPUs of a core are neighbours, 2 at a time"
    );
}

#[test]
fn memory_suffices_for_linux_and_has_a_charge() {
    refused(&[
        (
            "memory = \"128M\"",
            "memory = \"16M\"",
            "node[2].memory: 16 MiB is less than the 32 MiB that Linux needs; give it more, or \
             leave memory out for a node without",
        ),
        (
            "memory = \"128M\"",
            "memory = \"129M\"",
            "node[2].memory: 129 MiB is no multiple of a huge page (2 MiB); round it to one",
        ),
        (
            "memory = \"256M\"",
            "memory = \"32M\"",
            "node: all nodes together have 160 MiB, and Linux needs 192 MiB; give them more memory",
        ),
        (
            "memory = \"256M\"",
            "memory = \"2G\"",
            "node: all nodes together have 2.12 GiB, and the lab's x86_64 machines 2 GiB at most; \
             give them less memory",
        ),
    ]);
}

#[test]
fn lines_alternate_only_without_described_nodes() {
    let alternating = ("seed = 7", "seed = 7\ninterleave = \"lines\"");
    assert_eq!(
        error_line(&[alternating]),
        "interleave: lines that alternate belong to no node, and firmware describes nodes; set \
         firmware.describes = \"one-node\""
    );
    let hidden = ("describes = \"nodes\"", "describes = \"one-node\"");
    assert_eq!(
        error_lines(&[alternating, hidden])[0],
        "interleave: lines alternate among nodes of different size; give all nodes as much memory"
    );
    assert_eq!(
        error_lines(&[
            alternating,
            hidden,
            ("packages = 2", "packages = 1"),
            ("id = 2\nmemory = \"128M\"", "id = 2\ncpus = \"4-5\"")
        ])[0],
        "interleave: lines cannot alternate among fewer than two nodes with memory; leave it out"
    );
}

#[test]
fn matrices_have_a_side_for_each_node_and_positive_numbers() {
    refused(&[
        (
            "[[80, 300], [150, 310]]",
            "[[80, 300]]",
            "latency.ns: it has 1 rows, and there are 2 nodes with CPUs; give each of them one \
             row, by rising id",
        ),
        (
            "[[80, 300], [150, 310]]",
            "[[80, 300], [150, 310, 1]]",
            "latency.ns: row 1 has 3 columns, and there are 2 nodes with memory; give each of \
             them one column, by rising id",
        ),
        (
            "[[80, 300], [150, 310]]",
            "[[80, 0], [150, 310]]",
            "latency.ns: row 0, column 1: 0 is not above 0; give a positive, finite number",
        ),
        (
            "[[80, 300], [150, 310]]",
            "[[80, 300], [nan, 310]]",
            "latency.ns: row 1, column 0: NaN is not above 0; give a positive, finite number",
        ),
        (
            "[[50, 110], [120, 50]]",
            "[[50, 110], [120, -50]]",
            "modified.ns: row 1, column 1: -50 is not above 0; give a positive, finite number",
        ),
        (
            "hmat_latency_ns = [[70, 70], [70, 70]]",
            "hmat_latency_ns = [[70], [70]]",
            "firmware.hmat_latency_ns: row 0 has 1 columns, and there are 2 nodes with memory; \
             give each of them one column, by rising id",
        ),
        (
            "ns = [[80, 300]",
            "ns = [[80, 1e9]",
            "latency.ns: 1000000000 ns times the slowdown is 10.0 s for an access; let it come to \
             0.1 s or less",
        ),
        (
            "ns = [[80",
            "flat_ns = 3\nns = [[80",
            "latency: it has both ns and flat_ns; keep one of them",
        ),
        (
            "ns = [[80, 300], [150, 310]]",
            "",
            "latency: it has neither ns nor flat_ns; give one of them",
        ),
        (
            "ns = [[80, 300], [150, 310]]",
            "flat_ns = inf",
            "latency.flat_ns: inf is not above 0; give a positive, finite number",
        ),
    ]);
}

#[test]
fn a_pace_of_ones_own_is_held_to_the_same() {
    let slowed = |slowdown: f64| parse(SOUND).unwrap().slowed_to(slowdown);
    assert_eq!(slowed(2500.0).unwrap().description.slowdown, 2500.0);
    let error = slowed(f64::NAN).unwrap_err().to_string();
    assert_eq!(error, "--slowdown: slowdown: NaN is not above 0; give a positive, finite number");
}

#[test]
fn a_cpu_has_lines_on_their_way_and_not_too_many() {
    for lines in [0, 5000] {
        let error_line = error_line(&[("lines = 32", &format!("lines = {lines}"))]);
        let expected = format!(
            "streams.lines: {lines} is not from 1 to 4096; give what one CPU's bandwidth times \
             the latency comes to, in lines of 64 bytes"
        );
        assert_eq!(error_line, expected);
    }
}

#[test]
fn scales_stay_within_what_makes_sense() {
    refused(&[
        (
            "slowdown = 10",
            "slowdown = 0",
            "slowdown: 0 is not above 0; give a positive, finite number",
        ),
        (
            "slowdown = 10",
            "slowdown = 1e9",
            "slowdown: 1000000000 is more than 100000; let local memory come to a microsecond or \
             so",
        ),
        (
            "cache_lines = 2048",
            "cache_lines = 8192",
            "cache_lines: 8192 is no power of two below the 8192 lines that the page probe walks; \
             give 1, 2, 4 and so on to 4096",
        ),
        (
            "cache_lines = 2048",
            "cache_lines = 5000",
            "cache_lines: 5000 is no power of two below the 8192 lines that the page probe walks; \
             give 1, 2, 4 and so on to 4096",
        ),
        (
            "homed_elsewhere_extra_ns = 30",
            "homed_elsewhere_extra_ns = -1",
            "modified.homed_elsewhere_extra_ns: -1 is below 0; give what it costs more, or 0",
        ),
    ]);
}

#[test]
fn links_have_two_ends_and_carry_something() {
    let unclear = "bandwidth.link[1]: its ends are not clear; give between = [NODES, NODES], or \
                   from = NODES and to = NODES";
    refused(&[
        (
            "node_gb_s = [100, 20]",
            "node_gb_s = [100]",
            "bandwidth.node_gb_s: it has 1 numbers, and there are 2 nodes with memory; give each \
             of them one, by rising id",
        ),
        (
            "node_gb_s = [100, 20]",
            "node_gb_s = -1",
            "bandwidth.node_gb_s: -1 is not above 0; give a positive, finite number",
        ),
        (
            "gb_s = 32",
            "gb_s = 0",
            "bandwidth.link[1].gb_s: 0 is not above 0; give a positive, finite number",
        ),
        ("from = \"1\"\n", "", unclear),
        ("from = \"1\"\n", "between = [\"0\", \"1\"]\nfrom = \"1\"\n", unclear),
        (
            "to = \"2\"",
            "to = \"5\"",
            "bandwidth.link[1]: there is no node 5; name nodes that are described",
        ),
        (
            "to = \"2\"",
            "to = \"1-2\"",
            "bandwidth.link[1]: node 1 is at both ends; put it at one end",
        ),
        (
            "from = \"1\"\nto = \"2\"",
            "from = \"2\"\nto = \"0\"",
            "bandwidth.link[1]: nothing passes it: no CPUs at one end with memory at the other; \
             from has the nodes of CPUs, to the nodes of memory",
        ),
    ]);
}

#[test]
fn noise_has_an_end_and_moves_go_somewhere() {
    refused(&[
        (
            "lasts_s = 0.5",
            "lasts_s = 2",
            "noise.bursts: bursts of 2 s every 2 s never end; let lasts_s be shorter than every_s",
        ),
        (
            "factor = 3",
            "factor = nan",
            "noise.bursts.factor: NaN is not above 0; give a positive, finite number",
        ),
        (
            "share = 0.02",
            "share = 2.0",
            "noise.drift.share: 2 is not between 0 and 1; give a fraction: 0.05 swings by 5 %",
        ),
        (
            "period_s = 5",
            "period_s = 0",
            "noise.drift.period_s: 0 is not above 0; give a positive, finite number",
        ),
        (
            "at_s = 3",
            "at_s = -1",
            "noise.move[0].at_s: -1 is no time after the guest's start; give seconds, 0 or more",
        ),
        ("cpu = 1", "cpu = 9", "noise.move[0].cpu: there is no CPU 9; name one of a node"),
        (
            "to_node = 1",
            "to_node = 2",
            "noise.move[0].to_node: there is no node 2 with CPUs; name a node with CPUs",
        ),
    ]);
}

#[test]
fn firmware_claims_what_can_be_claimed() {
    refused(&[
        (
            "[[10, 20, 30], ",
            "[",
            "firmware.slit: it has 2 rows, and there are 3 nodes; give each of them one row, by \
             rising id",
        ),
        (
            "[[10, 20, 30], ",
            "[[11, 20, 30], ",
            "firmware.slit: row 0, column 0: a node is at 11 from itself, and QEMU writes only 10 \
             there; write 10, or inject a table of your own (firmware.tables)",
        ),
        (
            "[[10, 20, 30], ",
            "[[10, 9, 30], ",
            "firmware.slit: row 0, column 1: 9 is nearer than local memory, which is at 10; write \
             10 to 255",
        ),
    ]);
    let none =
        "it is what an HMAT claims, and there is none; set firmware.hmat = true, or leave it out";
    let both =
        ["latency_ns", "bandwidth_gb_s"].map(|claim| format!("firmware.hmat_{claim}: {none}"));
    assert_eq!(error_lines(&[("hmat = true\n", "")]), both);
}

#[test]
fn all_contradictions_are_reported_at_once() {
    let why = "firmware describes one node, and this speaks of nodes; leave it out, or set \
                    firmware.describes = \"nodes\"";
    assert_eq!(
        error_lines(&[
            ("describes = \"nodes\"", "describes = \"one-node\""),
            ("share = 0.02", "share = 2.0")
        ]),
        [
            "noise.drift.share: 2 is not between 0 and 1; give a fraction: 0.05 swings by 5 %"
                .to_owned(),
            format!("firmware.slit: {why}"),
            format!("firmware.hmat: {why}"),
            "host_bridge[0].node: firmware describes one node, and this would reveal the others; \
             leave it out"
                .to_owned(),
        ]
    );
}

#[test]
fn what_counts_nodes_waits_until_nodes_are_right() {
    let gap = ("cpus = \"2-3\"", "cpus = \"4-5\"");
    let [empty, missing] =
        &error_lines(&[gap, ("\"for tests\"", "\"\""), ("[[80, 300], [150, 310]]", "[[80, 300]]")])
            [..]
    else {
        panic!("two lines");
    };
    assert!(
        empty.starts_with("summary: ") && missing.starts_with("node: CPU 2 is in no node"),
        "{empty}\n{missing}"
    );
}

#[test]
fn what_needs_acpi_needs_a_pc() {
    let arm = ("x86_64", "aarch64");
    let remedy = "it needs ACPI, and the lab's aarch64 machines have a device tree; leave it out, \
                  or describe an x86_64 machine";
    let one_thread = ("threads_per_core = 2\n", "");
    let both = ["firmware.hmat", "host_bridge"].map(|key| format!("{key}: {remedy}"));
    let threads = "threads_per_core: the lab's aarch64 cores (Cortex-A53) have one thread; leave \
                   it out, or describe an x86_64 machine";
    assert_eq!(error_lines(&[arm]), [threads, &both[0], &both[1]]);
    assert_eq!(error_lines(&[arm, one_thread]), both);
    let no_hmat = (
        "hmat = true\nhmat_latency_ns = [[70, 70], [70, 70]]\nhmat_bandwidth_gb_s = [[10, 10], \
         [10, 10]]\n",
        "",
    );
    assert_eq!(error_line(&[arm, one_thread, no_hmat]), format!("host_bridge: {remedy}"));
    let table = (no_hmat.0, "tables = ['x']\n");
    let both = ["firmware.tables", "host_bridge"].map(|key| format!("{key}: {remedy}"));
    assert_eq!(error_lines(&[arm, one_thread, table]), both);
}

#[test]
fn devices_need_described_bridges_and_nodes() {
    let bridge = ("id = \"a\"\nnode = 1", "id = \"a\"\nnode = 4");
    let node = "there is no node 4; name a node that is described";
    assert_eq!(error_line(&[bridge]), format!("host_bridge[0].node: {node}"));
    let srat = ("srat_node = 1", "srat_node = 4");
    assert_eq!(error_line(&[srat]), format!("device[1].srat_node: {node}"));
    assert_eq!(
        error_line(&[("at = \"a\"", "at = \"c/s1\"")]),
        "device[0].at: there is no host bridge 'c'; name one of a, b, or add a [[host_bridge]]"
    );
    assert_eq!(
        error_line(&[("id = \"b\"", "id = \"a\""), ("at = \"b/s1\"", "at = \"a/s1\"")]),
        "host_bridge[1].id: the host bridge 'a' exists already; give each host bridge its own id"
    );
    let hidden = "summary = 's'\narch = 'x86_64'\nnode = [{ id = 0, cpus = '0', memory = '256M' \
                  }]\nlatency = { flat_ns = 9 }\nfirmware = { describes = 'one-node' }\n\
                  host_bridge = [{ id = 'a', node = 0 }]";
    assert_eq!(
        parse(hidden).unwrap_err().to_string(),
        "mine.toml: host_bridge[0].node: firmware describes one node, and this would reveal the \
         others; leave it out"
    );
    assert!(parse(&hidden.replace(", node = 0", "")).is_ok());
}

#[test]
fn names_of_bridges_and_switches_are_plain() {
    let remedy = "use lowercase letters, digits and '-', a letter first";
    for (at, name) in [("a/", ""), ("a//s1", ""), ("a/S1", "S1"), ("a,b", "a,b"), ("1", "1")] {
        let changes = [("at = \"a\"", format!("at = \"{at}\""))];
        assert_eq!(
            error_line(&[(changes[0].0, &changes[0].1)]),
            format!("device[0].at: '{name}' is no name; {remedy}")
        );
    }
    assert_eq!(
        error_line(&[("device-without-node", "Two\\nlines")]),
        format!("device[1].expects: 'Two\\nlines' is no name; {remedy}")
    );
}

#[test]
fn devices_fit_into_slots_and_bus_numbers() {
    let with = |count: usize, at: &dyn Fn(usize) -> String| {
        let more = (0..count)
            .map(|index| format!("[[device]]\nkind = \"xhci\"\nat = \"{}\"\n", at(index)));
        error_line(&[("[[device]]", &format!("{}[[device]]", more.collect::<String>()))])
    };
    assert_eq!(
        with(32, &|_| "a".to_owned()),
        "device: 33 ports are on one bus, and PCI has slots for 32; spread them over switches or \
         host bridges"
    );
    assert_eq!(
        with(208, &|index| format!("a/s{}", index / 16)),
        "device: they need bus numbers up to 275, and PCI ends at 255; leave some out"
    );
}
