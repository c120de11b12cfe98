//! Matrices in every form that programs print and people paste: they come back, or are refused.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::super::{NoMatrix, PairMatrix};

const DRAWS: usize = 1_500;

/// Costs of all pairs, in both directions.
struct Square {
    cpus: Vec<u32>,
    costs: Vec<Vec<f64>>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Triangle {
    Lower,
    Upper,
    Full,
}

#[derive(Clone, Copy, Debug)]
struct Form {
    triangle: Triangle,
    /// Between cells; `None`: blanks, in columns.
    mark: Option<&'static str>,
    has_head: bool,
    has_side: bool,
    corner: Option<&'static str>,
    label: &'static str,
    diagonal: &'static str,
    figure: &'static str,
    around: &'static str,
    fold: usize,
    is_cut: bool,
}

impl Square {
    /// Cores, caches and packages as a survey shows them, or costs without any order.
    fn random(random: &mut fastrand::Rng) -> Self {
        let count = random.usize(2..=40);
        let mut next = 0;
        let has_gaps = random.bool();
        let cpus = (0..count).map(|_| {
            next += if has_gaps { random.u32(1..4) } else { 1 };
            next - 1
        });
        let cpus: Vec<u32> = cpus.collect();
        let is_survey = random.bool();
        let cost = |a: usize, b: usize, noise: f64| match (a / 2 == b / 2, a / 8 == b / 8) {
            _ if !is_survey => 5.0 + noise * 200.0,
            (true, _) => 8.0 + noise,
            (_, true) => 25.0 + 3.0 * noise,
            _ => 110.0 + 9.0 * noise,
        };
        let costs =
            (0..count).map(|a| (0..count).map(|b| cost(a, b, random.f64())).collect()).collect();
        Self { cpus, costs }
    }
}

impl Form {
    fn random(random: &mut fastrand::Rng) -> Self {
        let mut one = |of: &[&'static str]| of[random.usize(..of.len())];
        let mark = match one(&["blanks", "blanks", "blanks", ",", ";", "\t", "|"]) {
            "blanks" => None,
            mark => Some(mark),
        };
        let triangle = match one(&["lower", "lower", "upper", "full"]) {
            "lower" => Triangle::Lower,
            "upper" => Triangle::Upper,
            _ => Triangle::Full,
        };
        let has_head = mark == Some("|") || one(&["head", "head", "none"]) == "head";
        let has_side = one(&["side", "side", "none"]) == "side";
        Self {
            triangle,
            mark,
            has_head,
            has_side,
            corner: match one(&["", "", "cpu", "core"]) {
                "" => None,
                corner => Some(corner),
            },
            label: one(&["", "", "CPU", "core", "CPU "]),
            diagonal: one(&["", "", "0", "-", "x", "N/A"]),
            figure: one(&["0", "1", "3", "±", "±1", "ns", "us", "comma", "±ns"]),
            around: one(&["nothing", "output", "quote", "colour", "windows", "bom", "prompt"]),
            fold: one(&["", "", "80", "100", "120"]).parse().unwrap_or(usize::MAX),
            is_cut: false,
        }
    }

    fn figure(&self, ns: f64) -> String {
        match self.figure {
            "0" => format!("{ns:.0}"),
            "1" => format!("{ns:.1}"),
            "3" => format!("{ns:.3}"),
            "±" => format!("{ns:.0}±0"),
            "±1" => format!("{ns:.1}±0.1"),
            "ns" => format!("{ns:.1}ns"),
            "us" => format!("{:.4}us", ns / 1e3),
            "comma" if self.mark == Some(",") => format!("\"{ns:.1}\"").replace('.', ","),
            "comma" => format!("{ns:.1}").replace('.', ","),
            _ => format!("{ns:.1} ± 0.2 ns"),
        }
    }

    fn value(&self, ns: f64) -> f64 {
        let text = match self.figure {
            "0" | "±" => format!("{ns:.0}"),
            "3" => format!("{ns:.3}"),
            "us" => format!("{ns:.1}"),
            _ => format!("{ns:.1}"),
        };
        text.parse().unwrap()
    }

    fn has(&self, row: usize, column: usize) -> bool {
        match self.triangle {
            Triangle::Lower => column < row,
            Triangle::Upper => column > row,
            Triangle::Full => column != row,
        }
    }

    /// The rows with their labels, the header first; empty cells of columns are empty texts.
    fn cells(&self, square: &Square) -> Vec<Vec<String>> {
        let label = |cpu: &u32| format!("{}{cpu}", self.label);
        let mut rows = Vec::new();
        if self.has_head {
            let corner = self.corner.unwrap_or_default().to_owned();
            let corner = self.has_side.then_some(corner);
            rows.push(corner.into_iter().chain(square.cpus.iter().map(label)).collect());
        }
        for (row, costs) in square.costs.iter().enumerate() {
            let cell = |(column, ns): (usize, &f64)| match () {
                () if row == column => self.diagonal.to_owned(),
                () if self.has(row, column) => self.figure(*ns),
                () => String::new(),
            };
            let side = self.has_side.then(|| label(&square.cpus[row]));
            rows.push(side.into_iter().chain(costs.iter().enumerate().map(cell)).collect());
        }
        rows
    }

    fn text(&self, square: &Square) -> String {
        let rows = self.cells(square);
        let mut text = String::new();
        for (place, row) in rows.iter().enumerate() {
            let line = match self.mark {
                None => {
                    let side = usize::from(self.has_side);
                    let cell = |(place, cell): (usize, &String)| {
                        let width = if place < side { 8 } else { 7.max(2 + self.widest()) };
                        format!("{cell:>width$}")
                    };
                    let line: String = row.iter().enumerate().map(cell).collect();
                    folded(line.trim_end(), self.fold)
                }
                Some("|") => format!("| {} |", row.join(" | ")),
                Some(mark) => row.join(mark),
            };
            let _ = writeln!(text, "{line}");
            if self.mark == Some("|") && place == 0 {
                let _ = writeln!(text, "|{}", "---|".repeat(row.len()));
            }
        }
        self.wrapped(&text)
    }

    fn widest(&self) -> usize {
        self.figure(1.0).chars().count() + 2
    }

    fn wrapped(&self, text: &str) -> String {
        match self.around {
            "output" => format!(
                "CPU: AMD Ryzen 5 7600 6-Core Processor\nNum cores: 12\nUsing RDTSC to measure \
                 time: true\nNum round trips per samples: 1000\nNum samples: 300\nShowing \
                 latency=round-trip-time/2 in nanoseconds:\n\n1) CAS latency on a single shared \
                 cache line\n\n{text}\n    Min  latency: 8.6ns ±0.1 cores: (7,3)\n    Max  \
                 latency: 30.1ns ±0.9 cores: (1,0)\n    Mean latency: 23.6ns\n"
            ),
            "quote" => text.lines().map(|line| format!("> {line}\n")).collect(),
            "colour" => text.lines().map(|line| format!("\u{1b}[1;32m{line}\u{1b}[0m\n")).collect(),
            "windows" => text.replace('\n', "\r\n"),
            "bom" => format!("\u{feff}{text}"),
            "prompt" => format!("me@host:~$ ./core-to-core-latency 5000 300\n{text}me@host:~$ \n"),
            _ => text.to_owned(),
        }
    }

    /// What the text holds, as CPUs of row and column and the cost.
    fn expected(&self, square: &Square) -> (Vec<u32>, Vec<(u32, u32, f64)>) {
        let count = square.cpus.len();
        let cpus: Vec<u32> = if self.has_head || self.has_side {
            square.cpus.clone()
        } else {
            (0..).take(count).collect()
        };
        let pairs = (0..count).flat_map(|a| (0..count).map(move |b| (a, b)));
        let costs = pairs
            .filter(|(a, b)| self.has(*a, *b))
            .map(|(a, b)| (cpus[a], cpus[b], self.value(square.costs[a][b])))
            .collect();
        (cpus, costs)
    }
}

/// A line as a terminal of that width shows it.
fn folded(line: &str, width: usize) -> String {
    let letters: Vec<char> = line.chars().collect();
    if letters.is_empty() {
        return String::new();
    }
    let lines = letters.chunks(width).map(|part| part.iter().collect::<String>());
    lines.collect::<Vec<_>>().join("\n")
}

fn is_right(matrix: &PairMatrix, (cpus, costs): &(Vec<u32>, Vec<(u32, u32, f64)>)) -> bool {
    let cpu = |index: usize| matrix.cpus[index].0;
    let mut read: Vec<(u32, u32, f64)> = matrix
        .costs
        .iter()
        .map(|pair| (cpu(pair.cpus.0), cpu(pair.cpus.1), pair.cost.median_ns))
        .collect();
    read.sort_by_key(|(row, column, _)| (*row, *column));
    let numbers: Vec<u32> = matrix.cpus.iter().map(|cpu| cpu.0).collect();
    let is_same = |(a, b): (&(u32, u32, f64), &(u32, u32, f64))| {
        (a.0, a.1) == (b.0, b.1) && (a.2 - b.2).abs() < 1e-6
    };
    numbers == *cpus && read.len() == costs.len() && read.iter().zip(costs).all(is_same)
}

/// Of a full square one triangle is enough.
fn is_part(matrix: &PairMatrix, (cpus, costs): &(Vec<u32>, Vec<(u32, u32, f64)>)) -> bool {
    let is_expected = |pair: &nearfar_infer::core_to_core::PairCost| {
        let (row, column) = (matrix.cpus[pair.cpus.0].0, matrix.cpus[pair.cpus.1].0);
        let is_same = |cost: &&(u32, u32, f64)| (cost.0, cost.1) == (row, column);
        costs.iter().find(is_same).is_some_and(|cost| (cost.2 - pair.cost.median_ns).abs() < 1e-6)
    };
    matrix.cpus.len() == cpus.len()
        && matrix.costs.len() >= matrix.all_pairs()
        && matrix.costs.iter().all(is_expected)
}

#[derive(Default)]
struct Tally {
    counts: BTreeMap<String, [usize; 3]>,
    /// Of each reason how often, and the shortest text.
    reasons: BTreeMap<String, (usize, String)>,
    wrong: Vec<String>,
}

impl Tally {
    fn add(
        &mut self,
        form: &Form,
        kinds: &[String],
        text: &str,
        expected: &(Vec<u32>, Vec<(u32, u32, f64)>),
    ) {
        let read = PairMatrix::parse(text);
        let place = match &read {
            Ok(matrix) if is_right(matrix, expected) => 0,
            Ok(matrix) if form.is_cut && is_part(matrix, expected) => 0,
            Ok(matrix) => {
                self.wrong.push(format!("{form:?}\n{text}\n{matrix:?}"));
                2
            }
            Err(why) => {
                let why = format!("{why:?}");
                let name = why.split([' ', '(']).next().unwrap_or_default().to_owned();
                let (count, shortest) = self.reasons.entry(name).or_default();
                *count += 1;
                if shortest.is_empty() || text.len() < shortest.len() {
                    text.clone_into(shortest);
                }
                1
            }
        };
        for kind in kinds {
            self.counts.entry(kind.clone()).or_default()[place] += 1;
        }
    }

    fn table(&self) -> String {
        let mut table = format!("{:<44}{:>7}{:>9}{:>7}\n", "form", "right", "refused", "wrong");
        for (kind, [right, refused, wrong]) in &self.counts {
            let _ = writeln!(table, "{kind:<44}{right:>7}{refused:>9}{wrong:>7}");
        }
        for (reason, (count, shortest)) in &self.reasons {
            let start: String = shortest.chars().take(300).collect();
            let _ = writeln!(table, "{reason}: {count}, as {start:?}");
        }
        table
    }
}

fn kinds(form: &Form) -> Vec<String> {
    let labels = match (form.has_head, form.has_side) {
        (true, true) => "header and row labels",
        (true, false) => "header",
        (false, true) => "row labels",
        (false, false) => "no labels",
    };
    let mark = form.mark.unwrap_or("blanks");
    let fold = if form.mark.is_none() && form.fold < 200 {
        format!("folded at {}", form.fold)
    } else {
        "not folded".to_owned()
    };
    vec![
        format!("{mark:?}, {labels}"),
        format!(
            "{:?}, diagonal {:?}, {}",
            form.triangle,
            form.diagonal,
            if form.mark.is_none() { "blanks" } else { "marks" }
        ),
        format!("figures {}", form.figure),
        format!("around: {}", form.around),
        format!("labels {:?}, corner {:?}", form.label, form.corner),
        fold,
        "all".to_owned(),
    ]
}

#[test]
fn no_form_is_read_wrong() {
    let mut random = fastrand::Rng::with_seed(17);
    let mut tally = Tally::default();
    for _ in 0..DRAWS {
        let (form, square) = (Form::random(&mut random), Square::random(&mut random));
        tally.add(&form, &kinds(&form), &form.text(&square), &form.expected(&square));
    }
    println!("{}", tally.table());
    tally.wrong.sort_by_key(String::len);
    let first = tally.wrong.iter().take(6).cloned().collect::<Vec<_>>().join("\n");
    assert!(tally.wrong.is_empty(), "{} wrong\n{first}", tally.wrong.len());
}

#[test]
fn whatever_a_text_lacks_it_is_not_read_wrong() {
    let mut random = fastrand::Rng::with_seed(20);
    let mut tally = Tally::default();
    for _ in 0..DRAWS / 2 {
        let (mut form, square) = (Form::random(&mut random), Square::random(&mut random));
        (form.has_head, form.is_cut) = (true, true);
        form.around = "nothing";
        let text = form.text(&square);
        let last = text.trim_end().rfind('\n').unwrap_or(0);
        let at = (1..last.max(2)).rev().find(|at| *at <= random.usize(1..last.max(2)));
        let at = at.filter(|at| text.is_char_boundary(*at)).unwrap_or(last);
        let cut = &text[..at];
        // What is cut may be empty rows and cells.
        tally.add(&form, &["cut".to_owned()], cut, &form.expected(&square));
    }
    println!("{}", tally.table());
    tally.wrong.sort_by_key(String::len);
    let first = tally.wrong.iter().take(6).cloned().collect::<Vec<_>>().join("\n");
    assert!(tally.wrong.is_empty(), "{} wrong\n{first}", tally.wrong.len());
}

#[test]
fn a_table_and_its_csv_are_one_matrix() {
    let mut random = fastrand::Rng::with_seed(19);
    let mut read = 0;
    for _ in 0..300 {
        let square = Square::random(&mut random);
        let mut form = Form::random(&mut random);
        form.triangle = Triangle::Lower;
        (form.mark, form.has_head, form.has_side, form.fold) = (None, true, true, usize::MAX);
        (form.figure, form.around, form.diagonal, form.label) = ("±", "output", "", "");
        let csv = Form {
            mark: Some(","),
            has_head: false,
            has_side: false,
            figure: "3",
            around: "nothing",
            ..form
        };
        let text = form.text(&square) + "\n" + &csv.text(&square);
        let costs = Form { has_head: true, ..csv }.expected(&square);
        match PairMatrix::parse(&text) {
            Ok(matrix) => {
                assert!(is_right(&matrix, &costs), "{text}\n{matrix:?}");
                read += 1;
            }
            Err(why) => assert!(square.cpus.len() < 4, "{text}\n{why}"),
        }
        let other = Square::random(&mut random);
        let several = PairMatrix::parse(&(form.text(&square) + "2) other\n" + &form.text(&other)));
        assert!(matches!(several, Err(NoMatrix::Several(_))), "{several:?}");
    }
    assert!(read > 250, "{read}");
}
