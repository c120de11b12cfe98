//! Objects of processes: moved, or why they are not.

use nearfar_view::terminal::printable;

use crate::objects::{ObjectMoveDocument, WhyUnmovable};

/// What moving an object did.
pub fn text(moved: &ObjectMoveDocument) -> String {
    let (object, nodes) = (&moved.object, &moved.nodes);
    let name = printable::line(&object.name);
    let on = object.after.on_any(nodes);
    let came = object.after.on_any(nodes).0.saturating_sub(object.before.on_any(nodes).0);
    let mut text = format!(
        "{name}: {on} of {} on nodes {nodes}, {} of it moved now\n",
        object.after.total(),
        nearfar_model::Bytes(came)
    );
    if object.elsewhere.0 > 0 {
        text += &format!(
            "  {} did not move: pinned, shared with processes that were not named, or the nodes \
             are full\n",
            object.elsewhere
        );
    }
    text += "  its new pages go where its policy puts them\n";
    text
}

/// Why an object does not move, as a clause.
pub fn why_unmovable(why: WhyUnmovable) -> &'static str {
    match why {
        WhyUnmovable::HugePool => {
            "its pages are of a pool of huge pages (hugetlbfs): 'nearfar run -m N sysctl \
             vm.nr_hugepages_mempolicy=PAGES' reserves some on node N, 'nearfar run -m N' starts \
             the program there"
        }
        WhyUnmovable::SharedOutside => {
            "other processes map it, too: name all that share it, such as their control group"
        }
        WhyUnmovable::SharedWithin => "several processes map it: only root moves it",
        WhyUnmovable::Locked => "it is locked in memory (--move-locked moves it)",
        WhyUnmovable::Stayed => "the kernel did not move it: it is pinned, or its node is full",
        WhyUnmovable::TooMany => "24 threads at most are measured beside each other",
        WhyUnmovable::Confined => "it may run on CPUs of one of both nodes only",
    }
}
