//! What a comparison with published figures found, a sentence each.

use nearfar_survey::atlas::{
    AtlasCheck, AtlasComparison, Beside, CheckOutcome, Method, NodeFigure, Published, Quantity,
    Symmetry, SymmetryOf, Unjudged,
};
use nearfar_view::text::count;
use nearfar_view::text::percent::percent;

use crate::pictures::figures::short as figure;

/// What is unusual first, then where the machine lies. A symmetry that is usual stands in one
/// sentence, and only where there is another one.
pub(crate) fn sentences(comparison: &AtlasComparison) -> Vec<String> {
    let checks = &comparison.checks;
    let besides: Vec<String> = checks
        .iter()
        .filter_map(|check| match check {
            AtlasCheck::Beside(one) => Some(beside(one, comparison)),
            _ => None,
        })
        .collect();
    let unusual = checks.iter().filter(|check| !matches!(check, AtlasCheck::Beside(_)));
    let mut all: Vec<String> = unusual
        .filter(|check| check.is_unusual())
        .map(|check| format!("unusual: {}", within(check, comparison.packages)))
        .collect();
    if all.is_empty() && besides.is_empty() {
        return all;
    }
    all.extend(comparison.hypervisor.as_ref().map(|name| {
        format!(
            "guest of {name}: published figures are of machines without a hypervisor, so nothing \
             is called unusual"
        )
    }));
    all.extend(usual(checks));
    all.extend(besides);
    all
}

/// The first unusual check in a clause: "local latency 130 ns is above 105 to 120 ns".
pub fn short(check: &AtlasCheck, comparison: &AtlasComparison) -> String {
    match check {
        AtlasCheck::Beside(beside) => {
            let unit = unit(beside.quantity);
            format!(
                "{} {}{unit}, healthy machines {}{unit}",
                name(beside.quantity),
                span(beside.measured, beside.quantity),
                span(beside.accepted, beside.quantity)
            )
        }
        _ => within(check, comparison.packages),
    }
}

/// The symmetries of a machine that are usual.
fn usual(checks: &[AtlasCheck]) -> Option<String> {
    let parts: Vec<String> = checks
        .iter()
        .filter_map(|check| match check {
            AtlasCheck::Symmetry(one) if !check.is_unusual() => {
                let spread = percent(one.high.median / one.low.median - 1.0);
                Some(format!("{} within {spread}", symmetry_name(one.of)))
            }
            _ => None,
        })
        .collect();
    (!parts.is_empty()).then(|| format!("symmetric: {}", parts.join(", ")))
}

/// What to do about it, where something can be done.
pub(crate) fn advice(check: &AtlasCheck, packages: usize) -> Option<String> {
    let what = within(check, packages);
    let what = what.split(". ").next().unwrap_or_default();
    match check {
        AtlasCheck::AllAlike { .. } | AtlasCheck::FewerNodes { .. } => Some(format!(
            "Look for the setting that interleaves or divides memory: 'nearfar diagnose' names it. \
             Unusual: {what}."
        )),
        AtlasCheck::Symmetry(symmetry) if symmetry.of == SymmetryOf::Bandwidth => Some(format!(
            "Compare the memory modules of nodes {} and {}: 'dmidecode -t memory'. Unusual: \
             {what}.",
            symmetry.low.memory, symmetry.high.memory
        )),
        _ => None,
    }
}

/// What is unusual within the machine, and what to look at.
fn within(check: &AtlasCheck, packages: usize) -> String {
    match check {
        AtlasCheck::Symmetry(symmetry) => asymmetry(symmetry),
        AtlasCheck::AllAlike { spread } => format!(
            "all memory of {} costs the same (within {}). Firmware interleaves it, or \
             the kernel divides it (numa=fake): 'nearfar diagnose' names the setting",
            count(packages, "package"),
            percent(*spread)
        ),
        AtlasCheck::FewerNodes { nodes } => format!(
            "{} on {}. Firmware interleaves memory, or the kernel ignores nodes: \
             'nearfar diagnose' names the setting",
            count(*nodes, "node"),
            count(packages, "package")
        ),
        AtlasCheck::Beside(_) => String::new(),
    }
}

fn asymmetry(Symmetry { of, low, high, limit, .. }: &Symmetry) -> String {
    let apart = match high.median / low.median {
        times @ 2.0.. => format!("{times:.1} times"),
        times => percent(times - 1.0),
    };
    let limit = percent(*limit);
    let place = |cell: &NodeFigure| match of {
        SymmetryOf::ThereAndBack => format!("from node {} to node {}", cell.cpus, cell.memory),
        _ => format!("on node {}", cell.memory),
    };
    let unit = if *of == SymmetryOf::Bandwidth { "GB/s" } else { "ns" };
    let [low_at, high_at] =
        [low, high].map(|cell| format!("{} {unit} {}", figure(cell.median), place(cell)));
    let advice = match of {
        SymmetryOf::Bandwidth => {
            ". Compare the memory modules of both nodes ('dmidecode -t memory')"
        }
        SymmetryOf::Local | SymmetryOf::ThereAndBack => "",
    };
    format!(
        "{} {low_at} and {high_at}, {apart} apart; healthy machines stay within \
         {limit}{advice}",
        symmetry_name(*of)
    )
}

const fn symmetry_name(of: SymmetryOf) -> &'static str {
    match of {
        SymmetryOf::Local => "local latency",
        SymmetryOf::ThereAndBack => "latency there and back",
        SymmetryOf::Bandwidth => "local reads",
    }
}

/// "local 112 ns; published for AMD EPYC 9654, NPS1: 105 to 128 ns (4 sources: MLC)".
fn beside(one: &Beside, comparison: &AtlasComparison) -> String {
    let (quantity, unit) = (one.quantity, unit(one.quantity));
    let family = comparison.family.as_deref().unwrap_or("its family");
    let of = match quantity {
        Quantity::BandwidthShare => "machines with known channels".to_owned(),
        Quantity::Ratio => format!("{family}{}", mode(comparison)),
        _ if one.of_family => {
            format!("its family {family}{} (no row is of this model)", mode(comparison))
        }
        _ => format!("this model{}", mode(comparison)),
    };
    let is_share = quantity == Quantity::BandwidthShare;
    let explained = match is_share {
        true => format!("no less than {}{unit}", span([one.accepted[0]; 2], quantity)),
        false => format!("{}{unit}", span(one.accepted, quantity)),
    };
    let ([low, high], [lowest, highest]) = (one.measured, one.published.range);
    let is_outside = low < lowest || high > highest && !is_share;
    let (head, outcome) = match one.outcome {
        CheckOutcome::NotJudged(Unjudged::Guest) => ("", String::new()),
        CheckOutcome::NotJudged(Unjudged::FewRows) => {
            ("not judged: ", "; too few rows to judge".to_owned())
        }
        CheckOutcome::Usual if is_outside => {
            ("usual: ", format!("; other methods explain {explained}"))
        }
        CheckOutcome::Usual => ("usual: ", String::new()),
        CheckOutcome::Unusual => ("unusual: ", format!("; other methods explain {explained}")),
    };
    format!(
        "{head}{} {}{unit}; published for {of}: {}{unit} ({}){outcome}",
        name(quantity),
        span(one.measured, quantity),
        span(one.published.range, quantity),
        behind(&one.published)
    )
}

/// "4 sources: MLC, MLC random": names of methods lose their comma in a list.
fn behind(published: &Published) -> String {
    let methods = published.methods.iter().map(|method| Method::name(*method).replace(',', ""));
    let methods: Vec<String> = methods.collect();
    format!("{}: {}", count(published.sources, "source"), methods.join(", "))
}

/// ", NPS4"; for others than AMD ", 2 nodes a package"; nothing where a package is a node.
fn mode(comparison: &AtlasComparison) -> String {
    match comparison.nodes_per_package {
        Some(nodes) if comparison.model.contains("EPYC") => format!(", NPS{nodes}"),
        Some(nodes) if nodes > 1 => format!(", {} a package", count(nodes, "node")),
        _ => String::new(),
    }
}

const fn name(quantity: Quantity) -> &'static str {
    match quantity {
        Quantity::Ratio => "remote/local",
        Quantity::BandwidthShare => "reads of what the memory channels could deliver:",
        Quantity::LocalNs => "local",
        Quantity::RemoteNs => "remote",
    }
}

const fn unit(quantity: Quantity) -> &'static str {
    match quantity {
        Quantity::Ratio => "",
        Quantity::BandwidthShare => " %",
        Quantity::LocalNs | Quantity::RemoteNs => " ns",
    }
}

/// "84.0", "81.1 to 90.2".
fn span([low, high]: [f64; 2], quantity: Quantity) -> String {
    let scale = if quantity == Quantity::BandwidthShare { 100.0 } else { 1.0 };
    let [low, high] = [low, high].map(|value| figure(value * scale));
    if low == high { low } else { format!("{low} to {high}") }
}
