//! Bandwidth as a second witness: what goes through a third node cannot be wider than either half of its way.

use serde::{Deserialize, Serialize};

use super::{Links, Way};
use crate::distances::{Distance, between};
use crate::node_costs::NodeCosts;

/// By so much one path must be wider than another to say anything (5 %).
const MARGIN: f64 = 1.05;
/// And by so many standard errors.
const ERRORS: f64 = 3.0;

/// What bandwidths say of ways that lead through a third node.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Witness {
    /// Ways that are narrower than both their halves, as ways through a third node are.
    pub agrees: Vec<Way>,
    /// Ways that are wider than one of their halves: these nodes seem to be linked all the same.
    pub contradicts: Vec<Way>,
    /// Ways of which the bandwidths say nothing.
    pub silent: usize,
}

/// Asks a matrix of bandwidths (more is better) about the ways found in one of latencies.
pub fn witness(links: &Links, bandwidth: &NodeCosts) -> Witness {
    let mut witness = Witness::default();
    for &way in &links.ways {
        let known = |a, b| between(bandwidth, a, b);
        let (Some(whole), Some(there), Some(on)) = (known(way.a, way.b), known(way.a, way.via), known(way.via, way.b))
        else {
            witness.silent += 1;
            continue;
        };
        let narrower = |a: &Distance, b: &Distance| {
            let margin = MARGIN.ln().max(ERRORS * a.se(bandwidth).hypot(b.se(bandwidth)));
            b.log - a.log > margin
        };
        if narrower(&there, &whole) || narrower(&on, &whole) {
            witness.contradicts.push(way);
        } else if narrower(&whole, &there) && narrower(&whole, &on) {
            witness.agrees.push(way);
        } else {
            witness.silent += 1;
        }
    }
    witness
}
