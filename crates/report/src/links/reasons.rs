//! Why nothing is said of distances, links or hops.

use nearfar_infer::{classes, links};

/// Why there are no distance classes.
pub(crate) fn no_classes(reason: &classes::NoClasses) -> String {
    match reason {
        classes::NoClasses::Nothing => {
            "nothing was measured between nodes: measure from at least one node's CPUs".to_owned()
        }
        classes::NoClasses::TooUncertain { cpus, memory, error } => {
            let (how_well, known) = match error {
                Some(error) => ("", format!("known to {:.1} % only", 100.0 * error)),
                None => ("how well ", "known is not known".to_owned()),
            };
            format!(
                "{how_well}the cost of node {memory} from node {cpus} is {known}, and classes \
                 need 1 %: measure more rounds"
            )
        }
        classes::NoClasses::Sentence(sentence) => sentence.clone(),
    }
}

/// Why nothing is said of links.
pub fn no_links(reason: &links::NoLinks) -> String {
    use links::NoLinks::*;
    let said: &str = match reason {
        Unclassified { reason } => &no_classes(reason),
        FewNodes { nodes } => &format!(
            "links are between nodes, and of {nodes} with memory and CPUs to reach it nothing can \
             be told: it takes three"
        ),
        NotMeasured => {
            "the survey holds no latency: 'nearfar survey' or 'nearfar latency' measures it"
        }
        NoSamples => "the survey was kept without samples, before that was told: survey again",
        OneMemory => "the survey has fewer than two nodes with memory",
        OneDistance => {
            "all memory is as far as a node's own, within the classes' 4 %: as far as latency \
             tells there is one memory, and nothing to link"
        }
        Incomplete { a, b } => &format!(
            "the cost between nodes {a} and {b} is not known, and links need every pair: measure \
             all nodes"
        ),
        Sentence(sentence) => sentence,
    };
    said.to_owned()
}

/// Why hops are not counted.
pub(super) fn no_hops(reason: &links::NoHops) -> String {
    use links::NoHops::*;
    match reason {
        UncertainLink { a, b } => format!("whether nodes {a} and {b} are linked is not certain"),
        NoPath { a, b } => format!("no links lead from node {a} to node {b}"),
        MoreHopsNearer { from, nearer, nearer_hops, farther, farther_hops } => format!(
            "from node {from}, node {nearer} is {nearer_hops} hops away and nearer than node \
             {farther}, which is {farther_hops}"
        ),
        Sentence(sentence) => sentence.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_too_uncertain_comes_with_how_uncertain_it_is() {
        let reason = classes::NoClasses::TooUncertain { cpus: 0, memory: 1, error: Some(0.015) };
        let text = "the cost of node 1 from node 0 is known to 1.5 % only, and classes need 1 %: \
                    measure more rounds";
        assert_eq!(no_classes(&reason), text);
        assert_eq!(no_links(&links::NoLinks::Unclassified { reason }), text);
    }
}
