//! Matrices as people write them.

mod printed;

use proptest::prelude::*;

use super::*;

/// CPUs and costs, in short.
fn read(text: &str) -> (Vec<u32>, Vec<(u32, u32, f64)>) {
    let matrix = PairMatrix::parse(text).unwrap_or_else(|error| panic!("{text:?}: {error}"));
    let cpu = |index: usize| matrix.cpus[index].0;
    let mut costs: Vec<(u32, u32, f64)> = matrix
        .costs
        .iter()
        .map(|pair| {
            (
                cpu(pair.cpus.0.max(pair.cpus.1)),
                cpu(pair.cpus.0.min(pair.cpus.1)),
                pair.cost.median_ns,
            )
        })
        .collect();
    costs.sort_by(|a, b| a.partial_cmp(b).unwrap());
    (matrix.cpus.iter().map(|cpu| cpu.0).collect(), costs)
}

const THREE: [(u32, u32, f64); 3] = [(1, 0, 10.0), (2, 0, 20.0), (2, 1, 30.5)];

#[test]
fn a_lower_triangle_is_read_however_it_is_written() {
    let wanted = (vec![0, 1, 2], THREE.to_vec());
    for text in [
        ",,\n10,,\n20,30.5,\n",
        "\n\n,,\r\n10,,\r\n20,30.5,",
        ",,\r10,,\r20,30.5,\r",
        ",,\r\n10,,\r\n20,30.5,\r\n",
        "\u{feff},,\n10,,\n20,30.5,\n",
        "# by a user\n,,\n10,,\n20,30.5,\nAMD Ryzen, 3 cores\n",
        "My machine, with commas\n,,\n10,,\n20,30.5,\n",
        "10\n20,30.5\n",
        "10,\n20,30.5,\n",
        "0\n10,0\n20,30.5,0\n",
        "nan\n10,nan\n20,30.5,nan\n",
        ";;\n10;;\n20;30,5;\n",
        "\t\t\n10\t\t\n20\t30.5\t\n",
        ",0,1,2\n0,,,\n1,10,,\n2,20,30.5,\n",
        "cpu,CPU0,CPU1,CPU2\nCPU0,,,\nCPU1,10,,\nCPU2,20,30.5,\n",
        "0,1,2\n,,\n10,,\n20,30.5,\n",
        "CPU 0,,,\nCPU 1,10,,\nCPU 2,20,30.5,\n",
        "0,,,\n1,10,,\n2,20,30.5,\n",
        "\"\",\"\",\"\"\n\"10\",\"\",\"\"\n\"20\",\"30.5\",\"\"\n",
        "nan nan nan\n10 nan nan\n20 30.5 nan\n",
    ] {
        assert_eq!(read(text), wanted, "{text:?}");
    }
}

#[test]
fn a_full_matrix_gives_each_pair_twice() {
    let mut wanted = [THREE, THREE.map(|(a, b, ns)| (a, b, ns + 1.0))].concat();
    wanted.sort_by(|a, b| a.partial_cmp(b).unwrap());
    assert_eq!(read("0,11,21\n10,0,31.5\n20,30.5,0\n"), (vec![0, 1, 2], wanted.clone()));
    assert_eq!(read("5,11,21\n10,5,31.5\n20,30.5,5\n"), (vec![0, 1, 2], wanted));
}

#[test]
fn labels_that_skip_cpus_are_kept() {
    let wanted = vec![(4, 2, 10.0), (7, 2, 20.0), (7, 4, 30.5)];
    assert_eq!(
        read("cpu,cpu2,cpu4,cpu7\ncpu2,,,\ncpu4,10,,\ncpu7,20,30.5,\n"),
        (vec![2, 4, 7], wanted)
    );
    assert_eq!(
        PairMatrix::parse("cpu,cpu1,cpu1\ncpu1,1,2\ncpu1,3,4\n"),
        Err(NoMatrix::Twice(CpuId(1)))
    );
}

#[test]
fn unreadable_cells_are_counted() {
    let matrix = PairMatrix::parse("title\n,,,\n10,,,\n-,oops,,\n5,N/A,7 ns,\nthe end\n").unwrap();
    assert_eq!((matrix.cpus.len(), matrix.costs.len(), matrix.all_pairs()), (4, 3, 6));
    assert_eq!((matrix.skipped_lines, matrix.unreadable_cells), (2, 1));
}

#[test]
fn a_matrix_that_was_cut_off_is_refused_with_what_is_missing() {
    let why = |text: &str| PairMatrix::parse(text).expect_err(text).to_string();
    for (text, missing) in [
        (",,,\n10,,,\n", "2 of 4 rows (lines 1-2)"),
        ("0,10,20\n", "1 of 3 rows"),
        (",0,1,2\n0,,,\n1,10,,\n", "2 of 3 rows (lines 1-3)"),
        ("  0 1 2\n0\n1 10\n", "2 of 3 rows"),
        ("  0 1 2\n0\n1 10\n2 20\n", "line 4 has 1 of 2 figures: rows are cut or folded"),
        ("0,1,2\n,,\n10,,\n", "2 of 3 rows"),
    ] {
        assert!(why(text).contains(missing), "{text:?}: {}", why(text));
    }
}

#[test]
fn text_that_can_be_read_in_two_ways_is_refused() {
    for (text, part) in [
        (",10,20\n10,,30\n20,30,\n", "lines 1-3 can be read in several ways"),
        ("5\n10 5\n20 30 5\n", "several ways"),
        ("2\n4 8\n7 20 20\n", "several ways"),
        ("1 2 25.3\n1 3 30.1\n2 3 28\n", "list of pairs"),
        ("0 1 25\n0 2 30\n1 2 28\n", "rows or labels are missing"),
        ("  0 1 2\n0\n1 1,025\n2 1,030 1,040\n", "'1,025' may have a decimal comma"),
        ("cpu;0;1\n0;;\n1;1,234.5;\n", "'1,234.5' may have"),
        ("in cycles\n 0 1 2\n0\n1 8\n2 20 20\n", "figures may be cycles"),
        ("node 0 1\n0: 10 21\n1: 21 10\n", "its rows are nodes"),
        ("10.5\n20 30\n--More--\n40 50 60\n", "rows at line 4-4 may belong"),
        ("a\n 0 1 2\n0\n1 8\n2 20 20\nb\n 0 1 2\n0\n1 9\n2 20 20\n", "at lines 2-5, 7-10"),
        ("cpu 0 1\n0 - 7/8/9\n1 7/8/9 -\n", "no pair of CPUs has a number"),
    ] {
        let why = PairMatrix::parse(text).expect_err(text).to_string();
        assert!(why.contains(part), "{text:?}: {why}");
    }
}

#[test]
fn labels_and_units_are_read_as_they_are_written() {
    for text in [
        "[[0, 10, 20],\n [10, 0, 30.5],\n [20, 30.5, 0]]\n",
        "CPU 0 1 2\n0 - 10 20\n1 10 - 30.5\n2 20 30.5 -\n",
        "us 0 1 2\n0\n1 0.01\n2 0.02 0.0305\n",
        "Latency (us)\n 0 1 2\n0\n1 0.01\n2 0.02 0.0305\n",
        "CPU 0\nCPU 1 10\nCPU 2 20 30.5\n",
        "# 0 1 2\n0 10 20\n10 0 30.5\n20 30.5 0\n",
        " 0 1 2 min max\n0 - 10 20 10 20\n1 10 - 30.5 10 31\n2 20 30.5 - 20 31\nmax 20 31 31\n",
        ",0,±,1,±,2,±\n0,,,,,,\n1,10,±1,,,,\n2,20,±1,30.5,±2,,\n",
    ] {
        let (cpus, mut costs) = read(text);
        costs.dedup();
        assert_eq!((cpus, costs), (vec![0, 1, 2], THREE.to_vec()), "{text:?}");
    }
}

#[test]
fn other_text_is_not_a_matrix() {
    // The first row could be labels, but no others would do for the rows below.
    assert_eq!(
        PairMatrix::parse("1,2\n3,4\n5,6\n7,8\n"),
        Err(NoMatrix::NotSquare { rows: 4, columns: 2 })
    );
    for text in
        ["", "\n\n", ",,,\n,,,\n", "hello\n", "0\n", "hello, world\nhow, are you\n", "\0\0\0"]
    {
        assert_eq!(PairMatrix::parse(text), Err(NoMatrix::NoNumbers), "{text:?}");
    }
    let log = "10:00,1.5,2\n10:01,1.6,3\n10:02,1.7,2\n10:03,1.7,2\n10:04,1.7,2\n";
    assert_eq!(PairMatrix::parse(log), Err(NoMatrix::NoNumbers));
    let wide = ",1".repeat(5_000);
    assert_eq!(PairMatrix::parse(&wide), Err(NoMatrix::TooManyCpus(5_001)));
}

#[test]
fn unreadable_files_are_refused_in_a_line() {
    let folder = tempfile::tempdir().unwrap();
    for (path, why) in [
        (folder.path().join("no.csv"), "No such file"),
        (folder.path().to_owned(), "it is a folder"),
    ] {
        let message = PairMatrix::read(&path).unwrap_err().to_string();
        assert!(message.starts_with("cannot read /") && message.contains(why), "{message}");
    }
    let path = folder.path().join("a.csv");
    std::fs::write(&path, b"\xff\xfe\n10\n20,30.5\n").unwrap();
    assert_eq!(PairMatrix::read(&path).unwrap().costs.len(), 3);
    std::fs::write(&path, "hello").unwrap();
    let message = PairMatrix::read(&path).unwrap_err().to_string();
    assert!(
        message.contains("a.csv holds no matrix of latencies: no pair") && !message.contains('\n'),
        "{message}"
    );
}

proptest! {
    #[test]
    fn no_text_panics(text in "[0-9a-z,;.\t\n #±-]{0,300}", any in ".{0,200}") {
        for text in [text, any] {
            if let Ok(matrix) = PairMatrix::parse(&text) {
                let cpus = matrix.cpus.len();
                let mut places = matrix.costs.iter().flat_map(|pair| [pair.cpus.0, pair.cpus.1]);
                prop_assert!(places.all(|place| place < cpus));
            }
        }
    }

    #[test]
    fn triangles_with_gaps_are_read(
        costs in proptest::collection::vec(proptest::option::weighted(0.8, 1.0f64..1e4), 1..120),
    ) {
        let cpus = (1..).take_while(|n| n * (n - 1) / 2 <= costs.len()).last().unwrap_or(1).max(3);
        let cell = |row: usize, column: usize| {
            let below = column < row;
            below.then(|| costs.get(row * (row - 1) / 2 + column).copied().flatten()).flatten()
        };
        let text_of = |ns: Option<f64>| ns.map_or(String::new(), |ns| ns.to_string());
        let line = |row| {
            let cells = (0..cpus).map(|column| text_of(cell(row, column)));
            cells.collect::<Vec<_>>().join(",")
        };
        let text: Vec<String> = (0..cpus).map(line).collect();
        let pairs = (0..cpus).flat_map(|a| (0..a).map(move |b| (a, b)));
        let wanted = pairs.filter(|&(a, b)| cell(a, b).is_some()).count();
        match PairMatrix::parse(&text.join("\n")) {
            Ok(matrix) => {
                prop_assert_eq!((matrix.costs.len(), matrix.cpus.len()), (wanted, cpus));
                for pair in &matrix.costs {
                    prop_assert_eq!(cell(pair.cpus.0, pair.cpus.1), Some(pair.cost.median_ns));
                }
            }
            Err(why) => prop_assert_eq!((why, wanted), (NoMatrix::NoNumbers, 0)),
        }
    }
}
