//! What is wrong with a page, and in which views of it.

use std::fmt::{self, Display, Formatter};

use super::view::View;

/// Something wrong, as one view shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ViewFault {
    pub(super) what: String,
    /// Which element, and how it begins.
    pub(super) where_: String,
}

/// The same in one or several views of a page.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct SeenFault {
    page: String,
    views: Vec<View>,
    fault: ViewFault,
}

impl ViewFault {
    pub(super) fn new(what: impl Into<String>, where_: impl Into<String>) -> Self {
        Self { what: what.into(), where_: where_.into() }
    }
}

/// Each fault once, in the order of its first view. What has other numbers in another view is
/// another fault.
pub(super) fn merged(page: &str, seen: Vec<(View, ViewFault)>) -> Vec<SeenFault> {
    let mut all: Vec<SeenFault> = Vec::new();
    for (view, fault) in seen {
        match all.iter_mut().find(|merged| merged.fault == fault) {
            Some(merged) if merged.views.contains(&view) => {}
            Some(merged) => merged.views.push(view),
            None => all.push(SeenFault { page: page.to_owned(), views: vec![view], fault }),
        }
    }
    all
}

impl Display for SeenFault {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let views: Vec<String> = self.views.iter().map(View::to_string).collect();
        let views =
            if views.len() == View::ALL.len() { "every view".to_owned() } else { views.join(", ") };
        write!(f, "{}: {views}: {}: {}", self.page, self.fault.what, self.fault.where_)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_of_all_views_is_reported_once() {
        let common = View::ALL.map(|view| (view, ViewFault::new("page has no title", "page")));
        let one = (View::ALL[1], ViewFault::new("texts overlap", "svg > text \"3\""));
        let lines: Vec<String> = merged("a.html", common.into_iter().chain([one]).collect())
            .iter()
            .map(SeenFault::to_string)
            .collect();
        let overlap = r#"a.html: 1280 dark: texts overlap: svg > text "3""#;
        assert_eq!(lines, ["a.html: every view: page has no title: page", overlap]);
    }
}
