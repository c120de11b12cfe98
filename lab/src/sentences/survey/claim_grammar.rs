//! Sentences about tables of firmware.

use crate::sentences::command::RunCommand;
use crate::sentences::pattern::{capture, more, node, number};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FirmwareTable {
    Slit,
    Hmat,
}

/// A sentence about one, taken apart.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum ClaimSentence {
    /// Own memory is not the nearest.
    OwnNotNearest { cpus: u32, nearer: u32, by: CostsBy, run: Option<RunCommand> },
    /// The memory that is claimed to be nearer is farther.
    Inverted {
        table: FirmwareTable,
        cpus: u32,
        claimed: u32,
        nearer: u32,
        by: CostsBy,
        run: Option<RunCommand>,
    },
    /// Equal claims for memories that differ.
    EqualDiffers {
        table: FirmwareTable,
        cpus: u32,
        nodes: [u32; 2],
        farther: u32,
        by: CostsBy,
        run: Option<RunCommand>,
    },
    /// One figure for memories of several costs.
    Merged { table: FirmwareTable, figure: f64, costs: Vec<f64>, example: Option<Example> },
    /// One figure for all remote memory.
    Placeholder { table: FirmwareTable, figure: f64, costs: Vec<f64>, example: Option<Example> },
    /// Claims that differ where memory does not.
    Uniform { table: FirmwareTable, claimed: f64, within: f64 },
    /// A figure beside the measured one.
    Figure(FigureSentence),
    /// Claimed to be unreachable.
    Unreachable { cpus: u32, memory: u32, run: Option<RunCommand> },
    /// No order.
    ByChance { table: FirmwareTable, tau: f64 },
}

/// A ratio of costs, and its interval where there is one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct CostsBy {
    pub(super) times: f64,
    pub(super) ci95: Option<[f64; 2]>,
}

impl CostsBy {
    /// "12.0 %", "12.0 % (95 % interval 11.0 to 13.0)".
    fn parse(text: &str) -> Option<Self> {
        let with = capture("{} % (95 % interval {} to {})", text);
        if let Some(([percent, low, high], "")) = with {
            return Some(Self { times: times(percent)?, ci95: Some(more(low, high)?) });
        }
        Some(Self { times: times(text)?, ci95: None })
    }
}

/// A memory that is near, and a command that uses it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Example {
    pub(super) cpus: u32,
    pub(super) memory: u32,
    pub(super) run: RunCommand,
}

/// "For node 1 from node 0, SLIT claims 3.20 times the local latency. Measured: 1.50 times".
#[derive(Clone, Debug, PartialEq)]
pub(super) struct FigureSentence {
    pub(super) table: FirmwareTable,
    pub(super) cpus: u32,
    pub(super) memory: u32,
    /// A ratio to local memory (SLIT), or ns.
    pub(super) claimed: f64,
    pub(super) measured: f64,
    pub(super) ci95: Option<[f64; 2]>,
    pub(super) others: Option<OtherCells>,
    pub(super) run: Option<RunCommand>,
}

/// Further cells that contradict the claim: how many, and what was measured, from and to.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct OtherCells {
    pub(super) count: usize,
    pub(super) measured: Option<[f64; 2]>,
}

impl ClaimSentence {
    pub(super) fn parse(text: &str) -> Option<Self> {
        let parsers = [own_not_nearest, inverted, equal_differs, figure_of_several];
        let parsed = parsers.iter().find_map(|parse| parse(text));
        let further = [uniform, figure, unreachable, by_chance];
        parsed.or_else(|| further.iter().find_map(|parse| parse(text)))
    }
}

fn table(text: &str) -> Option<(FirmwareTable, &str)> {
    let slit = text.strip_prefix("SLIT ").map(|rest| (FirmwareTable::Slit, rest));
    slit.or_else(|| text.strip_prefix("HMAT ").map(|rest| (FirmwareTable::Hmat, rest)))
}

/// "12.0 % more" as a ratio.
fn times(percent: &str) -> Option<f64> {
    Some(1.0 + number(percent)? / 100.0)
}

/// The only command that a text quotes; an error where there are more, or one of another program.
fn command(text: &str) -> Option<Option<RunCommand>> {
    let quoted: Vec<&str> = text.split('\'').skip(1).step_by(2).collect();
    match quoted[..] {
        [] => Some(None),
        [one] => Some(Some(RunCommand::parse(one)?)),
        _ => None,
    }
}

fn own_not_nearest(text: &str) -> Option<ClaimSentence> {
    let templates = [
        "The CPUs of node {} get lower latency from node {} than from their own memory, by {}: \
         '{}'.",
        "For the CPUs of node {}, memory of node {} is nearer than their own, which costs {} more: \
         '{}'.",
    ];
    let found = templates.iter().find_map(|template| capture(template, text));
    let bare = "For the CPUs of node {}, memory of node {} is nearer than their own, which costs \
                {} more.";
    let (cpus, nearer, by, run) = match (found, capture(bare, text)) {
        (Some(([cpus, nearer, by, run], "")), _) => {
            (cpus, nearer, by, Some(RunCommand::parse(run)?))
        }
        (_, Some(([cpus, nearer, by], ""))) => (cpus, nearer, by, None),
        _ => return None,
    };
    let (cpus, nearer, by) = (node(cpus)?, node(nearer)?, CostsBy::parse(by)?);
    Some(ClaimSentence::OwnNotNearest { cpus, nearer, by, run })
}

fn inverted(text: &str) -> Option<ClaimSentence> {
    let (table, rest) = table(text)?;
    let head = "claims that node {} is nearer to node {} than node {}. Measured, node {} ";
    let ([claimed, cpus, nearer, named], rest) = capture(head, rest)?;
    // Older releases name the nearer one, and the difference as what is nearer.
    let older = capture("is nearer by {}. When", rest).map(|found| (nearer, found));
    let ([by], tail, expected) = match older {
        Some((nearer, (by, tail))) => (by, tail, nearer),
        None => capture("costs {} more. When", rest).map(|(by, tail)| (by, tail, claimed))?,
    };
    (named == expected).then_some(())?;
    Some(ClaimSentence::Inverted {
        table,
        cpus: node(cpus)?,
        claimed: node(claimed)?,
        nearer: node(nearer)?,
        by: CostsBy::parse(by)?,
        run: command(tail)?,
    })
}

fn equal_differs(text: &str) -> Option<ClaimSentence> {
    let (table, rest) = table(text)?;
    let head = "claims that nodes {} and {} are equally far from node {}. Measured, node {} ";
    let ([a, b, cpus, farther], rest) = capture(head, rest)?;
    let ([by], tail) =
        capture("is farther by {}. ", rest).or_else(|| capture("costs {} more.", rest))?;
    Some(ClaimSentence::EqualDiffers {
        table,
        cpus: node(cpus)?,
        nodes: [node(a)?, node(b)?],
        farther: node(farther)?,
        by: CostsBy::parse(by)?,
        run: command(tail)?,
    })
}

/// One figure for several costs: of some memory, or of all that is remote.
fn figure_of_several(text: &str) -> Option<ClaimSentence> {
    let (table, rest) = table(text)?;
    let merged = "has the same figure, {}, for memory of {} ns. Programs that use it cannot \
                  distinguish near from far.";
    let placeholder = "has the figure {} for all remote memory, which takes {} ns. The table is a \
                       placeholder: use the measured matrix.";
    let (is_merged, ([figure, costs], tail)) = match capture(merged, rest) {
        Some(found) => (true, found),
        None => (false, capture(placeholder, rest)?),
    };
    let costs = costs.replace(" and ", ", ");
    let costs: Vec<f64> = costs.split(", ").map(number).collect::<Option<_>>()?;
    let (figure, example) = (number(figure)?, example(tail)?);
    Some(match is_merged {
        true => ClaimSentence::Merged { table, figure, costs, example },
        false => ClaimSentence::Placeholder { table, figure, costs, example },
    })
}

/// " For example, node 1 is near node 0: '...'.", or nothing.
fn example(text: &str) -> Option<Option<Example>> {
    if text.is_empty() {
        return Some(None);
    }
    let ([memory, cpus, run], "") = capture(" For example, node {} is near node {}: '{}'.", text)?
    else {
        return None;
    };
    let run = RunCommand::parse(run)?;
    Some(Some(Example { cpus: node(cpus)?, memory: node(memory)?, run }))
}

fn uniform(text: &str) -> Option<ClaimSentence> {
    let (table, rest) = table(text)?;
    let template = "claims latencies that differ up to {} times, but all are equal within {} %. \
                    Placement gains nothing: use the kernel's default.";
    let ([claimed, within], "") = capture(template, rest)? else { return None };
    Some(ClaimSentence::Uniform { table, claimed: number(claimed)?, within: times(within)? })
}

fn figure(text: &str) -> Option<ClaimSentence> {
    let ([memory, cells], rest) = capture("For node {} from {} claims ", text)?;
    let (cells, table) = cells.rsplit_once(", ")?;
    let table = match table {
        "SLIT" => FirmwareTable::Slit,
        "HMAT" => FirmwareTable::Hmat,
        _ => return None,
    };
    let (cpus, others) = match capture("{}, the first of {} such cells", cells) {
        Some(([cpus, all], "")) => {
            (cpus, Some(OtherCells { count: all.parse::<usize>().ok()? - 1, measured: None }))
        }
        _ => (cells, None),
    };
    let ([claimed], tail) = match table {
        FirmwareTable::Slit => capture("{} times the local latency. Measured: ", rest)?,
        FirmwareTable::Hmat => capture("{} ns. Measured: ", rest)?,
    };
    let (measured, ci95, tail) = measured(tail)?;
    let (stated, tail) = further_cells(tail)?;
    Some(ClaimSentence::Figure(FigureSentence {
        table,
        cpus: node(cpus.strip_prefix("node ")?)?,
        memory: node(memory)?,
        claimed: number(claimed)?,
        measured,
        ci95,
        others: stated.or(others),
        run: command(tail)?,
    }))
}

/// A figure, its interval, and what follows: "1.50 times (95 % interval 1.48 to 1.52).".
fn measured(text: &str) -> Option<(f64, Option<[f64; 2]>, &str)> {
    for unit in ["times", "ns"] {
        let with = capture(&format!("{{}} {unit} (95 % interval {{}} to {{}})."), text);
        // Without an interval here, the gap would reach into what follows.
        if let Some(([figure, low, high], tail)) = with.filter(|(gaps, _)| is_number(gaps[0])) {
            return Some((number(figure)?, Some([number(low)?, number(high)?]), tail));
        }
        if let Some(([figure], tail)) = capture(&format!("{{}} {unit}."), text) {
            return Some((number(figure)?, None, tail));
        }
    }
    None
}

fn is_number(text: &str) -> bool {
    number(text).is_some()
}

/// " 3 more cells contradict this claim: 1.40 to 1.60 times.", or nothing; and what follows.
fn further_cells(text: &str) -> Option<(Option<OtherCells>, &str)> {
    let templates = ["cells contradict this claim:", "cell contradicts this claim:"];
    for unit in ["times", "ns"] {
        for cells in templates {
            let template = format!(" {{}} more {cells} {{}} {unit}.");
            let Some(([count, figures], tail)) = capture(&template, text) else { continue };
            let (low, high) = figures.split_once(" to ").unwrap_or((figures, figures));
            let measured = Some([number(low)?, number(high)?]);
            return Some((Some(OtherCells { count: count.parse().ok()?, measured }), tail));
        }
    }
    Some((None, text))
}

fn unreachable(text: &str) -> Option<ClaimSentence> {
    let (_, rest) = table(text)?;
    let head = "claims that node {} cannot reach the memory of node {}, but it can";
    let ([cpus, memory], tail) = capture(head, rest)?;
    let (cpus, memory) = (node(cpus)?, node(memory)?);
    Some(ClaimSentence::Unreachable { cpus, memory, run: command(tail)? })
}

fn by_chance(text: &str) -> Option<ClaimSentence> {
    let rest = text.strip_prefix("The order of the distances in ")?;
    let (table, rest) = table(rest)?;
    let template = "is no better than chance (Kendall's tau {}). Use the measured matrix.";
    let ([tau], "") = capture(template, rest)? else { return None };
    Some(ClaimSentence::ByChance { table, tau: number(tau)? })
}

impl ClaimSentence {
    /// What this kind is called in tables.
    pub(super) fn what(&self) -> &'static str {
        match self {
            Self::OwnNotNearest { .. } => "claims: own memory is not the nearest",
            Self::Inverted { .. } => "claims: order",
            Self::EqualDiffers { .. } => "claims: equal",
            Self::Merged { .. } => "claims: one figure for several",
            Self::Placeholder { .. } => "claims: placeholder",
            Self::Uniform { .. } => "claims: uniform",
            Self::Figure(_) => "claims: figure",
            Self::Unreachable { .. } => "claims: unreachable",
            Self::ByChance { .. } => "claims: order by chance",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_read_in_both_wordings() {
        let older = "For node 3 from node 0, the first of 18 such cells, SLIT claims 3.20 times \
                     the local latency. Measured: 3.05 times. Avoid it: 'nearfar run -N 0 -m 0 \
                     PROGRAM'.";
        let Some(ClaimSentence::Figure(older)) = ClaimSentence::parse(older) else { panic!() };
        assert_eq!((older.cpus, older.memory, older.others.unwrap().count), (0, 3, 17));
        assert_eq!((older.claimed, older.measured, older.ci95), (3.2, 3.05, None));
        let newer = "For node 3 from node 0, SLIT claims 3.20 times the local latency. Measured: \
                     2.82 times (95 % interval 2.79 to 2.85). 17 more cells contradict this \
                     claim: 2.80 to 3.60 times. Avoid it: 'nearfar run -N 0 -m 0 PROGRAM'.";
        let Some(ClaimSentence::Figure(newer)) = ClaimSentence::parse(newer) else { panic!() };
        assert_eq!((newer.measured, newer.ci95), (2.82, Some([2.79, 2.85])));
        assert_eq!(newer.others.unwrap().measured, Some([2.8, 3.6]));
        assert!(newer.run.is_some());
        let hmat = "For node 1 from node 0, HMAT claims 100 ns. Measured: 150 ns. Avoid it: \
                    'nearfar run -N 0 -m 0 PROGRAM'.";
        let Some(ClaimSentence::Figure(hmat)) = ClaimSentence::parse(hmat) else { panic!() };
        assert_eq!((hmat.table, hmat.claimed, hmat.measured), (FirmwareTable::Hmat, 100.0, 150.0));
    }

    #[test]
    fn an_unknown_command_is_no_known_sentence() {
        let text = "SLIT claims that node 1 is nearer to node 0 than node 2. Measured, node 2 is \
                    nearer by 12.0 %. Use 'rm -rf /'.";
        assert_eq!(ClaimSentence::parse(text), None);
    }
}
