//! The path of a line: links and a node's memory. Each lets one line pass after the other.

use crate::charges::{Charges, Link};
use crate::turnstile::Turnstile;

/// All links and memories of a machine.
#[derive(Debug)]
pub(crate) struct Paths {
    /// By home; absent where nothing limits it.
    memories: Vec<Option<Turnstile>>,
    links: Vec<Turnstile>,
    /// The links that a line passes to be read: group × home.
    to_read: Vec<Vec<Vec<usize>>>,
    /// The links that a line passes on its way back.
    to_write: Vec<Vec<Vec<usize>>>,
}

impl Paths {
    pub(crate) fn new(charges: &Charges) -> Self {
        Self {
            memories: charges
                .home_service_ns
                .iter()
                .map(|service_ns| service_ns.map(Turnstile::new))
                .collect(),
            links: charges.links.iter().map(|link| Turnstile::new(link.service_ns)).collect(),
            to_read: routes(charges, |link| &link.carries),
            to_write: routes(charges, |link| &link.carries_back),
        }
    }

    /// A group's CPU asks for a line at a time: returns when the line has come through to where
    /// only latency is left.
    pub(crate) fn read(&self, group: usize, home: usize, asked: u64) -> u64 {
        self.pass(&self.to_read[group][home], home, asked)
    }

    /// A group's CPU gives a line back to its home at a time: returns when it is through.
    pub(crate) fn write(&self, group: usize, home: usize, given: u64) -> u64 {
        self.pass(&self.to_write[group][home], home, given)
    }

    fn pass(&self, links: &[usize], home: usize, from: u64) -> u64 {
        let links = links.iter().map(|&link| &self.links[link]);
        links.chain(&self.memories[home]).fold(from, |at, turnstile| turnstile.pass(at))
    }
}

/// The links that carry the lines of each group and home.
fn routes(
    charges: &Charges,
    carries: impl Fn(&Link) -> &Vec<(usize, usize)>,
) -> Vec<Vec<Vec<usize>>> {
    let passes = |group: usize, home: usize| -> Vec<usize> {
        let links = charges.links.iter().enumerate();
        links
            .filter(|(_, link)| carries(link).contains(&(group, home)))
            .map(|(number, _)| number)
            .collect()
    };
    let (groups, homes) = (charges.latency_ns.len(), charges.home_service_ns.len());
    (0..groups).map(|group| (0..homes).map(|home| passes(group, home)).collect()).collect()
}
