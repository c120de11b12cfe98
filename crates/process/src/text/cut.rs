//! Long texts, cut to a number of characters.

/// The start of a long text.
pub(super) fn cut(text: &str, most: usize) -> String {
    let kept: String = text.chars().take(most).collect();
    if kept.len() < text.len() { kept + "..." } else { kept }
}

/// The end of a long text: the end of a path identifies it better.
pub(super) fn cut_front(text: &str, most: usize) -> String {
    let length = text.chars().count();
    if length <= most {
        return text.to_owned();
    }
    format!("...{}", text.chars().skip(length - most).collect::<String>())
}
