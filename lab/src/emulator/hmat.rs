//! Latencies and bandwidths that firmware claims, for QEMU's HMAT.

use super::Words;
use crate::machine::LabMachine;

/// An entry of the table has 16 bits, and the last value means "not provided".
const MOST: u64 = u16::MAX as u64 - 1;

/// The HMAT's content: what the description claims, and the truth where it claims nothing.
pub(super) fn claims(machine: &LabMachine, words: &mut Words) {
    let firmware = &machine.description.firmware;
    if !firmware.hmat {
        return;
    }
    let latency_ns = firmware.hmat_latency_ns.clone().unwrap_or_else(|| machine.latency_ns());
    for (pair, ns) in pairs(machine, &latency_ns) {
        let ns = multiple(ns, 1);
        words.option(
            "-numa",
            format!("hmat-lb,{pair},hierarchy=memory,data-type=access-latency,latency={ns}"),
        );
    }
    let claimed = firmware.hmat_bandwidth_gb_s.as_ref().map(|claimed| pairs(machine, claimed));
    let gb_s = claimed.unwrap_or_else(|| {
        let truth = pairs(machine, &machine.bandwidth_gb_s().unwrap_or_default());
        truth.into_iter().filter_map(|(pair, gb_s)| Some((pair, gb_s?))).collect()
    });
    let base = common_base(gb_s.iter().map(|(_, gb_s)| gb_s * 1e3).fold(0.0, f64::max));
    for (pair, gb_s) in gb_s {
        let mb_s = multiple(gb_s * 1e3, base);
        words.option(
            "-numa",
            format!("hmat-lb,{pair},hierarchy=memory,data-type=access-bandwidth,bandwidth={mb_s}M"),
        );
    }
}

/// Each figure with the pair of nodes that it is about.
fn pairs<T: Copy>(machine: &LabMachine, figures: &[Vec<T>]) -> Vec<(String, T)> {
    let mut pairs = Vec::new();
    for (initiator, row) in machine.cpu_nodes().zip(figures) {
        for (target, figure) in machine.memory_nodes().zip(row) {
            pairs.push((format!("initiator={},target={}", initiator.id, target.id), *figure));
        }
    }
    pairs
}

/// The nearest multiple of the base that the table can hold.
fn multiple(number: f64, base: u64) -> u64 {
    (number / base as f64).round().clamp(1.0, MOST as f64) as u64 * base
}

/// The smallest power of two whose 16-bit multiples are all entries.
fn common_base(largest: f64) -> u64 {
    let mut base = 1;
    while largest / base as f64 > MOST as f64 && base < 1 << 32 {
        base *= 2;
    }
    base
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_bandwidths_share_a_base_that_16_bits_can_hold() {
        assert_eq!(common_base(50_000.0), 1);
        assert_eq!(common_base(99_833.0), 2);
        assert_eq!(common_base(400_000.0), 8);
    }
}
