//! Overwrites words.

/// The text with an 'x' for every character that is not blank.
pub(super) fn overwritten(text: &str) -> String {
    text.chars().map(|letter| if letter.is_whitespace() { letter } else { 'x' }).collect()
}
