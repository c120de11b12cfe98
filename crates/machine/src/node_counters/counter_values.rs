//! Named counter values in the kernel's order.

use nearfar_model::Bytes;
use serde::{Serialize, Serializer};

/// Named counter values in the kernel's order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CounterValues(Vec<(String, u64)>);

impl CounterValues {
    /// Parses lines `name number`. Other lines are skipped.
    pub(super) fn counters(text: &str) -> Self {
        let figure = |line: &str| {
            let (name, number) = line.trim().split_once(char::is_whitespace)?;
            Some((name.to_owned(), number.trim().parse().ok()?))
        };
        Self(text.lines().filter_map(figure).collect())
    }

    /// Parses a node's `meminfo`, in bytes: `Node 0 MemFree:  12 kB`. Lines without a unit count
    /// huge pages of the default size, and are skipped if that size is unknown.
    pub(super) fn sizes(text: &str, huge_page: Option<Bytes>) -> Self {
        let figure = |line: &str| {
            let (before, value) = line.split_once(':')?;
            let name = before.split_whitespace().last()?;
            let bytes = match value.trim().strip_suffix("kB") {
                Some(kilobytes) => kilobytes.trim().parse::<u64>().ok()?.checked_mul(1024)?,
                None => value.trim().parse::<u64>().ok()?.checked_mul(huge_page?.0)?,
            };
            Some((name.to_owned(), bytes))
        };
        Self(text.lines().filter_map(figure).collect())
    }

    /// The value with this name.
    pub fn get(&self, name: &str) -> Option<u64> {
        self.iter().find(|(known, _)| *known == name).map(|(_, number)| number)
    }

    /// All values, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, u64)> {
        self.0.iter().map(|(name, number)| (name.as_str(), *number))
    }

    /// The difference to an earlier reading. Decreasing and new counters count as 0.
    pub fn since(&self, earlier: &Self) -> Self {
        let gone = |(name, now): (&str, u64)| {
            (name.to_owned(), now.saturating_sub(earlier.get(name).unwrap_or(now)))
        };
        Self(self.iter().map(gone).collect())
    }
}

impl<'n> FromIterator<(&'n str, u64)> for CounterValues {
    fn from_iter<I: IntoIterator<Item = (&'n str, u64)>>(figures: I) -> Self {
        Self(figures.into_iter().map(|(name, number)| (name.to_owned(), number)).collect())
    }
}

nearfar_model::schema_as!(CounterValues: std::collections::BTreeMap<String, u64>);

impl Serialize for CounterValues {
    /// A map by name.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn values_keep_the_kernel_s_order() {
        let figures = CounterValues::counters("numa_hit 12\nnonsense\nnuma_miss x\nb 3\na 4\n");
        assert_eq!(figures.iter().collect::<Vec<_>>(), [("numa_hit", 12), ("b", 3), ("a", 4)]);
    }

    #[test]
    fn sizes_of_unknown_pages_are_skipped() {
        let sizes = CounterValues::sizes(
            "Node 0 A: 1 kB\nNode 0 HugePages_Free: 5\nNode 0 B: 99999999999999999999 kB",
            None,
        );
        assert_eq!(sizes.iter().collect::<Vec<_>>(), [("A", 1024)]);
    }

    #[test]
    fn differences_are_never_negative() {
        let (then, now) =
            (CounterValues::counters("a 5\nb 9"), CounterValues::counters("a 8\nb 1\nc 4"));
        assert_eq!(now.since(&then).iter().collect::<Vec<_>>(), [("a", 3), ("b", 0), ("c", 0)]);
    }

    proptest! {
        #[test]
        fn any_text_is_parsed(
            text in "(Node [0-9]{1,3} [A-Za-z()]{0,9}:? *[0-9]{0,25} ?(kB)?\n|.{0,30}\n){0,9}"
        ) {
            let counted = CounterValues::counters(&text);
            let sized = CounterValues::sizes(&text, Some(Bytes(u64::MAX)));
            prop_assert!(counted.since(&sized).iter().count() <= text.lines().count());
        }
    }
}
