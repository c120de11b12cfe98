//! What instruments must find by a machine's description (docs/lab/cost.md, "True figures of busy
//! CPUs"). Figures are the machine's own: ns, and bytes a ns, which are GB/s.

use std::path::Path;

use nearfar_model::NodeSet;
use toml::Value;

const LINE: f64 = 64.0;

/// A description, read anew and not by the lab's own code, which the figures are to be held
/// against.
pub(crate) struct Truth(Value);

impl Truth {
    pub(crate) fn of(machine: &str) -> Self {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("machines/{machine}.toml"));
        Self(toml::from_str(&std::fs::read_to_string(path).unwrap()).unwrap())
    }

    /// How many ns of the lab one of the machine's takes.
    pub(crate) fn slowdown(&self) -> f64 {
        number(&self.0["slowdown"])
    }

    /// What a load costs from one node's CPUs to another's memory.
    pub(crate) fn latency(&self, from: usize, to: usize) -> f64 {
        number(&self.0["latency"]["ns"][from][to])
    }

    /// What a node's memory gives to all together.
    pub(crate) fn node(&self, node: usize) -> f64 {
        let given = &self.0["bandwidth"]["node_gb_s"];
        number(given.get(node).unwrap_or(given))
    }

    /// What `cpus` of a node's CPUs read from a node's memory: as much as they have in flight,
    /// as the memory gives, and as links let through.
    pub(crate) fn read(&self, cpus: usize, from: usize, to: usize) -> f64 {
        let on_their_way = cpus as f64 * self.lines() * LINE / self.latency(from, to);
        on_their_way.min(self.node(to)).min(self.link(from, to))
    }

    /// What `cpus` of a node's CPUs read from memory interleaved over all nodes: what gives
    /// no node and no link more than it can.
    pub(crate) fn read_spread(&self, cpus: usize, from: usize, weights: &[(usize, u32)]) -> f64 {
        let whole: u32 = weights.iter().map(|(_, weight)| weight).sum();
        let shares =
            || weights.iter().map(|&(node, weight)| (node, f64::from(weight) / f64::from(whole)));
        let mean: f64 = shares().map(|(node, share)| share * self.latency(from, node)).sum();
        let limited =
            |(node, share): (usize, f64)| self.node(node).min(self.link(from, node)) / share;
        shares().map(limited).fold(cpus as f64 * self.lines() * LINE / mean, f64::min)
    }

    /// Half a round trip of compare-and-swap between CPUs of two nodes, on a line that is at home
    /// on a third or on one of theirs.
    pub(crate) fn one_way(&self, a: usize, b: usize, home: usize) -> f64 {
        (self.modified(a, b, home) + self.modified(b, a, home)) / 2.0
    }

    /// What a line costs that a CPU of another node has written and still holds.
    pub(crate) fn modified(&self, reader: usize, holder: usize, home: usize) -> f64 {
        let extra = |key| self.0["modified"].get(key).map_or(0.0, number);
        let more = match home {
            _ if reader == holder => 0.0,
            home if home == holder => 0.0,
            home if home == reader => extra("homed_at_reader_extra_ns"),
            _ => extra("homed_elsewhere_extra_ns"),
        };
        number(&self.0["modified"]["ns"][reader][holder]) + more
    }

    /// Lines that a CPU has on their way along streams.
    pub(crate) fn lines(&self) -> f64 {
        number(&self.0["streams"]["lines"])
    }

    fn link(&self, from: usize, to: usize) -> f64 {
        let Some(links) = self.0["bandwidth"].get("link").and_then(Value::as_array) else {
            return f64::INFINITY;
        };
        let lies_between = |link: &&Value| {
            let [one, other] = [0, 1].map(|end| nodes(&link["between"][end]));
            one.contains(&from) && other.contains(&to) || one.contains(&to) && other.contains(&from)
        };
        links
            .iter()
            .filter(lies_between)
            .map(|link| number(&link["gb_s"]))
            .fold(f64::INFINITY, f64::min)
    }
}

fn nodes(list: &Value) -> Vec<usize> {
    let nodes: NodeSet = list.as_str().unwrap().parse().unwrap();
    nodes.iter().map(|node| node.0 as usize).collect()
}

fn number(value: &Value) -> f64 {
    value.as_float().or_else(|| value.as_integer().map(|whole| whole as f64)).unwrap()
}
