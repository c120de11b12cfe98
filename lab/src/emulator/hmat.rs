//! Latencies and bandwidths that firmware claims, of which QEMU makes an HMAT.

use super::Words;
use crate::machine::{Machine, Matrix};

/// An entry of the table has 16 bits, and the last value means "not provided".
const MOST: u64 = u16::MAX as u64 - 1;

/// Rows × columns; absent where nothing is claimed.
type Claims = Vec<Vec<Option<f64>>>;

/// What the HMAT says: what the description claims, and the truth where it claims nothing.
pub(super) fn claims(machine: &Machine, words: &mut Words) {
    let firmware = &machine.description().firmware;
    if !firmware.hmat {
        return;
    }
    let latency_ns = firmware.hmat_latency_ns.clone().unwrap_or_else(|| machine.latency_ns());
    for (pair, ns) in pairs(machine, &known(&latency_ns)) {
        let ns = multiple(ns, 1);
        words.option("-numa", format!("hmat-lb,{pair},hierarchy=memory,data-type=access-latency,latency={ns}"));
    }
    let claimed = firmware.hmat_bandwidth_gb_s.as_ref().map(known);
    let Some(gb_s) = claimed.or_else(|| machine.bandwidth_gb_s()) else { return };
    let mb_s = times(&gb_s, 1e3);
    let base = common_base(&mb_s);
    for (pair, mb_s) in pairs(machine, &mb_s) {
        let mb_s = multiple(mb_s, base);
        words.option("-numa", format!("hmat-lb,{pair},hierarchy=memory,data-type=access-bandwidth,bandwidth={mb_s}M"));
    }
}

fn known(matrix: &Matrix) -> Claims {
    matrix.iter().map(|row| row.iter().copied().map(Some).collect()).collect()
}

fn times(claims: &Claims, factor: f64) -> Claims {
    claims.iter().map(|row| row.iter().map(|claim| claim.map(|number| number * factor)).collect()).collect()
}

/// Each claim with the pair of nodes that it is about.
fn pairs(machine: &Machine, claims: &Claims) -> Vec<(String, f64)> {
    let mut pairs = Vec::new();
    for (initiator, row) in machine.cpu_nodes().zip(claims) {
        for (target, claim) in machine.memory_nodes().zip(row) {
            let pair = format!("initiator={},target={}", initiator.id, target.id);
            pairs.extend(claim.map(|claim| (pair, claim)));
        }
    }
    pairs
}

/// The nearest multiple of the base that the table can hold.
fn multiple(number: f64, base: u64) -> u64 {
    (number / base as f64).round().clamp(1.0, MOST as f64) as u64 * base
}

/// The smallest power of two of which all entries can be multiples with 16 bits.
fn common_base(claims: &Claims) -> u64 {
    let largest = claims.iter().flatten().flatten().copied().fold(0.0, f64::max);
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
        assert_eq!(common_base(&vec![vec![Some(50_000.0), None]]), 1);
        assert_eq!(common_base(&vec![vec![Some(99_833.0), Some(17_594.0)]]), 2);
        assert_eq!(common_base(&vec![vec![Some(400_000.0)]]), 8);
    }
}
