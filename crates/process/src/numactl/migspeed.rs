//! migspeed: how fast the kernel moves pages from nodes to nodes.

use std::ffi::OsString;
use std::time::Instant;

use lexopt::prelude::{Short, Value, ValueExt};
use nearfar_machine::{ListContext, PageSizes, Source, node_list, own_numa_maps_line};
use nearfar_model::{Bytes, NodeSet};
use nearfar_place::{ExistingPages, Memory, PlaceError, Policy, PolicyFlags};

use crate::launch::size;
use crate::numactl::Completion;
use crate::numactl::Misuse;
use crate::numactl::Printer;
use crate::numactl::error::NumactlError;

/// What works where the timed calls are denied.
const STILL: &str =
    "nothing is left to time of it; 'numademo -f' still times memory without policies";
const USAGE: &str = "\
usage migspeed [-p pages] [-h] [-v] from-nodes to-nodes
      from and to nodes may specified in form N or N-N
      -p pages  number of pages to try (defaults to 1000)
      -v        verbose
      -h        usage";

#[derive(Debug, PartialEq)]
struct MigspeedRequest {
    pages: u64,
    verbose: u32,
    from: String,
    to: String,
}

/// Runs it with the words behind its name.
pub(crate) fn run(
    words: Vec<OsString>,
    printer: &mut Printer<'_>,
) -> Result<Completion, NumactlError> {
    printer
        .follow(MigspeedRequest::parse(words), USAGE, MigspeedRequest::measure)
        .map_err(|error| error.but_still(STILL))
}

impl MigspeedRequest {
    fn parse(words: Vec<OsString>) -> Result<Self, Misuse> {
        let (mut pages, mut verbose, mut nodes) = (1000, 0, Vec::new());
        let mut parser = lexopt::Parser::from_args(words);
        while let Some(word) = parser.next()? {
            match word {
                Short('h' | '?') => return Err(Misuse::HELP),
                Short('v') => verbose += 1,
                Short('p') => {
                    let text = parser.value()?.string()?;
                    let number = size::number(&text).filter(|pages| *pages > 0);
                    pages = number.ok_or_else(|| format!("'{text}' is no number of pages"))?;
                }
                Value(list) => nodes.push(list.string()?),
                other => return Err(other.unexpected().into()),
            }
        }
        let [from, to]: [String; 2] =
            nodes.try_into().map_err(|_| "two lists of nodes are wanted, from and to")?;
        Ok(Self { pages, verbose, from, to })
    }

    fn measure(&self, printer: &mut Printer<'_>) -> Result<Completion, NumactlError> {
        let source = Source::live();
        let lists = ListContext::new(&source);
        let (from, to) = (node_list(&self.from, &lists)?, node_list(&self.to, &lists)?);
        if self.verbose > 1 {
            let last = lists.online_nodes().last().map_or(0, |node| node.0);
            printer.text(&format!("numa_max_node = {last}\n"))?;
        }
        self.print_line(printer, &format!("From: {}\nTo: {}\n", words(&from), words(&to)))?;
        let page = PageSizes::read(&source).base.ok_or(NumactlError::NoPageSize)?;
        self.print_line(
            printer,
            &format!("Allocating {} pages of {} bytes of memory\n", self.pages, page.0),
        )?;
        let size = Bytes(self.pages.checked_mul(page.0).ok_or(NumactlError::TooMuchMemory)?);
        let memory = Memory::bound(size, &from)?;
        // Counted and moved page by page, as numactl's does: huge pages move 512 at once.
        memory.keep_huge_pages_away();
        self.print_line(printer, "Dirtying memory....\n")?;
        memory.touch()?;
        self.print_line(printer, "Starting test\n")?;
        printer.text(&mapping_line(&source, &memory))?;
        let moved = TimedMove::bind(&memory, &to)?;
        printer.text(&mapping_line(&source, &memory))?;
        self.report(moved, size, &to, printer)
    }

    fn report(
        &self,
        moved: TimedMove,
        size: Bytes,
        to: &NodeSet,
        printer: &mut Printer<'_>,
    ) -> Result<Completion, NumactlError> {
        let TimedMove { to_move, stayed, seconds } = moved;
        if stayed > 0 {
            return Err(NumactlError::PagesStayed { stayed, pages: self.pages, to: to.clone() });
        }
        if to_move == 0 {
            printer.complain(format!(
                "all pages stood on nodes {to} already: this is the time of looking at them"
            ));
        }
        let megabytes = size.0 as f64 / f64::from(1 << 20);
        printer.text(&format!(
            "{megabytes:.1} Mbyte migrated in {seconds:.2} secs. {:.1} Mbytes/second\n",
            megabytes / seconds.max(1e-9)
        ))?;
        Ok(Completion::Full)
    }

    fn print_line(&self, printer: &mut Printer<'_>, text: &str) -> Result<(), NumactlError> {
        if self.verbose > 0 { printer.text(text) } else { Ok(()) }
    }
}

/// The line of this process's numa_maps about the memory.
fn mapping_line(source: &Source, memory: &Memory) -> String {
    let line = own_numa_maps_line(source, memory.start().addr() as u64);
    line.map_or_else(String::new, |line| format!("{line}\n"))
}

fn words(nodes: &NodeSet) -> String {
    nodes.iter().map(|node| format!("{node} ")).collect()
}

/// A move of memory to nodes, and whether it was one.
#[derive(Clone, Copy, Debug, PartialEq)]
struct TimedMove {
    /// Pages that were elsewhere before. Without any, the time is that of looking them up.
    to_move: usize,
    /// Pages that are still elsewhere. With any, the time means nothing.
    stayed: usize,
    /// What the call took, seconds.
    seconds: f64,
}

impl TimedMove {
    /// Binds memory to nodes by mbind(2), which moves its pages there, and times that call alone.
    /// Pages whose node the kernel does not report count as moved.
    fn bind(memory: &Memory, to: &NodeSet) -> Result<Self, PlaceError> {
        let to_move = elsewhere(memory, to)?;
        let start = Instant::now();
        memory.set_policy(
            &Policy::Bind(to.clone()),
            PolicyFlags::default(),
            ExistingPages::Move,
        )?;
        let seconds = start.elapsed().as_secs_f64();
        Ok(Self { to_move, stayed: elsewhere(memory, to)?, seconds })
    }
}

/// Pages on other nodes than these.
fn elsewhere(memory: &Memory, nodes: &NodeSet) -> Result<usize, PlaceError> {
    let residences = memory.residences()?;
    Ok(residences
        .iter()
        .filter(|page| page.node().is_some_and(|node| !nodes.contains(node)))
        .count())
}

#[cfg(test)]
mod tests {
    use nearfar_model::{Bytes, NodeId};
    use nearfar_place::allowed_nodes;

    use super::*;

    #[test]
    fn two_lists_and_pages_are_required() {
        let request =
            |words: &[&str]| MigspeedRequest::parse(words.iter().map(Into::into).collect());
        let given = request(&["-vp", "0x10", "0", "1-2", "-v"]).unwrap();
        assert_eq!(
            (given.pages, given.verbose, given.from.as_str(), given.to.as_str()),
            (16, 2, "0", "1-2")
        );
        assert_eq!(request(&["-h"]), Err(Misuse::HELP));
        for wrong in [
            &["0"][..],
            &[],
            &["-p", "0", "0", "0"],
            &["-p", "x", "0", "0"],
            &["-q", "0", "0"],
            &["0", "1", "2"],
        ] {
            assert!(request(wrong).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn moves_take_time_and_leave_no_pages() {
        let nodes = allowed_nodes().unwrap();
        let memory = Memory::bound(Bytes::kib(256), &nodes).unwrap();
        memory.touch().unwrap();
        let moved = TimedMove::bind(&memory, &nodes).unwrap();
        assert!(moved.seconds > 0.0 && (moved.to_move, moved.stayed) == (0, 0), "{moved:?}");
        assert_eq!(
            elsewhere(&memory, &NodeSet::from_id(NodeId(777))).unwrap(),
            memory.pages().count()
        );
        assert!(TimedMove::bind(&memory, &NodeSet::from_id(NodeId(777))).is_err());
    }
}
