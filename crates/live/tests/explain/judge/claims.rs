//! What a text claims, read from its sentences alone.

use nearfar_model::NodeSet;

/// The node of the thread, if it is named, and of the page.
pub(crate) type NamedAccess = (Option<usize>, usize);

/// An end of a bound in per cent more time, and the access that it names.
#[derive(Clone, Copy, Debug)]
pub(crate) struct End {
    pub(crate) percent: f64,
    pub(crate) access: Option<NamedAccess>,
}

/// What a cure would do.
#[derive(Clone, Debug)]
pub(crate) enum Remedy {
    Pages(Vec<usize>),
    Threads(usize),
    Balancing,
}

/// A line of "What may help".
#[derive(Clone, Debug)]
pub(crate) struct CureClaim {
    pub(crate) remedy: Remedy,
    pub(crate) bounds: Option<[End; 2]>,
    pub(crate) is_always_faster: bool,
    pub(crate) may_be_slower: bool,
}

/// Everything that a text claims.
#[derive(Clone, Debug)]
pub(crate) struct Claims {
    /// "79 ns (pages on node 0)".
    pub(crate) times: Vec<(f64, Option<NamedAccess>)>,
    pub(crate) cost: Option<[f64; 2]>,
    pub(crate) verdict: String,
    pub(crate) cures: Vec<CureClaim>,
    /// Whether it claims something of the located pages only.
    pub(crate) is_of_located: bool,
}

impl Claims {
    pub(crate) fn read(text: &str) -> Self {
        let mut lines: Vec<String> = Vec::new();
        for line in text.lines() {
            match lines.last_mut().filter(|_| line.starts_with("     ")) {
                Some(last) => *last = format!("{last} {}", line.trim()),
                None => lines.push(line.to_owned()),
            }
        }
        let labelled = |label: &str| lines.iter().find_map(|line| line.strip_prefix(label));
        let cost = labelled("Cost ").unwrap_or_default();
        Self {
            times: times(cost),
            cost: cost_bounds(cost),
            verdict: labelled("Verdict ").unwrap_or_default().trim().to_owned(),
            cures: lines.iter().filter_map(|line| cure(line.strip_prefix("  -  ")?)).collect(),
            is_of_located: text.contains("located"),
        }
    }
}

fn number(text: &str) -> f64 {
    text.trim().parse().unwrap_or_else(|_| panic!("a number: {text}"))
}

fn between<'t>(text: &'t str, before: &str, after: &str) -> Option<&'t str> {
    let rest = &text[text.find(before)? + before.len()..];
    Some(&rest[..rest.find(after)?])
}

/// "(pages on node 1)", "(from node 0 to pages on node 1)".
fn access(text: &str) -> Option<NamedAccess> {
    let inner = between(text, "(", ")")?;
    let memory = inner.rsplit("node ").next()?.trim().parse().ok()?;
    Some((between(inner, "from node ", " ").map(|node| number(node) as usize), memory))
}

/// Splits at " to " outside of parentheses.
fn ends(text: &str) -> Vec<String> {
    let (mut all, mut inside) = (vec![String::new()], false);
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        inside = (inside || letter == '(') && letter != ')';
        if !inside && rest.starts_with(" to ") {
            all.push(String::new());
            rest = &rest[4..];
            continue;
        }
        all.last_mut().unwrap().push(letter);
        rest = &rest[letter.len_utf8()..];
    }
    all
}

fn times(cost: &str) -> Vec<(f64, Option<NamedAccess>)> {
    let Some(claim) = cost.split("An access takes ").nth(1) else { return Vec::new() };
    let claim = claim.split([':', '.']).next().unwrap_or_default();
    ends(claim).iter().map(|end| (number(end.split(" ns").next().unwrap()), access(end))).collect()
}

fn cost_bounds(cost: &str) -> Option<[f64; 2]> {
    if cost.contains("no memory that it may use is faster") {
        return Some([0.0, 0.0]);
    }
    if let Some(most) = between(cost, "That is at most ", " %") {
        return Some([0.0, number(most)]);
    }
    let claim = between(cost, "That is ", " longer")?;
    let ends: Vec<f64> = claim.split(" to ").map(|end| number(end.trim_end_matches('%'))).collect();
    Some([ends[0], *ends.last()?])
}

fn cure(line: &str) -> Option<CureClaim> {
    let remedy = if let Some(node) = between(line, "Move its memory to node ", ":") {
        Remedy::Pages(vec![number(node) as usize])
    } else if let Some(node) = between(line, "Move its threads to node ", ":") {
        Remedy::Threads(number(node) as usize)
    } else if let Some(list) = between(line, "--interleave ", " PROGRAM") {
        let nodes = NodeSet::parse_list(list).unwrap();
        Remedy::Pages(nodes.iter().map(|node| node.0 as usize).collect())
    } else {
        assert!(line.contains("numa_balancing"), "a cure of no known kind: {line}");
        Remedy::Balancing
    };
    Some(CureClaim {
        remedy,
        bounds: between(line, "An access takes ", ".").map(bounds),
        is_always_faster: line.contains("It is faster, whichever pages"),
        may_be_slower: line.contains("It may be slower"),
    })
}

fn bounds(claim: &str) -> [End; 2] {
    let end = |text: &String| {
        let percent = match text {
            unchanged if unchanged.starts_with("as long as now") => 0.0,
            less if less.contains("less") => -number(less.split(" %").next().unwrap()),
            more => number(more.split(" %").next().unwrap()),
        };
        End { percent, access: access(text) }
    };
    let ends: Vec<End> = ends(claim).iter().map(end).collect();
    [ends[0], *ends.last().unwrap()]
}
