//! Links: what the same rule makes of the costs that were put in.

use nearfar_infer::NodeCosts;
use nearfar_infer::links::{Links, NoLinks, links};

use super::Judged;

pub(super) fn judge(found: &Links, truth: &NodeCosts) -> Judged {
    let mut judged = Judged::new("links");
    let put_in = match links(truth) {
        Ok(put_in) => put_in,
        Err(NoLinks::OneDistance) => {
            let pairs = found.edges.len() + found.paths.len();
            judged.state(pairs == 0, || {
                format!("{pairs} pairs are linked or not, and all memory is as far as each other")
            });
            return judged;
        }
        Err(_) => return judged,
    };
    let linked =
        |links: &Links, a: u32, b: u32| links.edges.iter().any(|edge| (edge.a, edge.b) == (a, b));
    let apart =
        |links: &Links, a: u32, b: u32| links.paths.iter().any(|path| (path.a, path.b) == (a, b));
    for edge in &found.edges {
        judged.state(!apart(&put_in, edge.a, edge.b), || {
            format!("nodes {} and {} are not linked", edge.a, edge.b)
        });
    }
    for path in &found.paths {
        judged.state(!linked(&put_in, path.a, path.b), || {
            format!("nodes {} and {} are linked", path.a, path.b)
        });
    }
    let open = found
        .open
        .iter()
        .filter(|pair| linked(&put_in, pair.a, pair.b) || apart(&put_in, pair.a, pair.b))
        .count();
    if open > 0 {
        judged.missed.push(format!("whether {open} pairs of nodes are linked"));
    }
    judged
}
