//! The sentences of "What to do", by their leading words. Sentences of older releases are known,
//! too, so that one judge compares them.

use nearfar_model::{Bytes, NodeSet};

use super::claim_grammar::ClaimSentence;
use crate::sentences::command::RunCommand;
use crate::sentences::pattern::{capture, more, node, number};

/// A sentence taken apart.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum SurveySentence {
    /// A program that fits into one node.
    OneNode { size: Bytes, run: RunCommand, costs: OneNodeCosts },
    /// CPUs whose nearest memory is another node's.
    NearestIsAnothers { cpus: u32, memory: u32, run: RunCommand, ns: f64, own: CostsMore },
    /// A program that needs several nodes.
    SeveralNodes { sets: Vec<NodeSet>, run: RunCommand, costs: SetCosts },
    /// Memory without CPUs.
    WithoutCpus { memory: u32, from: Vec<FromNodes>, run: RunCommand },
    /// Memory of all CPUs, interleaved.
    Interleaved { run: RunCommand, costs: InterleavedCosts },
    /// Memory of all CPUs, on one node.
    OneForAll { memory: u32, run: RunCommand, one: [f64; 2], interleaved: [f64; 2] },
    /// Placement gains nothing: a ratio that is not exceeded.
    Uniform { at_most: f64 },
    /// Undetermined, with a ratio that is not exceeded where there is one.
    Undetermined { at_most: Option<f64> },
    /// About a table of firmware.
    Claim(ClaimSentence),
    /// About what a described machine's memory does not decide: hidden nodes, pages, handoffs,
    /// bandwidth.
    Other,
}

/// A node whose memory costs more, as a ratio.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct CostsMore {
    pub(super) memory: Option<u32>,
    pub(super) times: f64,
    pub(super) ci95: Option<[f64; 2]>,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum OneNodeCosts {
    /// Of the cell, and of other memory for the same CPUs.
    Cells { ns: f64, others: Vec<CostsMore> },
    /// Of older releases: what "elsewhere" would cost, from and to.
    Elsewhere([f64; 2]),
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum SetCosts {
    /// On average, and with a node exchanged.
    Means([f64; 2]),
    /// Of older releases: from node to node, and of other nodes.
    Apart([f64; 2]),
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum InterleavedCosts {
    /// The most, and the least of what some CPUs need on one node.
    AtMost([f64; 2]),
    /// Of older releases: from the farthest CPUs on one node.
    Farthest(f64),
}

/// What memory costs some nodes' CPUs, from and to.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct FromNodes {
    pub(super) ns: [f64; 2],
    pub(super) nodes: NodeSet,
}

/// Leading words of sentences that a described machine's memory does not decide.
const OTHERS: [&str; 11] = [
    "Compare the memory modules ",
    "Look for the setting ",
    "This machine hides ",
    "Lines are interleaved ",
    "Memory interleaved with the weights ",
    "Huge pages ",
    "A random access is faster ",
    "Run threads that share data ",
    "CPUs differ by ",
    "At least ",
    "No best weights",
];

impl SurveySentence {
    /// Takes a sentence apart; none of a kind that is not known, or with more in it.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let parsers = [
            one_node,
            nearest_is_anothers,
            several_nodes,
            without_cpus,
            interleaved,
            one_for_all,
            uniform,
            undetermined,
        ];
        let parsed = parsers.iter().find_map(|parse| parse(text));
        let is_other = || OTHERS.iter().any(|head| text.starts_with(head));
        parsed
            .or_else(|| ClaimSentence::parse(text).map(Self::Claim))
            .or_else(|| is_other().then_some(Self::Other))
    }
}

impl SurveySentence {
    /// What this kind is called in tables.
    pub(super) fn what(&self) -> &'static str {
        match self {
            Self::OneNode { .. } => "advice: one node",
            Self::NearestIsAnothers { .. } => "advice: nearest is another's",
            Self::SeveralNodes { .. } => "advice: several nodes",
            Self::WithoutCpus { .. } => "advice: memory without CPUs",
            Self::Interleaved { .. } | Self::OneForAll { .. } => "advice: shared memory",
            Self::Uniform { .. } => "advice: uniform",
            Self::Undetermined { .. } => "advice: undetermined",
            Self::Claim(claim) => claim.what(),
            Self::Other => "not about costs of nodes",
        }
    }

    /// The claim that it is about.
    pub(super) fn claim(&self) -> Option<&ClaimSentence> {
        match self {
            Self::Claim(claim) => Some(claim),
            _ => None,
        }
    }

    /// Whether it directs some CPUs to use another node's memory.
    pub(super) fn puts_elsewhere(&self) -> bool {
        match self {
            Self::OneNode { run, .. } => run.cell().is_some_and(|[cpus, memory]| cpus != memory),
            Self::NearestIsAnothers { .. } => true,
            Self::Claim(claim) => matches!(claim, ClaimSentence::OwnNotNearest { .. }),
            _ => false,
        }
    }
}

fn one_node(text: &str) -> Option<SurveySentence> {
    let size = |text: &str| text.replace(' ', "").parse::<SizeText>().ok().map(|size| size.0);
    let older = "Run a program that fits into {} on the CPUs and memory of one node: '{}'. Its \
                 slowest accesses would cost {} to {} % more elsewhere.";
    if let Some(([bytes, run, low, high], "")) = capture(older, text) {
        let costs = OneNodeCosts::Elsewhere(more(low, high)?);
        return Some(SurveySentence::OneNode {
            size: size(bytes)?,
            run: RunCommand::parse(run)?,
            costs,
        });
    }
    let of_two = "Run a program that fits into {} on the CPUs of node {} with the memory of node \
                  {}: '{}' ({} ns). ";
    let (bytes, run, ns, rest) = match capture(of_two, text) {
        Some(([bytes, cpus, memory, run, ns], rest)) => {
            let is_named = RunCommand::parse(run)?.cell() == Some([node(cpus)?, node(memory)?]);
            is_named.then_some((bytes, run, ns, rest))?
        }
        None => {
            let head = "Run a program that fits into {} on one node: '{}' ({} ns). ";
            let ([bytes, run, ns], rest) = capture(head, text)?;
            (bytes, run, ns, rest)
        }
    };
    let rest = rest.strip_suffix('.')?;
    let rest = rest.replace(". Memory of ", ", memory of ");
    let others = rest.split(", memory of ").map(costs_more).collect::<Option<_>>()?;
    let costs = OneNodeCosts::Cells { ns: number(ns)?, others };
    Some(SurveySentence::OneNode { size: size(bytes)?, run: RunCommand::parse(run)?, costs })
}

/// A size as sentences print it: "1.5GiB".
struct SizeText(Bytes);

impl std::str::FromStr for SizeText {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let digits = text.find(char::is_alphabetic).ok_or(())?;
        let (number, unit) = text.split_at(digits);
        let unit: Bytes = format!("1{unit}").parse().map_err(|_| ())?;
        let number: f64 = number.parse().map_err(|_| ())?;
        Ok(Self(Bytes((number * unit.0 as f64) as u64)))
    }
}

/// "Memory of node 1 costs these CPUs 12.0 % more (95 % interval 11.0 to 13.0 %)", "node 2 costs
/// them 30.0 % more (29.0 to 31.0)".
fn costs_more(text: &str) -> Option<CostsMore> {
    let templates = [
        "node {} costs them {} % more ({} to {})",
        "Memory of node {} costs these CPUs {} % more (95 % interval {} to {})",
        "node {} {} % ({} to {})",
    ];
    let ([memory, percent, low, high], rest) =
        templates.iter().find_map(|template| capture(template, text))?;
    rest.is_empty().then_some(())?;
    costing_more(Some(node(memory)?), percent, low, high)
}

fn costing_more(memory: Option<u32>, percent: &str, low: &str, high: &str) -> Option<CostsMore> {
    let times = 1.0 + number(percent)? / 100.0;
    Some(CostsMore { memory, times, ci95: Some(more(low, high)?) })
}

fn nearest_is_anothers(text: &str) -> Option<SurveySentence> {
    let template = "The fastest memory of the CPUs of node {} is node {}'s: '{}' ({} ns). Their \
                    own memory costs them {} % more (95 % interval {} to {}).";
    let ([cpus, memory, run, ns, percent, low, high], "") = capture(template, text)? else {
        return None;
    };
    Some(SurveySentence::NearestIsAnothers {
        cpus: node(cpus)?,
        memory: node(memory)?,
        run: RunCommand::parse(run)?,
        ns: number(ns)?,
        own: costing_more(None, percent, low, high)?,
    })
}

fn several_nodes(text: &str) -> Option<SurveySentence> {
    let ([_, sets, run], rest) =
        capture("Run a program that needs {} nodes on nodes {}: '{}'. ", text)?;
    let sets: Vec<NodeSet> = sets
        .split(", or on ")
        .map(|text| NodeSet::parse_list(text.trim_start_matches("nodes ")).ok())
        .collect::<Option<_>>()?;
    let means = "Memory of these nodes costs their CPUs {} ns on average. With any of them \
                 exchanged for another node, it costs {} ns or more.";
    let older = "Memory of these nodes costs their CPUs {} ns on average, and {} ns or more with \
                 another node in place of one of them.";
    let costs = match (
        capture(means, rest).or_else(|| capture(older, rest)),
        capture("They are {} ns apart, other nodes {} ns or more.", rest),
    ) {
        (Some(([mean, exchanged], "")), _) => SetCosts::Means([number(mean)?, number(exchanged)?]),
        (_, Some(([apart, others], ""))) => SetCosts::Apart([number(apart)?, number(others)?]),
        _ => return None,
    };
    Some(SurveySentence::SeveralNodes { sets, run: RunCommand::parse(run)?, costs })
}

fn without_cpus(text: &str) -> Option<SurveySentence> {
    let template = "Node {} has memory but no CPUs: {}. Use it for rarely used data of the nearest \
                    CPUs: '{}' overflows into it.";
    let ([memory, from, run], "") = capture(template, text)? else { return None };
    let from = from.split(", ").map(from_nodes).collect::<Option<_>>()?;
    Some(SurveySentence::WithoutCpus { memory: node(memory)?, from, run: RunCommand::parse(run)? })
}

/// "120 ns from node 0", "120 to 124 ns from nodes 0-1".
fn from_nodes(text: &str) -> Option<FromNodes> {
    let ([ns], nodes) = capture("{} ns from node", text)?;
    let nodes = NodeSet::parse_list(nodes.trim_start_matches('s').trim()).ok()?;
    let (low, high) = ns.split_once(" to ").unwrap_or((ns, ns));
    Some(FromNodes { ns: [number(low)?, number(high)?], nodes })
}

fn interleaved(text: &str) -> Option<SurveySentence> {
    let ([run], rest) = capture("Interleave memory that all CPUs use: '{}'. ", text)?;
    let at_most = "The CPUs of each node access it in at most {} ns on average. On any one node, \
                   some CPUs need {} ns or more.";
    let older = "On one node, the farthest CPUs access it in {} ns on average.";
    let costs = match (capture(at_most, rest), capture(older, rest)) {
        (Some(([most, single], "")), _) => {
            InterleavedCosts::AtMost([number(most)?, number(single)?])
        }
        (_, Some(([farthest], ""))) => InterleavedCosts::Farthest(number(farthest)?),
        _ => return None,
    };
    Some(SurveySentence::Interleaved { run: RunCommand::parse(run)?, costs })
}

fn one_for_all(text: &str) -> Option<SurveySentence> {
    let template = "Put memory that all CPUs use on node {}: '{}'. Its latency is {} ns on average \
                    and {} ns at most, that of interleaved memory {} and {} ns. Bandwidth was not \
                    compared.";
    let ([memory, run, mean, most, other_mean, other_most], "") = capture(template, text)? else {
        return None;
    };
    Some(SurveySentence::OneForAll {
        memory: node(memory)?,
        run: RunCommand::parse(run)?,
        one: [number(mean)?, number(most)?],
        interleaved: [number(other_mean)?, number(other_most)?],
    })
}

fn uniform(text: &str) -> Option<SurveySentence> {
    let template = "Placement by memory gains nothing: the slowest memory is at most {} % slower \
                    than the fastest. Use the kernel's default.";
    let ([percent], "") = capture(template, text)? else { return None };
    Some(SurveySentence::Uniform { at_most: 1.0 + number(percent)? / 100.0 })
}

fn undetermined(text: &str) -> Option<SurveySentence> {
    let bounds = [
        "Do not assume uniform memory yet, although it differs by at most {} %.",
        "Too uncertain to act on: memory may differ by up to {} %.",
    ];
    let percent = bounds.iter().find_map(|bound| {
        let ([percent], _) = capture(bound, text)?;
        number(percent)
    });
    let is_known = percent.is_some() || text.starts_with("Too uncertain to act on: ");
    is_known.then(|| SurveySentence::Undetermined {
        at_most: percent.map(|percent| 1.0 + percent / 100.0),
    })
}
