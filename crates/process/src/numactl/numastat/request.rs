//! numastat's arguments.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use lexopt::prelude::{Long, Short, Value, ValueExt};
use nearfar_model::NodeId;

use super::tables::{SortBy, TableOptions};
use crate::numactl::misuse::Misuse;

#[derive(Debug, Default, PartialEq)]
pub(super) struct NumastatRequest {
    /// Whether any of numastat's own options was given: without them its oldest table is printed.
    pub(super) any: bool,
    pub(super) memory: bool,
    pub(super) allocations: bool,
    pub(super) processes: Vec<String>,
    /// How tables look; the width is not an option.
    pub(super) shape: TableOptions,
    pub(super) version: bool,
    pub(super) json: bool,
    pub(super) root: Option<PathBuf>,
}

impl NumastatRequest {
    pub(super) fn parse(words: Vec<OsString>) -> Result<Self, Misuse> {
        let (mut request, mut help) = (Self::default(), false);
        let mut parser = lexopt::Parser::from_args(words);
        while let Some(word) = parser.next()? {
            request.any |= !matches!(word, Long("json" | "root"));
            match word {
                Short('c') => request.shape.narrow = true,
                Short('m') => request.memory = true,
                Short('n') => request.allocations = true,
                Short('p') => request.processes.push(parser.value()?.string()?),
                Short('s') => {
                    request.shape.sort = Some(sort_by(parser.optional_value().as_deref()));
                }
                Short('v') => request.shape.verbose = true,
                Short('V') => request.version = true,
                Short('z') => request.shape.skip_zeros = true,
                Short('?' | 'h') | Long("help") => help = true,
                Long("json") => request.json = true,
                Long("root") => request.root = Some(parser.value()?.into()),
                Value(process) => request.processes.push(process.string()?),
                other => return Err(other.unexpected().into()),
            }
        }
        if help { Err(Misuse::HELP) } else { Ok(request) }
    }
}

/// A node's number; anything else sorts by the total, as it always has.
fn sort_by(value: Option<&OsStr>) -> SortBy {
    let number = value.and_then(|value| value.to_str()?.parse().ok());
    number.map_or(SortBy::Total, |number| SortBy::Node(NodeId(number)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(words: &[&str]) -> Result<NumastatRequest, Misuse> {
        NumastatRequest::parse(words.iter().map(Into::into).collect())
    }

    #[test]
    fn options_stand_together_and_between_processes() {
        let all = request(&["-czmn", "qemu", "-s2", "-p", "12", "-v"]).unwrap();
        assert!(
            all.shape.narrow
                && all.shape.skip_zeros
                && all.shape.verbose
                && all.memory
                && all.allocations
                && all.any
        );
        assert_eq!(
            (all.processes, all.shape.sort),
            (vec!["qemu".into(), "12".into()], Some(SortBy::Node(NodeId(2))))
        );
        assert_eq!(request(&["-czs", "kvm"]).unwrap().shape.sort, Some(SortBy::Total));
    }

    #[test]
    fn the_oldest_table_is_the_default() {
        assert!(!request(&[]).unwrap().any);
        assert!(!request(&["--json"]).unwrap().any);
        assert!(request(&["-c"]).unwrap().any);
    }

    #[test]
    fn unknown_options_and_missing_values_are_wrong() {
        assert!(
            request(&["-x"]).is_err()
                && request(&["-p"]).is_err()
                && request(&["--nonsense"]).is_err()
        );
    }
}
