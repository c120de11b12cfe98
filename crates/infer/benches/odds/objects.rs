//! Effects of objects: intervals, names, and the smallest that are found.

use std::fmt::Write as _;

use nearfar_infer::object_effects::{FarShares, ObjectEffect, ObjectVerdict, object_effects};

use crate::replay::objects::SimulatedObjects;
use crate::replay::program::ProgramNoise;
use crate::share::count;

/// Numbers of objects: a program of few arrays, and as many as there may be.
const OBJECTS: [usize; 2] = [5, 24];
/// Blocks of a run without options.
const BLOCKS: u32 = 4;
/// Effects of two objects; the others have none.
const EFFECTS: [f64; 2] = [0.3, 0.05];

pub(crate) fn table(replays: u64) -> String {
    let mut text = format!(
        "## Objects of programs\n\nPer cent of {replays} programs of 5 or 24 objects, in {BLOCKS} \
         blocks: 64 or 192 runs. *holds*: of all 95 % intervals, those with the truth, where two \
         objects cost 30 % and 5 % and the others nothing. *found*: both are named. *invented*: \
         an object is named in a program in which none costs anything (in brackets the upper end \
         of its 95 % interval, 1 by design). Noise is that of a run: 2 % of scatter and more. 192 \
         runs take 10 minutes at 3.1 s each.\n\n\
         | noise | objects | holds | found | invented |\n|---|---|---|---|---|\n"
    );
    for noise in ProgramNoise::OF_TIME {
        for of in OBJECTS {
            eprintln!("odds: objects, {}, {of}", noise.name());
            let _ = writeln!(text, "{}", line(noise, of, replays));
        }
    }
    text
}

fn found(program: &SimulatedObjects, seed: u64) -> Vec<ObjectEffect> {
    let shares = vec![FarShares::WHOLE; program.effects.len()];
    object_effects(&program.design(), &program.runs(BLOCKS, seed), &shares).objects
}

fn line(noise: ProgramNoise, of: usize, replays: u64) -> String {
    let mut effects = vec![0.0; of];
    [effects[1], effects[3]] = EFFECTS;
    let some = SimulatedObjects { effects, noise };
    // An interval of each program: object after object.
    let [holds] = count(replays, |seed| {
        let at = seed as usize % of;
        let effect = found(&some, seed)[at].effect;
        let truth = some.effects[at];
        [effect.is_some_and(|effect| effect.ci95[0] <= truth && truth <= effect.ci95[1])]
    });
    let [both] = count(replays, |seed| {
        let found = found(&some, seed);
        [[1, 3].iter().all(|at: &usize| found[*at].verdict == ObjectVerdict::Costs)]
    });
    let none = SimulatedObjects { effects: vec![0.0; of], noise };
    let [invented] = count(replays, |seed| [found(&none, seed).iter().any(|one| one.is_named)]);
    let upper = crate::share::percent(invented.upper());
    format!(
        "| {} | {of} | {} | {} | {} ({upper}) |",
        noise.name(),
        holds.percent(),
        both.percent(),
        invented.percent()
    )
}
