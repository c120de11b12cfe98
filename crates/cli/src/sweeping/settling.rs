//! What an earlier nearfar left of the machine's settings, before a sweep.

use std::path::Path;

use nearfar_machine::guard::{GuardError, RUN, RootedFiles, Settled};
use nearfar_view::terminal::exit::WrongUsage;
use nearfar_view::terminal::output;

/// Restores what an earlier process left. A sweep that switches settings waits for another one that
/// does: each would take the other's for those before.
pub(super) fn settle(switches: bool) -> anyhow::Result<()> {
    match nearfar_machine::guard::settle(Path::new(RUN), &RootedFiles::live()) {
        Ok(Settled::Clear) => {}
        Ok(Settled::ChangedBy(guard)) if switches => {
            return Err(WrongUsage(GuardError::AtWork(guard).to_string()).into());
        }
        Ok(Settled::ChangedBy(guard)) => output::aside(&format!(
            "nearfar: another nearfar (guard {guard}) switches settings meanwhile"
        )),
        // The user may switch nothing, which is reported next.
        Ok(Settled::Hidden(_)) if switches => {}
        Ok(Settled::Hidden(folder)) => output::aside(&format!(
            "nearfar: whether another nearfar switches settings meanwhile is unknown: {} is root's",
            folder.display()
        )),
        Ok(Settled::Restored) => output::aside(
            "nearfar: restored settings that an earlier nearfar had left when it was killed with \
             its guard",
        ),
        Err(why) if switches => return Err(why.into()),
        // It runs as well as any other program here.
        Err(why) => output::aside(&format!("nearfar: {why}")),
    }
    Ok(())
}
