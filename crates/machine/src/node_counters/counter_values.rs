//! Named numbers in the order in which the kernel writes them.

use nearfar_model::Bytes;
use serde::{Serialize, Serializer};

/// Named numbers in the order in which the kernel writes them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CounterValues(Vec<(String, u64)>);

impl CounterValues {
    /// What a file of lines `name number` says. Other lines are left out.
    pub(super) fn counters(text: &str) -> Self {
        let figure = |line: &str| {
            let (name, number) = line.trim().split_once(char::is_whitespace)?;
            Some((name.to_owned(), number.trim().parse().ok()?))
        };
        Self(text.lines().filter_map(figure).collect())
    }

    /// What a node's `meminfo` says, in bytes: `Node 0 MemFree:  12 kB`. Lines without a unit count
    /// huge pages of the default size, and are left out when that size is not known.
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

    /// The number of this name.
    pub fn get(&self, name: &str) -> Option<u64> {
        self.iter().find(|(known, _)| *known == name).map(|(_, number)| number)
    }

    /// All of them, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, u64)> {
        self.0.iter().map(|(name, number)| (name.as_str(), *number))
    }

    /// What was counted since an earlier reading. What ran backwards, or was not there, counts as
    /// nothing.
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
    fn figures_keep_the_kernels_order() {
        let figures = CounterValues::counters("numa_hit 12\nnonsense\nnuma_miss x\nb 3\na 4\n");
        assert_eq!(figures.iter().collect::<Vec<_>>(), [("numa_hit", 12), ("b", 3), ("a", 4)]);
    }

    #[test]
    fn sizes_of_an_unknown_page_are_left_out() {
        let sizes = CounterValues::sizes(
            "Node 0 A: 1 kB\nNode 0 HugePages_Free: 5\nNode 0 B: 99999999999999999999 kB",
            None,
        );
        assert_eq!(sizes.iter().collect::<Vec<_>>(), [("A", 1024)]);
    }

    #[test]
    fn differences_never_run_backwards() {
        let (then, now) =
            (CounterValues::counters("a 5\nb 9"), CounterValues::counters("a 8\nb 1\nc 4"));
        assert_eq!(now.since(&then).iter().collect::<Vec<_>>(), [("a", 3), ("b", 0), ("c", 0)]);
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "(Node [0-9]{1,3} [A-Za-z()]{0,9}:? *[0-9]{0,25} ?(kB)?\n|.{0,30}\n){0,9}") {
            let (counted, sized) = (CounterValues::counters(&text), CounterValues::sizes(&text, Some(Bytes(u64::MAX))));
            prop_assert!(counted.since(&sized).iter().count() <= text.lines().count());
        }
    }
}
