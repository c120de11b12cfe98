//! Every claim of an explanation's text against the truth of drawn machines and programs.
//!
//! A machine's latencies are drawn, a survey of them has noise, and a program uses its pages as
//! no user can observe. The text is read back: its figures, bounds, cures and verdict.

mod claims;
mod machine;
mod program;

use std::collections::BTreeMap;

use fastrand::Rng;
use nearfar_live::explain::text as explain;
use nearfar_live::explain::{Around, ExplainDocument, SCHEMA, SurveyUsed, explain};

use claims::{Claims, CureClaim, End, Remedy};
use machine::{CPUS, DrawnMachine, Survey};
use program::DrawnProgram;

const CASES: u64 = 1000;
/// A difference that matters.
const FLOOR: f64 = 0.02;
/// Half of the last digit of a bound is no error: bounds are rounded outwards.
const ROUNDING: f64 = 1e-6;

/// How often a kind of claim was right, missed and wrong.
#[derive(Default)]
struct Table(BTreeMap<&'static str, [usize; 3]>, Vec<String>);

impl Table {
    fn judge(&mut self, claim: &'static str, is_right: bool, why: impl FnOnce() -> String) {
        self.0.entry(claim).or_default()[if is_right { 0 } else { 2 }] += 1;
        if !is_right {
            self.1.push(format!("{claim}: {}", why()));
        }
    }

    fn miss(&mut self, claim: &'static str) {
        self.0.entry(claim).or_default()[1] += 1;
    }

    fn text(&self) -> String {
        let row = |(claim, [right, missed, wrong]): (&&str, &[usize; 3])| {
            format!("{claim:<40} {right:>6} {missed:>6} {wrong:>6}\n")
        };
        self.0.iter().map(row).collect()
    }
}

/// A case: the machine, its survey, the program, and the text about it.
struct Case {
    machine: DrawnMachine,
    survey: Survey,
    program: DrawnProgram,
    text: String,
}

impl Case {
    fn new(seed: u64) -> Self {
        let mut rng = Rng::with_seed(seed);
        let machine = DrawnMachine::new(&mut rng);
        let survey = machine.survey(&mut rng);
        let program = DrawnProgram::new(&machine, &mut rng);
        let (nodes, costs) = (machine.summaries(), survey.costs(&machine));
        let balancing = [None, Some(false), Some(true)][rng.usize(..3)];
        let around = Around { nodes: &nodes, costs: Some(&costs), balancing };
        let document = ExplainDocument {
            schema: SCHEMA.to_owned(),
            survey: Some(SurveyUsed {
                file: "drawn.json".to_owned(),
                started: "2026-11-27T08:00:00Z".to_owned(),
            }),
            together: None,
            processes: vec![explain(&program.observed, &around)],
            unreadable: Vec::new(),
            trial: None,
        };
        let text = explain::text(&document);
        Self { machine, survey, program, text }
    }

    /// The latency of an access in a cure's placement; the mean over interleaved nodes.
    fn after(&self, remedy: &Remedy, (cpus, home): (usize, usize)) -> f64 {
        match remedy {
            Remedy::Pages(nodes) => {
                let all: f64 = nodes.iter().map(|node| self.machine.ns[cpus][*node]).sum();
                all / nodes.len() as f64
            }
            Remedy::Threads(node) => self.machine.ns[*node][home],
            Remedy::Balancing => self.machine.ns[cpus][home],
        }
    }

    /// The true change of each access.
    fn changes(&self, remedy: &Remedy) -> Vec<f64> {
        let pairs = self.program.pairs().into_iter();
        pairs.map(|pair| self.after(remedy, pair) / self.machine.ns[pair.0][pair.1] - 1.0).collect()
    }

    /// The true change of the program.
    fn change(&self, program: &DrawnProgram, remedy: &Remedy) -> f64 {
        let before = program.mean(|cpus, home| self.machine.ns[cpus][home]);
        program.mean(|cpus, home| self.after(remedy, (cpus, home))) / before - 1.0
    }

    /// All placements that are possible.
    fn remedies(&self) -> Vec<Remedy> {
        let usable = self.program.usable(&self.machine).into_iter();
        let mut all: Vec<Remedy> = usable.map(|node| Remedy::Pages(vec![node])).collect();
        if self.program.observed.busy_cpus <= f64::from(CPUS) {
            let nodes = self.machine.nodes_with(&self.machine.has_cpus);
            all.extend(nodes.into_iter().map(Remedy::Threads));
        }
        all
    }

    fn shown(&self) -> String {
        format!("{} {:?}\n{}", self.machine.family, self.machine.ns, self.text)
    }
}

fn judge_cost(table: &mut Table, case: &Case, program: &DrawnProgram, claims: &Claims) {
    for (ns, access) in &claims.times {
        let pairs = case.program.pairs();
        let is_named = |pair: &&(usize, usize)| match access {
            Some((cpus, home)) => cpus.is_none_or(|cpus| cpus == pair.0) && *home == pair.1,
            None => true,
        };
        let cells = pairs.iter().filter(is_named);
        let is_cell = |pair: &(usize, usize)| {
            (case.survey.measured[pair.0][pair.1] - ns).abs() <= 0.5 + ROUNDING
        };
        table.judge("ns of the named access", cells.clone().any(is_cell), || case.shown());
    }
    let Some([least, most]) = claims.cost else { return };
    let usable = case.program.usable(&case.machine);
    let fastest = |cpus: usize| {
        usable.iter().map(|node| case.machine.ns[cpus][*node]).fold(f64::INFINITY, f64::min)
    };
    let now = program.mean(|cpus, home| case.machine.ns[cpus][home]);
    let best = program.mean(|cpus, home| fastest(cpus).min(case.machine.ns[cpus][home]));
    let truth = 100.0 * (now / best - 1.0);
    let holds = least - ROUNDING <= truth && truth <= most + ROUNDING;
    table.judge("bounds of the cost", holds, || format!("{truth} {}", case.shown()));
}

fn judge_cure(table: &mut Table, case: &Case, program: &DrawnProgram, cure: &CureClaim) {
    if let Remedy::Balancing = cure.remedy {
        let ns = &case.machine.ns;
        let pairs = case.program.pairs();
        let helps = pairs.iter().any(|&(cpus, home)| ns[cpus][cpus] < ns[cpus][home]);
        table.judge("balancing is listed", helps, || case.shown());
        return;
    }
    let changes = case.changes(&cure.remedy);
    let helps = changes.iter().any(|change| *change < 0.0);
    table.judge("a cure is listed", helps, || case.shown());
    if cure.is_always_faster {
        let always = changes.iter().all(|change| *change < 0.0);
        table.judge("a cure is always faster", always, || case.shown());
    }
    let Some([least, most]) = cure.bounds else { return };
    let truth = 100.0 * case.change(program, &cure.remedy);
    let holds = least.percent - ROUNDING <= truth && truth <= most.percent + ROUNDING;
    table.judge("bounds of a cure", holds, || format!("{truth} {cure:?} {}", case.shown()));
    table.judge("slower in the worst case", cure.may_be_slower == (most.percent > 0.0), || {
        case.shown()
    });
    for end in [least, most] {
        judge_end(table, case, cure, end);
    }
}

/// The figure is that of the access that it names, with the survey's intervals at most.
fn judge_end(table: &mut Table, case: &Case, cure: &CureClaim, end: End) {
    let Some((cpus, home)) = end.access else { return };
    let ns = &case.survey.measured;
    let cpus = cpus.unwrap_or_else(|| case.program.pairs()[0].0);
    let after: Vec<f64> = match &cure.remedy {
        Remedy::Pages(nodes) => nodes.iter().map(|node| ns[cpus][*node]).collect(),
        Remedy::Threads(node) => vec![ns[*node][home]],
        Remedy::Balancing => return,
    };
    let reach = case.survey.reach * case.survey.reach;
    let is_of = |after: &f64| {
        let ratio = after / ns[cpus][home];
        let ends = [100.0 * (ratio / reach - 1.0) - 1.0, 100.0 * (ratio * reach - 1.0) + 1.0];
        (ends[0]..=ends[1]).contains(&end.percent)
    };
    table.judge("figures of the named access", after.iter().any(is_of), || case.shown());
}

fn judge_verdict(table: &mut Table, case: &Case, program: &DrawnProgram, verdict: &str) {
    const NOTHING: &str = "verdict: nothing to gain";
    const ALWAYS: &str = "verdict: misplaced";
    const DEPENDS: &str = "verdict: depends";
    let remedies = case.remedies();
    let always = |floor: f64| {
        remedies.iter().any(|remedy| case.changes(remedy).iter().all(|change| *change <= -floor))
    };
    let sometimes =
        remedies.iter().any(|remedy| case.changes(remedy).iter().any(|change| *change < 0.0));
    if verdict.starts_with("Nothing is lost") {
        let gains = remedies.iter().map(|remedy| -case.change(program, remedy));
        let most = gains.fold(0.0, f64::max);
        table.judge(NOTHING, most < FLOOR, || format!("{most} {}", case.shown()));
    } else if verdict.starts_with("Something is lost") {
        table.judge(ALWAYS, always(0.0), || case.shown());
    } else if verdict.starts_with("Something may be lost") {
        match always(2.0 * FLOOR) {
            true => table.miss(ALWAYS),
            false => table.judge(DEPENDS, sometimes, || case.shown()),
        }
    } else {
        assert!(verdict.starts_with("Not known"), "{}", case.shown());
        table.miss(NOTHING);
    }
}

#[test]
fn claims_hold_on_drawn_machines_and_programs() {
    let mut table = Table::default();
    let mut without_located = 0;
    for seed in 0..CASES {
        let case = Case::new(seed);
        let claims = Claims::read(&case.text);
        // What is claimed of located pages is judged by the use of these.
        let located = case.program.using_located_pages();
        let program = match (claims.is_of_located, &located) {
            (false, _) => &case.program,
            (true, Some(program)) => program,
            (true, None) => {
                without_located += 1;
                continue;
            }
        };
        judge_cost(&mut table, &case, program, &claims);
        for cure in &claims.cures {
            judge_cure(&mut table, &case, program, cure);
        }
        judge_verdict(&mut table, &case, program, &claims.verdict);
    }
    let all = [0, 1, 2].map(|at| table.0.values().map(|counts| counts[at]).sum::<usize>());
    println!("{:<40} {:>6} {:>6} {:>6}\n{}", "claim", "right", "missed", "wrong", table.text());
    println!("all {all:?}; {without_located} use no located page");
    let share = all[2] as f64 / all.iter().sum::<usize>() as f64;
    assert!(share < 0.005, "{share}\n{}", table.1[..table.1.len().min(8)].join("\n\n"));
    assert!(all[0] > 5000 && all[1] < all[0] / 20, "{all:?}");
}
