//! The first JSON value of a text, also one that a terminal folded.

use serde_json::{Deserializer, Error, Value};

use crate::source::RefusedText;

/// Reads the first value; more may follow it. `None` where nothing is.
pub(super) fn first(text: &str) -> Option<Result<Value, RefusedText>> {
    // Within a string, an end of line is an error of its own, and not the end of the text.
    let text = text.trim_end();
    let error = match value(text)? {
        Ok(value) => return Some(Ok(value)),
        Err(error) => error,
    };
    let cut = RefusedText::CutAfter(text.lines().count());
    if error.is_eof() {
        return Some(Err(cut));
    }
    // Folded lines are those of the program once more where they are joined.
    Some(match value(&text.replace('\n', ""))? {
        Ok(value) => Ok(value),
        Err(unfolded) if unfolded.is_eof() => Err(cut),
        Err(_) => Err(RefusedText::Damaged(error.line())),
    })
}

fn value(text: &str) -> Option<Result<Value, Error>> {
    Deserializer::from_str(text).into_iter().next()
}
