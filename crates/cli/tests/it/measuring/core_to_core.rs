//! `nearfar core-to-core` on the machine the tests run on.

use crate::measured::CORE_TO_CORE;
use crate::user::has_two_cpus;

#[test]
fn pairs_have_figures_in_order_and_are_shown_as_they_were() {
    if !has_two_cpus() {
        return;
    }
    let document = CORE_TO_CORE.document();
    let pairs = &document["core_to_core"];
    let all = pairs["all_pairs"].as_u64().unwrap();
    assert!(all >= 1 && pairs["measured_pairs"].as_u64().unwrap() <= all, "{pairs}");
    for cell in pairs["cells"].as_array().unwrap() {
        assert_ne!(cell["row"], cell["column"], "a CPU is no pair with itself");
    }
    assert_eq!(CORE_TO_CORE.shown(&[]), CORE_TO_CORE.screen);
}

#[test]
fn figures_follow_from_samples_and_seed() {
    if !has_two_cpus() {
        return;
    }
    let kept = CORE_TO_CORE.survey();
    let mut again = kept.clone();
    again.judge().unwrap();
    assert_eq!(again, kept);
}
