//! Why distances, links or hops are undetermined.

use nearfar_infer::{classes, links};

/// Why there are no distance classes.
pub(crate) fn no_classes(reason: &classes::NoClasses) -> String {
    match reason {
        classes::NoClasses::Nothing => {
            "no pair of nodes was measured: measure from the CPUs of at least one node".to_owned()
        }
        classes::NoClasses::TooUncertain { cpus, memory, error } => {
            let error = match error {
                Some(error) => format!("an error of {:.1} %", 100.0 * error),
                None => "an unknown error".to_owned(),
            };
            format!(
                "the latency of node {memory} from node {cpus} has {error}, and classes need 1 %: \
                 measure more rounds"
            )
        }
    }
}

/// Why links are undetermined.
pub fn no_links(reason: &links::NoLinks) -> String {
    use links::NoLinks::*;
    let text: &str = match reason {
        Unclassified { reason } => &no_classes(reason),
        FewNodes { nodes } => {
            &format!("links need three nodes with CPUs and memory, and there are {nodes}")
        }
        NotMeasured => {
            "the survey holds no latency: 'nearfar survey' or 'nearfar latency' measures it"
        }
        NoSamples => "the survey was saved without samples: survey again",
        OneMemory => "the survey has fewer than two nodes with memory",
        OneDistance => {
            "all memory is as near as local memory, within 4 %: latency shows one memory and no \
             links"
        }
        Incomplete { a, b } => &format!(
            "the latency between nodes {a} and {b} is unknown, and links need every pair: measure \
             all nodes"
        ),
    };
    text.to_owned()
}

/// Why hops are not counted.
pub(super) fn no_hops(reason: &links::NoHops) -> String {
    use links::NoHops::*;
    match reason {
        UncertainLink { a, b } => format!("the link between nodes {a} and {b} is uncertain"),
        NoPath { a, b } => format!("no links lead from node {a} to node {b}"),
        MoreHopsNearer { from, nearer, nearer_hops, farther, farther_hops } => format!(
            "from node {from}, node {nearer} at {nearer_hops} hops is nearer than node {farther} \
             at {farther_hops}"
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uncertain_latencies_have_their_error() {
        let reason = classes::NoClasses::TooUncertain { cpus: 0, memory: 1, error: Some(0.015) };
        let text = "the latency of node 1 from node 0 has an error of 1.5 %, and classes need 1 %: \
                    measure more rounds";
        assert_eq!(no_classes(&reason), text);
        assert_eq!(no_links(&links::NoLinks::Unclassified { reason }), text);
    }
}
