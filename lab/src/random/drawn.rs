//! A machine drawn by a seed, as the text of a description.

use std::fmt::Write as _;

use fastrand::Rng;

/// What the lab's own charges should come to at least, in its nanoseconds.
pub(super) const MIN_LAB_NS: f64 = 900.0;

/// Memory of all nodes together, in MiB: what a lab's machine may have.
pub(super) const MAX_MIB: usize = 2048;

/// The least distance of another node: Linux refuses a table with 10 off the diagonal.
const MIN_REMOTE: f64 = 11.0;

/// What the kernel learns of the nodes.
#[derive(Clone, Copy, PartialEq)]
enum Shown {
    Nodes,
    /// One: firmware describes no more.
    OneNode,
    /// One: `numa=off`.
    NumaOff,
    /// One, whose lines firmware alternates between them.
    Lines,
}

/// Describes a machine; the same seed gives the same one.
pub(crate) fn description(seed: u64) -> String {
    let mut rng = Rng::with_seed(seed);
    let packages = rng.usize(1..=4);
    let per_package = if packages > 2 { 1 } else { rng.usize(1..=3) };
    let with_cpus = (packages * per_package).max(2);
    let shown = match rng.u8(..10) {
        0 | 1 => Shown::OneNode,
        2 => Shown::NumaOff,
        3 => Shown::Lines,
        _ => Shown::Nodes,
    };
    let nodes = with_cpus + usize::from(shown != Shown::Lines && rng.u8(..4) == 0);
    let is_arm = matches!(shown, Shown::Nodes | Shown::OneNode) && rng.u8(..5) == 0;
    let costs = costs(&mut rng, with_cpus, nodes, per_package);
    let local = costs[0][0];
    let mut text = format!(
        "# Drawn by 'nearfar-lab random --seed {seed} --family mixed'.\nsummary = \"drawn by seed \
         {seed}: {nodes} nodes, {with_cpus} with CPUs{}\"\narch = \"{}\"\npackages = {}\nslowdown \
         = {}\nseed = {seed}\n",
        match shown {
            Shown::Nodes => "",
            Shown::OneNode => ", hidden by firmware",
            Shown::NumaOff => ", hidden by numa=off",
            Shown::Lines => ", interleaved by lines",
        },
        if is_arm { "aarch64" } else { "x86_64" },
        if with_cpus % packages == 0 { packages } else { 1 },
        (MIN_LAB_NS / local).ceil(),
    );
    match shown {
        Shown::NumaOff => text += "kernel_args = \"numa=off\"\n",
        Shown::Lines => text += "interleave = \"lines\"\n",
        _ => {}
    }
    let most = if shown == Shown::Nodes { 256 } else { 384 };
    let size = most.min(MAX_MIB / nodes / 64 * 64);
    for node in 0..nodes {
        let cpus = if node < with_cpus {
            format!("cpus = \"{}-{}\"\n", 2 * node, 2 * node + 1)
        } else {
            String::new()
        };
        let _ = write!(text, "\n[[node]]\nid = {node}\n{cpus}memory = \"{size}M\"\n");
    }
    text += "\n[latency]\nns = [\n";
    for row in &costs {
        let row: Vec<String> = row.iter().map(|ns| format!("{ns:.1}")).collect();
        let _ = writeln!(text, "  [{}],", row.join(", "));
    }
    text += "]\n";
    text + &firmware(&mut rng, shown, &costs, nodes)
}

/// Nodes with CPUs by all nodes: near in a package, farther to others, farthest to memory alone.
/// One machine in four is uniform.
fn costs(rng: &mut Rng, with_cpus: usize, nodes: usize, per_package: usize) -> Vec<Vec<f64>> {
    let between = |rng: &mut Rng, low: f64, high: f64| low + (high - low) * rng.f64();
    let local = between(rng, 70.0, 130.0);
    let is_uniform = rng.u8(..4) == 0;
    let in_package = between(rng, 1.12, 1.6);
    let beyond = in_package * between(rng, 1.15, 2.0);
    let expander = between(rng, 2.0, 3.0);
    let mut far = vec![vec![1.0; nodes]; nodes];
    let pairs = (0..nodes).flat_map(|a| (a + 1..nodes).map(move |b| (a, b)));
    for (a, b) in pairs {
        let ratio = if b >= with_cpus {
            expander
        } else if a / per_package == b / per_package {
            in_package
        } else {
            beyond
        };
        // Routes of one kind are not quite alike, and the same both ways.
        let ratio = ratio * between(rng, 0.99, 1.01);
        (far[a][b], far[b][a]) = (ratio, ratio);
    }
    let cost = |a: usize, b: usize| if is_uniform { local } else { local * far[a][b] };
    (0..with_cpus).map(|a| (0..nodes).map(|b| cost(a, b)).collect()).collect()
}

/// Firmware's claims: nothing, no distances, true ones, or true ones with a lie in each direction
/// of one pair.
fn firmware(rng: &mut Rng, shown: Shown, costs: &[Vec<f64>], nodes: usize) -> String {
    if matches!(shown, Shown::OneNode | Shown::Lines) {
        return "\n[firmware]\ndescribes = \"one-node\"\n".to_owned();
    }
    let kind = rng.u8(..3);
    if kind == 0 {
        return String::new();
    }
    let local = costs[0][0];
    let cost = |a: usize, b: usize| {
        costs
            .get(a)
            .or_else(|| costs.get(b))
            .map_or(local, |row| row[if a < costs.len() { b } else { a }])
    };
    let claimed = |a: usize, b: usize| {
        if a == b { 10 } else { (10.0 * cost(a, b) / local).round().clamp(MIN_REMOTE, 254.0) as u8 }
    };
    let mut slit: Vec<Vec<u8>> =
        (0..nodes).map(|a| (0..nodes).map(|b| claimed(a, b)).collect()).collect();
    if kind == 1 {
        let (a, b) = (rng.usize(..costs.len()), rng.usize(..nodes));
        if a != b {
            // Far off, either way; what is near already can only be called far.
            let is_far = slit[a][b] >= 15;
            let lie = if is_far && rng.bool() {
                MIN_REMOTE as u8
            } else {
                slit[a][b].saturating_mul(2).min(254)
            };
            (slit[a][b], slit[b][a]) = (lie, lie);
        }
    }
    let rows: Vec<String> = slit
        .iter()
        .map(|row| format!("  [{}],", row.iter().map(u8::to_string).collect::<Vec<_>>().join(", ")))
        .collect();
    format!("\n[firmware]\nslit = [\n{}\n]\n", rows.join("\n"))
}
