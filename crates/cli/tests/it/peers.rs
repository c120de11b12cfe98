//! How `./dev bench peers` parses other programs: each text is the output of one on Debian 12.

#[path = "../../benches/peers/parse.rs"]
mod parse;

const MIB: f64 = 1048576.0;

fn near(figure: Option<f64>, expected: f64) {
    let figure = figure.expect("a figure");
    assert!((figure / expected - 1.0).abs() < 1e-6, "{figure}, not {expected}");
}

#[test]
fn mbws_average_counts_reads_and_writes() {
    let text = "\
0\tMethod: MEMCPY\tElapsed: 0.12060\tMiB: 256.00000\tCopy: 2122.649 MiB/s
1\tMethod: MEMCPY\tElapsed: 0.13020\tMiB: 256.00000\tCopy: 1966.251 MiB/s
AVG\tMethod: MEMCPY\tElapsed: 0.12776\tMiB: 256.00000\tCopy: 2003.788 MiB/s
";
    near(parse::mbw(text), 2.0 * 2003.788 * MIB);
    assert_eq!(
        parse::mbw("0\tMethod: MEMCPY\tElapsed: 0.12060\tMiB: 256.00000\tCopy: 2122.649 MiB/s\n"),
        None
    );
}

#[test]
fn perf_bench_reports_gibibytes() {
    let text = "\
# Running 'mem/memcpy' benchmark:
# function 'default' (Default memcpy() provided by glibc)
# Copying 256MB bytes ...

       3.286378 GB/sec
";
    let gib = 1024.0 * MIB;
    near(parse::perf_bench(text, true), 2.0 * 3.286378 * gib);
    near(parse::perf_bench(text, false), 3.286378 * gib);
    near(parse::perf_bench("\n     968.481592 MB/sec\n", false), 968.481592 * MIB);
    assert_eq!(
        parse::perf_bench("Failed to allocate memory - maybe size (1GB) is too large?\n", true),
        None
    );
}

#[test]
fn sysbench_has_its_rate_in_brackets() {
    let text = "\
Total operations: 23 (   11.21 per second)

5888.00 MiB transferred (2870.14 MiB/sec)


General statistics:
    total time:                          2.0501s
";
    near(parse::sysbench(text), 2870.14 * MIB);
    assert_eq!(parse::sysbench("FATAL: Invalid value for memory-oper: move"), None);
}

#[test]
fn stress_ngs_instances_are_summed() {
    let text = "\
stress-ng: info:  [27710] dispatching hogs: 2 stream
stress-ng: info:  [27723] stream: Using CPU cache size of 65536K
stress-ng: info:  [27723] stream: memory rate: 2613.44 MB read/sec, 1742.30 MB write/sec, 228.37 \
                Mflop/sec (instance 0)
stress-ng: info:  [27724] stream: memory rate: 2773.50 MB read/sec, 1849.00 MB write/sec, 242.35 \
                Mflop/sec (instance 1)
stress-ng: info:  [27710] successful run completed in 6.61s
";
    near(parse::stress_ng(text, 2), (2613.44 + 1742.30 + 2773.50 + 1849.00) * MIB);
    assert_eq!(parse::stress_ng(text, 3), None);
}

#[test]
fn numademos_first_average_is_without_policy() {
    let text = "\
1 nodes available
memory with no policy memcpy              Avg 8435.13 MB/s Max 11135.17 MB/s Min 6096.37 MB/s
local memory memcpy                       Avg 17562.59 MB/s Max 27912.60 MB/s Min 10339.15 MB/s
";
    near(parse::numademo(text), 8435.13e6);
    assert_eq!(parse::numademo("A minimum of 2 nodes is required for this test.\n"), None);
}

#[test]
fn core_to_core_latency_has_one_figure_for_two_cpus() {
    let text = "\
,
576.7646166666667,
CPU: Intel(R) Xeon(R) Processor
Num cores: 2
Num iterations per samples: 1000
Num samples: 60

1) CAS latency on a single shared cache line

           0       1   
      0
      1  577±13

    Min  latency: 576.8ns ±394.5 cores: (1,0)
";
    near(parse::core_to_core_latency(text), 576.7646166666667);
    assert_eq!(parse::core_to_core_latency("error: The argument '-c' needs values\n"), None);
}
