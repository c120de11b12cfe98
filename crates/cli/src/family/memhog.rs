//! The name `memhog`: takes memory under a policy, and writes all of it.

mod file;
mod request;

use std::ffi::OsString;
use std::process::ExitCode;

use anyhow::Context;
use nearfar_machine::{ListContext, Source, node_list};
use nearfar_model::{Bytes, NodeSet};
use nearfar_place::{Memory, Policy};

use super::outcome::{status, usage};
use crate::denied::but_still;
use crate::output;
use request::{Backing, PolicyWord, Request};

const NAME: &str = "memhog";
/// What can be had without policies.
const STILL: &str = "without a policy it still takes memory, where the kernel gives it";
const USAGE: &str = "\
memhog [-fFILE] [-rNUM] size[kmg] [policy [nodeset]]
-f mmap is backed by FILE
-rNUM repeat memset NUM times
-H disable transparent hugepages
Policies: preferred-many local interleave weighted-interleave membind preferred default";

/// What is written between two dots.
const UNIT: usize = 10 << 20;
const BYTE: u8 = 0xff;

/// Runs it with the words behind its name.
pub(super) fn run(words: Vec<OsString>) -> ExitCode {
    match Request::parse(words) {
        Ok(request) => status(NAME, hog(&request).map_err(|error| but_still(error, STILL))),
        Err(wrong) => usage(NAME, USAGE, wrong.as_ref().map(|wrong| wrong as _)),
    }
}

fn hog(request: &Request) -> anyhow::Result<ExitCode> {
    let policy = policy(request)?;
    match &request.backing {
        Backing::File(path) => file::hog(path, request, &policy)?,
        Backing::Fresh { huge } => hog_fresh(request, &policy, *huge)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn policy(request: &Request) -> anyhow::Result<Policy> {
    let source = Source::live();
    let nodes = || -> anyhow::Result<NodeSet> {
        let list = request.nodes.as_deref().unwrap_or_default();
        Ok(node_list(list, &ListContext::new(&source))?)
    };
    Ok(match request.policy {
        PolicyWord::Default => Policy::Default,
        PolicyWord::Local => Policy::Local,
        PolicyWord::Membind => Policy::Bind(nodes()?),
        PolicyWord::Interleave => Policy::Interleave(nodes()?),
        PolicyWord::WeightedInterleave => Policy::WeightedInterleave(nodes()?),
        PolicyWord::PreferredMany => Policy::PreferredMany(nodes()?),
        PolicyWord::Preferred => {
            let nodes = nodes()?;
            let one = nodes.first().filter(|_| nodes.len() == 1);
            Policy::Preferred(
                one.with_context(|| format!("preferred takes one node, not {nodes}: preferred-many takes several"))?,
            )
        }
    })
}

fn hog_fresh(request: &Request, policy: &Policy, huge: bool) -> anyhow::Result<()> {
    let mut memory = Memory::with_policy(request.size, policy)?;
    if !huge {
        memory.keep_huge_pages_away();
    }
    let length = usize::try_from(request.size.0).unwrap_or(usize::MAX).min(memory.length());
    for _ in 0..request.repeat {
        for unit in memory[..length].chunks_mut(UNIT) {
            output::text(".")?;
            unit.fill(BYTE);
        }
        output::text("\n")?;
    }
    Ok(())
}

/// A size as a message shows it.
fn shown(size: Bytes) -> String {
    size.to_string()
}
