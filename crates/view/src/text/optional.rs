//! What is written of a figure that may not be there.

/// It, or a dash.
pub fn or_dash(value: Option<impl ToString>) -> String {
    value.map_or_else(|| "-".to_owned(), |value| value.to_string())
}

/// It, or nothing.
pub fn or_empty(value: Option<impl ToString>) -> String {
    value.map_or_else(String::new, |value| value.to_string())
}

/// Both ends of an interval; empty where there is none.
pub fn ends(interval: Option<[impl ToString; 2]>) -> [String; 2] {
    interval.map_or_else(Default::default, |ends| ends.map(|end| end.to_string()))
}
