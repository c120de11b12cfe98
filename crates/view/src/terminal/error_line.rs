//! An error in a line.

use std::error::Error;
use std::iter;

/// An error and its causes in one line. An error whose message has its cause returns none as its
/// source.
pub fn error_line(error: &(dyn Error + 'static)) -> String {
    let chain = iter::successors(Some(error), |&error| error.source());
    chain.map(ToString::to_string).collect::<Vec<_>>().join(": ")
}
