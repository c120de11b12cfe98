//! Number of generated inputs per property test. Tests of other crates include this file.

use std::env;

use proptest::test_runner::Config;

/// `PROPTEST_CASES`, or this number if it is unset.
pub(crate) fn cases(default: u32) -> Config {
    let config = Config::default();
    if env::var_os("PROPTEST_CASES").is_some() {
        config
    } else {
        Config { cases: default, ..config }
    }
}

/// Number of simulations in a test: `long` with `PROPTEST_CASES` set.
#[allow(dead_code)] // of infer only
pub(crate) fn simulations(default: u64, long: u64) -> u64 {
    if env::var_os("PROPTEST_CASES").is_some() { long } else { default }
}
