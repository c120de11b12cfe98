//! Sharing among instruments that are simulated: their standard error falls with the square root of their portions.

use std::cell::Cell;
use std::rc::Rc;

use proptest::prelude::*;

use super::*;

/// An instrument on a simulated clock.
#[derive(Clone)]
struct Simulated {
    clock: Rc<Cell<f64>>,
    /// What it says that its turns take.
    says: [f64; 2],
    /// How many times that they take in truth.
    pace: f64,
    /// Its uncertainty after one portion; infinite: never known.
    scatter: f64,
    /// At which portion it fails, and whether that ends all.
    fails_at: Option<(u32, bool)>,
    portions: u32,
    begun: Option<Extent>,
}

impl Simulated {
    fn takes(&mut self, seconds: f64, allowed: Option<Duration>) -> Result<(), bool> {
        let most = allowed.map_or(f64::INFINITY, |allowed| allowed.as_secs_f64());
        self.clock.set(self.clock.get() + (seconds * self.pace).min(most));
        self.portions += 1;
        match self.fails_at {
            Some((at, ends_all)) if at == self.portions => Err(ends_all),
            _ => Ok(()),
        }
    }
}

impl Portions for Simulated {
    type Error = bool;

    fn expected(&self, extent: Extent) -> Duration {
        Duration::from_secs_f64(if extent == Extent::Least { self.says[0] } else { 10.0 * self.says[0] })
    }

    fn begin(&mut self, extent: Extent, allowed: Option<Duration>) -> Result<(), bool> {
        self.begun = Some(extent);
        self.takes(self.expected(extent).as_secs_f64(), allowed)
    }

    fn uncertainty(&self) -> Option<f64> {
        let now = self.scatter / f64::from(self.portions.max(1)).sqrt();
        now.is_finite().then_some(now)
    }

    fn further(&self) -> Option<Duration> {
        (self.portions < 1_000).then(|| Duration::from_secs_f64(self.says[1]))
    }

    fn go_on(&mut self, allowed: Duration) -> Result<(), bool> {
        self.takes(self.says[1], Some(allowed))
    }

    fn ends_all(error: &bool) -> bool {
        *error
    }
}

fn machine(scatters: &[f64]) -> (Vec<Simulated>, Rc<Cell<f64>>) {
    let clock = Rc::new(Cell::new(0.0));
    let one = |&scatter: &f64| Simulated {
        clock: clock.clone(),
        says: [10.0, 2.0],
        pace: 1.0,
        scatter,
        fails_at: None,
        portions: 0,
        begun: None,
    };
    (scatters.iter().map(one).collect(), clock)
}

fn share(instruments: &mut [Simulated], clock: &Cell<f64>, budget: Option<u64>) -> Vec<Share<bool>> {
    share_out(instruments, budget.map(Duration::from_secs), &|| Duration::from_secs_f64(clock.get()))
}

#[test]
fn time_goes_to_what_is_least_certain() {
    let (mut instruments, clock) = machine(&[2.0, 9.0, 0.5]);
    let shares = share(&mut instruments, &clock, Some(60));
    let portions: Vec<u32> = shares.iter().map(|share| share.portions).collect();
    // 30 s of least portions leave fifteen further ones, all of them for the second: nine times what it aims at is three after nine.
    assert_eq!(portions, [1, 16, 1]);
    assert!((clock.get() - 60.0).abs() < 1e-9);
}

#[test]
fn the_hopeless_take_turns() {
    let (mut instruments, clock) = machine(&[100.0, 900.0, 3.9]);
    let shares = share(&mut instruments, &clock, Some(50));
    assert_eq!(shares.iter().map(|share| share.portions).collect::<Vec<_>>(), [6, 6, 1]);
}

#[test]
fn it_stops_when_all_are_as_certain_as_they_should_be() {
    let (mut instruments, clock) = machine(&[2.0, 3.0, 0.5]);
    let shares = share(&mut instruments, &clock, Some(3_600));
    let portions: Vec<u32> = shares.iter().map(|share| share.portions).collect();
    assert_eq!(portions, [4, 9, 1]);
    assert!(clock.get() < 60.0, "{}", clock.get());
}

#[test]
fn what_has_no_time_is_left_out_and_told_with_the_time_that_it_takes() {
    let (mut instruments, clock) = machine(&[1.0, 1.0, 1.0]);
    instruments[1].says[0] = 100.0;
    let shares = share(&mut instruments, &clock, Some(25));
    assert_eq!(shares[1].left_out, Some(Duration::from_secs(100)));
    assert_eq!((shares[0].portions, shares[1].portions, shares[2].portions), (1, 0, 1));
}

#[test]
fn a_slow_machine_is_noticed_before_the_next_instrument_begins() {
    let (mut instruments, clock) = machine(&[1.0, 1.0]);
    instruments.iter_mut().for_each(|instrument| instrument.pace = 2.0);
    let shares = share(&mut instruments, &clock, Some(35));
    assert_eq!((shares[0].portions, shares[1].left_out), (1, Some(Duration::from_secs(20))));
}

#[test]
fn one_that_was_left_out_begins_once_there_proves_to_be_time_for_it() {
    let (mut instruments, clock) = machine(&[1.0, 1.0, 1.0]);
    (instruments[0].pace, instruments[1].says[0], instruments[2].says[0]) = (5.0, 15.0, 10.0);
    instruments[2].pace = 0.1;
    // 50 of 100 s are over when the second would take 75 s; with the third it looks like 38 s of 49.
    let shares = share(&mut instruments, &clock, Some(100));
    assert_eq!((shares[1].portions, shares[1].left_out), (1, None));
}

#[test]
fn one_that_fails_takes_no_other_with_it() {
    let (mut instruments, clock) = machine(&[1.0, 5.0, 1.0]);
    instruments[1].fails_at = Some((1, false));
    let shares = share(&mut instruments, &clock, Some(60));
    assert_eq!((shares[1].failed, shares[1].portions), (Some(false), 1));
    assert_eq!((shares[0].failed, shares[2].portions), (None, 1));
}

#[test]
fn an_error_that_ends_all_leaves_what_the_others_have() {
    for (fails_at, first_turns) in [(1, [true, false, false]), (2, [true, true, true])] {
        let (mut instruments, clock) = machine(&[1.0, 5.0, 1.0]);
        instruments[1].fails_at = Some((fails_at, true));
        let shares = share(&mut instruments, &clock, Some(60));
        assert_eq!(shares[1].failed, Some(true));
        assert_eq!(shares.iter().map(Share::has_first_turn).collect::<Vec<_>>(), first_turns);
        assert!(clock.get() < 60.0, "nobody measures any more");
    }
}

#[test]
fn one_that_never_knows_its_error_does_not_keep_the_others_waiting() {
    let (mut instruments, clock) = machine(&[f64::INFINITY, 3.0]);
    let shares = share(&mut instruments, &clock, Some(60));
    assert_eq!(shares[1].portions, 9, "{shares:?}");
    assert!(clock.get() <= 60.0 + 1e-9);
}

#[test]
fn without_a_budget_each_goes_to_what_it_aims_at_once() {
    let (mut instruments, clock) = machine(&[5.0, 5.0]);
    let shares = share(&mut instruments, &clock, None);
    assert!(shares.iter().all(|share| share.portions == 1));
    assert!(instruments.iter().all(|instrument| instrument.begun == Some(Extent::Whole)));
}

proptest! {
    #[test]
    fn no_machine_takes_longer_than_its_budget_and_importance_goes_first(
        machines in proptest::collection::vec((0.1f64..30.0, 0.1f64..5.0, 0.2f64..4.0, 0.1f64..50.0), 1..7),
        budget in 1u64..300,
    ) {
        let (mut instruments, clock) = machine(&vec![1.0; machines.len()]);
        for (instrument, (least, further, pace, scatter)) in instruments.iter_mut().zip(&machines) {
            (instrument.says, instrument.pace, instrument.scatter) = ([*least, *further], *pace, *scatter);
        }
        let shares = share(&mut instruments, &clock, Some(budget));
        prop_assert!(clock.get() <= budget as f64 + 1e-6, "{} of {budget} s", clock.get());
        for (share, (least, ..)) in shares.iter().zip(&machines) {
            prop_assert_eq!(share.portions == 0, share.left_out.is_some());
            // Nobody is left out at the beginning who would have fitted at the machine's slowest pace.
            prop_assert!(share.left_out.is_none() || machines.iter().map(|one| one.0 * 4.0).sum::<f64>() + least * 4.0 > budget as f64);
        }
        // Nobody wants more who could still have it.
        let left = budget as f64 - clock.get();
        for (instrument, share) in instruments.iter().zip(&shares).filter(|(_, share)| share.portions > 1) {
            let pace = instrument.pace;
            let wants = instrument.uncertainty().is_some_and(|uncertainty| uncertainty > 1.0) && instrument.portions < 1_000;
            prop_assert!(!wants || instrument.says[1] * pace > left - 1e-6, "{share:?} with {left} s left");
        }
    }
}
