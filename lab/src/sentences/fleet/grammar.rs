//! What a line of a fleet's text states.

use crate::sentences::pattern::{capture, node, number};

#[derive(Clone, Debug, PartialEq)]
pub(super) enum FleetSentence {
    /// "host07: memory of node 1 is slower: latency 6.9 to 7.7 % higher in 2 of 2 cells ...".
    Machine {
        name: String,
        statements: Vec<Statement>,
    },
    /// "host07: not clear: latency from node 0 to node 1 is 8.9 % higher than ...": no fault is
    /// stated.
    Unclear {
        name: String,
        statements: Vec<Statement>,
    },
    /// "at least two batches: host01-host08 (8 machines); host09-host16 (8 machines).".
    Batches(StatedBatches),
    /// "In the second batch, beside the first: ...".
    Differences {
        batch: usize,
        statements: Vec<Statement>,
    },
    /// "No outlier: ...". The logarithms of ratios that would be outliers: of a cell, and of a
    /// machine in all cells. Without them, any would.
    NoOutlier {
        would: Option<[f64; 2]>,
    },
    /// "drift: firmware version: 1.1 instead of 1.0 on host03 and 6 more".
    Drift {
        text: String,
        names: Vec<String>,
        count: usize,
    },
    /// "Fleet: 2 machines are slower than the others: host03, host07; only faster: host01".
    Verdict(StatedVerdict),
    /// What was read, or how much more there is.
    Head,
    Other(String),
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct StatedBatches {
    pub(super) batches: Vec<StatedBatch>,
    /// Machines whose batch is unknown.
    pub(super) unsure: Vec<String>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct StatedBatch {
    pub(super) names: Vec<String>,
    /// Whether there are further names.
    pub(super) has_more: bool,
    pub(super) size: usize,
}

/// The machines that the first and the last line name, at most six of each kind.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct StatedVerdict {
    pub(super) slower: Vec<String>,
    pub(super) slower_count: usize,
    pub(super) faster: Vec<String>,
    pub(super) faster_count: usize,
}

/// What is slower or faster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Subject {
    Memory(usize),
    Cpus(usize),
    Machine,
    Cell {
        row: usize,
        column: usize,
    },
    /// The mean over all rows.
    AllCpus {
        column: usize,
    },
}

impl Subject {
    /// Whether this cell is a part of it.
    pub(super) fn has(self, row: usize, column: usize) -> bool {
        match self {
            Self::Memory(node) | Self::AllCpus { column: node } => node == column,
            Self::Cpus(node) => node == row,
            Self::Machine => true,
            Self::Cell { row: from, column: to } => (from, to) == (row, column),
        }
    }
}

/// One part of a machine or batch, with its figures as logarithms of ratios of costs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Statement {
    pub(super) subject: Subject,
    pub(super) is_slower: bool,
    pub(super) table: usize,
    pub(super) figures: [f64; 2],
    pub(super) interval: [f64; 2],
    /// Whether it is compared with the machine's other cells.
    pub(super) is_relative: bool,
}

const INSTRUMENTS: [&str; 2] = ["latency", "bandwidth"];
const NUMBERS: [&str; 4] = ["two", "three", "four", "five"];
const ORDINALS: [&str; 5] = ["first", "second", "third", "fourth", "fifth"];

impl FleetSentence {
    pub(super) fn parse(line: &str) -> Self {
        Self::known(line).unwrap_or_else(|| Self::Other(line.to_owned()))
    }

    fn known(line: &str) -> Option<Self> {
        if line.contains(" in one shape") || line.contains(" 1 shape, ") {
            return Some(Self::Head);
        }
        if line.starts_with("group ") || line.starts_with("and ") {
            return Some(Self::Head);
        }
        if line.starts_with("Not clear: ") {
            return Some(Self::Head);
        }
        if let Some(rest) = line.strip_prefix("Fleet: ") {
            return Some(Self::Verdict(verdict(rest.trim_end_matches('.'))?));
        }
        if let Some(rest) = line.strip_prefix("drift: ") {
            return drift(rest);
        }
        if line.starts_with("No outlier") {
            let template =
                "{} cell slower by {} % or more would be one, or a machine slower by {} % in";
            let would = capture::<3>(template, line).and_then(|([_, cell, machine], _)| {
                let log = |percent: &str| Some((number(percent)? / 100.0).ln_1p());
                Some([log(cell)?, log(machine)?])
            });
            return Some(Self::NoOutlier { would });
        }
        let is_shared = line.contains(", and none of another, have ");
        if line.starts_with("All machines of the ") && is_shared {
            return Some(Self::Head);
        }
        if let Some(([ordinal], rest)) = capture::<1>("In the {} batch, beside the first: ", line) {
            let batch = ORDINALS.iter().position(|one| *one == ordinal)?;
            return Some(Self::Differences { batch, statements: statements(rest)? });
        }
        let (head, rest) = line.split_once(": ")?;
        if NUMBERS.iter().any(|number| head == format!("at least {number} batches")) {
            return Some(Self::Batches(batches(rest)?));
        }
        (!head.contains(' ')).then_some(())?;
        let name = head.to_owned();
        Some(match rest.strip_prefix("not clear: ") {
            Some(single) => Self::Unclear { name, statements: statements(single)? },
            None => Self::Machine { name, statements: statements(rest)? },
        })
    }

    pub(super) fn machine(&self) -> Option<&str> {
        match self {
            Self::Machine { name, .. } => Some(name),
            _ => None,
        }
    }

    pub(super) fn batches(&self) -> Option<&StatedBatches> {
        match self {
            Self::Batches(stated) => Some(stated),
            _ => None,
        }
    }
}

fn verdict(rest: &str) -> Option<StatedVerdict> {
    let (slower, faster) = rest.split_once("; only faster: ").unwrap_or((rest, ""));
    let (faster, faster_count) = if faster.is_empty() { (vec![], 0) } else { counted(faster)? };
    if ["no machine is slower", "none is compared"].contains(&slower) {
        return Some(StatedVerdict { faster, faster_count, ..StatedVerdict::default() });
    }
    let (number, named) = slower
        .split_once(" machine is slower than the others: ")
        .or_else(|| slower.split_once(" machines are slower than the others: "))?;
    let (slower, slower_count) = counted(named)?;
    // The number and the list are the same machines.
    (number.parse() == Ok(slower_count)).then_some(())?;
    Some(StatedVerdict { slower, slower_count, faster, faster_count })
}

/// "host03, host07 and 6 more": the names, and how many there are.
fn counted(names: &str) -> Option<(Vec<String>, usize)> {
    let (shown, more) = match names.split_once(" and ") {
        Some((shown, more)) => (shown, more.strip_suffix(" more")?.parse().ok()?),
        None => (names, 0),
    };
    let names: Vec<String> = shown.split(", ").map(str::to_owned).collect();
    let count = names.len() + more;
    Some((names, count))
}

fn drift(rest: &str) -> Option<FleetSentence> {
    let (_, names) = rest.rsplit_once(" on ")?;
    let (names, count) = counted(names)?;
    Some(FleetSentence::Drift { text: rest.to_owned(), names, count })
}

/// "host01-host08, host11 (9 machines); host09 (1 machine). The batch of host10 is unknown. ...".
fn batches(rest: &str) -> Option<StatedBatches> {
    let (stated, after) = rest.split_once(". ")?;
    let batches: Option<Vec<StatedBatch>> = stated.split("; ").map(batch).collect();
    let unsure = capture::<1>("The batch of {} is unknown. ", after);
    let unsure = unsure.map(|([names], _)| names.trim_end_matches(" and more"));
    let unsure = unsure.map_or(Some(Vec::new()), self::names)?;
    Some(StatedBatches { batches: batches?, unsure })
}

fn batch(text: &str) -> Option<StatedBatch> {
    let (shown, size) = text.rsplit_once(" (")?;
    let size = size.split_once(" machine")?.0.parse().ok()?;
    let has_more = shown.ends_with(" and more");
    Some(StatedBatch { names: names(shown.trim_end_matches(" and more"))?, has_more, size })
}

/// "host01-host08, host11".
fn names(text: &str) -> Option<Vec<String>> {
    let mut names = Vec::new();
    for range in text.split(", ") {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let of = |name: &str| name.strip_prefix("host")?.parse::<usize>().ok();
        names.extend((of(first)?..=of(last)?).map(|number| format!("host{number:02}")));
    }
    Some(names)
}

/// Parts end with ")", and single cells of a machine with their direction.
fn statements(text: &str) -> Option<Vec<Statement>> {
    let mut subject = None;
    let parts = text.trim_end_matches('.').split("); ");
    parts.map(|part| statement(part, &mut subject)).collect()
}

fn statement(text: &str, shared: &mut Option<(Subject, bool)>) -> Option<Statement> {
    let mut rest = text;
    if let Some((subject, is_slower, after)) = subject(text) {
        *shared = Some((subject, is_slower));
        rest = after;
    }
    let table = INSTRUMENTS.iter().position(|instrument| rest.starts_with(instrument))?;
    rest = rest[INSTRUMENTS[table].len()..].trim_start();
    let mut single = None;
    if let Some(([row, column], after)) = capture::<2>("from {} to {} is ", rest) {
        // "node 2, read, threads 2": what the cell was visited with follows.
        let (column, _) = column.split_once(", ").unwrap_or((column, ""));
        let column = node(column.strip_prefix("node ")?)? as usize;
        single = Some(match row.strip_prefix("node ") {
            Some(row) => Subject::Cell { row: node(row)? as usize, column },
            None => Subject::AllCpus { column },
        });
        rest = after;
    }
    let (shown, interval) = rest.split_once("95 %: ")?;
    let (figures, which) = deviation(shown)?;
    let is_higher = match which {
        Which::Higher => true,
        Which::Lower => false,
        Which::Different => figures[1] > 0.0,
    };
    let (subject, is_slower) = match single {
        Some(cell) => {
            let stated = text.rsplit_once("): ").map(|(_, word)| word == "slower");
            (cell, stated.unwrap_or(is_higher == (table == 0)))
        }
        None => (*shared)?,
    };
    let interval = signed(interval.split_once(" %")?.0, is_slower == (table == 0))?;
    let is_relative = ["beside them", "beside its other cells", "relative to its other cells"]
        .iter()
        .any(|words| text.contains(words));
    Some(Statement {
        subject,
        is_slower,
        table,
        figures: costs(figures, table),
        interval: costs(interval, table),
        is_relative,
    })
}

/// "memory of node 1 is slower: ".
fn subject(text: &str) -> Option<(Subject, bool, &str)> {
    let (head, rest) = text.split_once(": ")?;
    let (what, speed) = head.rsplit_once(' ')?;
    let is_slower = match speed {
        "slower" => true,
        "faster" => false,
        _ => return None,
    };
    let of = |before: &str, verb: &str| {
        node(what.strip_prefix(before)?.strip_suffix(verb)?).map(|node| node as usize)
    };
    let subject = match what {
        "the whole machine is" => Subject::Machine,
        _ => of("memory of node ", " is")
            .map(Subject::Memory)
            .or_else(|| of("CPUs of node ", " are").map(Subject::Cpus))?,
    };
    Some((subject, is_slower, rest))
}

enum Which {
    Higher,
    Lower,
    Different,
}

/// "6.9 to 7.7 % higher in 2 of 2 cells (" as ratios less 1.
fn deviation(text: &str) -> Option<([f64; 2], Which)> {
    let (figures, rest) = text.split_once(" % ").or_else(|| text.split_once(" %"))?;
    let which = match rest.trim_start() {
        rest if rest.starts_with("higher") => Which::Higher,
        rest if rest.starts_with("lower") => Which::Lower,
        _ => Which::Different,
    };
    Some((signed(figures, !matches!(which, Which::Lower))?, which))
}

/// "6.9 to 7.7", or with signs of their own.
fn signed(text: &str, is_higher: bool) -> Option<[f64; 2]> {
    let (low, high) = text.split_once(" to ").unwrap_or((text, text));
    let has_signs = text.starts_with(['+', '-']);
    let sign = if has_signs || is_higher { 0.01 } else { -0.01 };
    Some([sign * number(low)?, sign * number(high)?])
}

/// Logarithms of ratios of costs, ascending.
fn costs(changes: [f64; 2], table: usize) -> [f64; 2] {
    let sign = if table == 0 { 1.0 } else { -1.0 };
    let mut logs = changes.map(|change| sign * change.ln_1p());
    logs.sort_by(f64::total_cmp);
    logs
}
