//! Memory spread over nodes: what it costs, and how it is spread best.

use super::document::{cells, is_near, measured, median};
use super::truth::Truth;
use crate::lab::{is_ready, undisturbed};

#[test]
#[ignore = "long: pairs of eight nodes come before it"]
fn memory_spread_over_all_nodes_costs_the_mean() {
    const MACHINE: &str = "epyc-7451-2p";
    const SLOWDOWN: f64 = 10.0;
    if !is_ready("x86_64") {
        return;
    }
    // Streams are not what is looked at.
    let command = "nearfar interleave --quick --cpus 0 --kernels read --window 1 --size 16M \
                   --accesses 8192 --no-samples --json";
    undisturbed(|| {
        let document = measured(MACHINE, SLOWDOWN, command);
        let latency = &document["interleave"]["latency"];
        let spread =
            |weights: &str| cells(latency).find(|cell| cell["weights"] == weights).map(median);
        let all = (0..8).map(|node| format!("{node}=1")).collect::<Vec<_>>().join(",");
        let found =
            spread(&all).ok_or("no visit went through memory interleaved over all nodes")??;
        let truth = Truth::of(MACHINE);
        let mean = (0..8).map(|node| truth.latency(0, node)).sum::<f64>() / 8.0;
        is_near("spread over all nodes, ns", found / SLOWDOWN, mean, 0.05)
    });
}

#[test]
#[ignore = "long: minutes"]
fn a_slow_node_gets_the_weight_that_its_bandwidth_is_worth() {
    const MACHINE: &str = "xeon-2s-slow-node";
    const SLOWDOWN: f64 = 2500.0;
    const LARGEST: u32 = 16;
    if !is_ready("x86_64") {
        return;
    }
    let truth = Truth::of(MACHINE);
    let rate = |near: u32, slow: u32| truth.read_spread(2, 0, &[(0, near), (2, slow)]);
    let weights = (1..=LARGEST).flat_map(|near| (1..=LARGEST).map(move |slow| (near, slow)));
    let (near, slow) = weights.max_by(|&a, &b| rate(a.0, a.1).total_cmp(&rate(b.0, b.1))).unwrap();
    // One step: a page more or fewer for the near node.
    let step = |near: u32| f64::from(near) / f64::from(slow);
    let within = step(near - 1)..=step(near + 1);
    let command = "nearfar interleave --cpus 0-1 --nodes 0,2 --kernels read --no-latency --size \
                   4M --window 2000 --quick --no-samples --json";
    undisturbed(|| {
        let document = measured(MACHINE, SLOWDOWN, command);
        let best = &document["interleave"]["best"][0];
        let found = best["weights"].as_str().ok_or("no best weights")?;
        let of = |node: &str| {
            found
                .split(',')
                .find_map(|part| part.strip_prefix(node)?.parse::<f64>().ok())
                .unwrap_or(0.0)
        };
        let ratio = of("0=") / of("2=");
        eprintln!("weights {found}, {near}:{slow} is best");
        if within.contains(&ratio) {
            Ok(())
        } else {
            Err(format!("{found}, {near}:{slow} is best: {best}"))
        }
    });
}
