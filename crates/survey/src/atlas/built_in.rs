//! The rows, and which of them are of a CPU.

use std::sync::OnceLock;

use crate::CpuNumbers;

use crate::atlas::cpu_name::plain;
use crate::atlas::family;
use crate::atlas::row::{self, AtlasRow};

const ROWS: &str = include_str!("../../atlas.toml");

/// Published figures.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Atlas {
    rows: Vec<AtlasRow>,
}

/// Rows of one CPU model, or of its family where the model has none.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AtlasMatch<'a> {
    /// Rows of the model itself.
    pub of_model: Vec<&'a AtlasRow>,
    /// Rows of the family, those of the model included.
    pub of_family: Vec<&'a AtlasRow>,
    /// The family's name, where the model's number gives it.
    pub family: Option<String>,
}

impl Atlas {
    /// The rows that come with nearfar.
    pub fn built_in() -> &'static Self {
        static ATLAS: OnceLock<Atlas> = OnceLock::new();
        ATLAS.get_or_init(|| {
            // The build script has parsed the same text.
            Self { rows: row::parse(ROWS).unwrap_or_default() }
        })
    }

    /// An atlas of these rows.
    pub fn new(rows: Vec<AtlasRow>) -> Self {
        Self { rows }
    }

    /// Every row.
    pub fn rows(&self) -> &[AtlasRow] {
        &self.rows
    }

    /// Rows whose CPU or family has these words, in any order: "7742", "skylake", "xeon gold".
    pub fn search(&self, words: &str) -> Vec<&AtlasRow> {
        let wanted = plain(words);
        let wanted: Vec<&str> = wanted.split(' ').collect();
        let has = |row: &&AtlasRow| {
            let text = format!("{} {}", plain(&row.cpu), row.family.to_lowercase());
            wanted.iter().all(|word| text.contains(word))
        };
        self.rows.iter().filter(has).collect()
    }

    /// Rows of a CPU as the kernel names it; a family also by CPUID's numbers.
    pub fn for_cpu(&self, model: &str, cpuid: Option<&CpuNumbers>) -> AtlasMatch<'_> {
        let name = plain(model);
        let of_model: Vec<&AtlasRow> =
            self.rows.iter().filter(|row| plain(&row.cpu) == name).collect();
        let by_number = || {
            let family = family::of_model(&name).or_else(|| family::for_cpuid(cpuid?));
            family.map(str::to_owned)
        };
        let family = of_model.first().map(|row| row.family.clone()).or_else(by_number);
        let of_family =
            self.rows.iter().filter(|row| Some(&row.family) == family.as_ref()).collect();
        AtlasMatch { of_model, of_family, family }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_rows_are_there() {
        let atlas = Atlas::built_in();
        assert!(atlas.rows().len() >= 140, "{}", atlas.rows().len());
        assert!(atlas.rows().iter().any(|row| row.read_again));
    }

    #[test]
    fn a_cpu_finds_its_rows_or_those_of_its_family() {
        let atlas = Atlas::built_in();
        let known = atlas.for_cpu("Intel(R) Xeon(R) Platinum 8280 CPU @ 2.70GHz", None);
        assert_eq!(known.of_model.len(), 1);
        assert_eq!(known.family.as_deref(), Some("Cascade Lake-SP"));
        let unknown = atlas.for_cpu("Intel(R) Xeon(R) Gold 6138 CPU @ 2.00GHz", None);
        assert!(unknown.of_model.is_empty() && unknown.of_family.len() > 5, "{unknown:?}");
        assert_eq!(atlas.for_cpu("Intel(R) Xeon(R) Processor", None), AtlasMatch::default());
    }

    #[test]
    fn searches_take_words_in_any_order() {
        let atlas = Atlas::built_in();
        assert!(atlas.search("7742 epyc").iter().all(|row| row.cpu == "AMD EPYC 7742"));
        assert!(atlas.search("7742").len() >= 3);
        assert!(atlas.search("skylake").len() > 5);
        assert!(atlas.search("pdp-11").is_empty());
    }

    #[test]
    fn wrong_rows_are_reported_by_what_is_wrong() {
        const ROW: &str = "[[row]]\nid = \"a\"\ncpu = \"A\"\nfamily = \"F\"\ntool = \"T\"\n\
                           platform = \"unknown\"\nmethod = \"mlc\"\nread_again = false\n\
                           source = \"https://example.org\"\n";
        let wrong = |text: String| row::parse(&text).unwrap_err();
        for (more, expected) in [
            ("", "row 'a': it has no figure"),
            ("local_ns = 0.08", "row 'a': local_ns is 0.08: check its unit"),
            ("local_ns = \"90\"", "line 10: "),
            ("latency = 90.0", "line 10: unknown field `latency`"),
            ("latency_ns = [[90.0, 140.0], [140.0]]", "rows of other lengths than 2"),
            ("nodes = 3\nlatency_ns = [[90.0]]", "latency_ns has 1 rows, other than nodes"),
            (
                "sockets = 2\nnodes = 2\nnodes_per_socket = 4\nlocal_ns = 90.0",
                "2 nodes are not 2 sockets of 4",
            ),
        ] {
            let why = wrong(format!("{ROW}{more}\n"));
            assert!(why.contains(expected), "{why:?} lacks {expected:?}");
        }
        let row = format!("{ROW}local_ns = 90.0\n");
        assert_eq!(wrong(format!("{row}{row}")), "row 'a': another row has this id");
        let unpublished = row.replace("https://example.org", "a friend");
        assert!(wrong(unpublished).contains("source is no address"));
    }
}
