//! A group with a thread in it, which starts programs there.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{self, JoinHandle};

use nearfar_machine::CpusetParent;
use nearfar_model::{Bytes, CpuSet};

use super::{Bounds, CpusetError};

/// The longest list of CPUs that the kernel prints.
const MAX_BYTES: Bytes = Bytes::mib(1);

/// What to start, and where the result goes.
type StartRequest = (Command, Sender<io::Result<Child>>);

/// A group, and the thread in it.
#[derive(Debug)]
pub(crate) struct CpusetThread {
    folder: PathBuf,
    cpus_file: PathBuf,
    cpus: CpuSet,
    orders: Option<Sender<StartRequest>>,
    thread: Option<JoinHandle<()>>,
}

impl CpusetThread {
    /// Makes the group, and waits until the thread is in it.
    pub(super) fn make(
        home: &CpusetParent,
        folder: PathBuf,
        bounds: &Bounds,
    ) -> Result<Self, CpusetError> {
        fs::create_dir(&folder).map_err(|error| CpusetError::not_made(&folder, &error))?;
        let made = bind(home, &folder, bounds).and_then(|()| enter(folder.join(home.threads)));
        let (orders, thread) = made.inspect_err(|_| {
            let _ = fs::remove_dir(&folder);
        })?;
        let cpus_file = folder.join(home.cpus);
        Ok(Self {
            folder,
            cpus_file,
            cpus: bounds.cpus.clone(),
            orders: Some(orders),
            thread: Some(thread),
        })
    }

    /// Starts a program in the group.
    pub(crate) fn start(&self, command: Command) -> io::Result<Child> {
        let gone = || io::Error::other("the thread in the cpuset is gone");
        let (sender, receiver) = channel();
        self.orders.as_ref().ok_or_else(gone)?.send((command, sender)).map_err(|_| gone())?;
        receiver.recv().map_err(|_| gone())?
    }

    /// Whether the group still has its CPUs.
    pub(super) fn is_as_made(&self) -> bool {
        let text = nearfar_view::input::read_entry(&self.cpus_file, MAX_BYTES).unwrap_or_default();
        CpuSet::parse_list(String::from_utf8_lossy(&text).trim())
            .is_ok_and(|cpus| cpus == self.cpus)
    }
}

impl Drop for CpusetThread {
    fn drop(&mut self) {
        drop(self.orders.take());
        let _ = self.thread.take().map(JoinHandle::join);
        // What is still in use is removed with the sweep's other traces.
        let _ = fs::remove_dir(&self.folder);
    }
}

/// Bounds first: version 1 lets no thread into a group that has none.
fn bind(home: &CpusetParent, folder: &Path, bounds: &Bounds) -> Result<(), CpusetError> {
    let kind = home.kind.map(|file| (file, "threaded".to_owned()));
    let files = [(home.cpus, bounds.cpus.to_string()), (home.nodes, bounds.nodes.to_string())];
    for (file, value) in kind.into_iter().chain(files) {
        let path = folder.join(file);
        fs::write(&path, &value).map_err(|error| CpusetError::not_bound(&path, value, &error))?;
    }
    Ok(())
}

/// A thread that enters the group, and then starts programs on request.
fn enter(threads: PathBuf) -> Result<(Sender<StartRequest>, JoinHandle<()>), CpusetError> {
    let (orders, ordered): (Sender<StartRequest>, Receiver<StartRequest>) = channel();
    let (sender, entered_receiver) = channel();
    let thread = thread::Builder::new().spawn(move || {
        // 0 is the writing thread.
        let entered =
            fs::write(&threads, "0").map_err(|error| CpusetError::not_entered(&threads, &error));
        let is_in = entered.is_ok();
        let _ = sender.send(entered);
        if !is_in {
            return;
        }
        for (mut command, sender) in ordered {
            let _ = sender.send(command.spawn());
        }
    });
    let thread = thread.map_err(|error| CpusetError::NoThread { error: error.to_string() })?;
    entered_receiver.recv().unwrap_or(Err(CpusetError::ThreadEnded))?;
    Ok((orders, thread))
}
