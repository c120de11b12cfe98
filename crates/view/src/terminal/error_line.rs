//! An error in a line.

use std::error::Error;
use std::iter;

/// An error and its causes in one line, without causes that the line contains already.
pub fn error_line(error: &(dyn Error + 'static)) -> String {
    let mut line = error.to_string();
    for cause in iter::successors(error.source(), |&cause| cause.source()) {
        let text = cause.to_string();
        if !line.contains(&text) {
            line = format!("{line}: {text}");
        }
    }
    line
}
