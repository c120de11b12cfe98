//! Serves the disks of a guest.

use std::path::PathBuf;
use std::thread;

use vhost::vhost_user::Listener;
use vhost_user_backend::VhostUserDaemon;
use vm_memory::{GuestMemoryAtomic, GuestMemoryMmap};

use crate::backend::DiskBackend;
use crate::costs::DiskCosts;

/// Why a disk is not served.
#[derive(Debug, thiserror::Error)]
pub enum DiskServerError {
    /// QEMU has nowhere to connect to.
    #[error("cannot listen at {} (TMPDIR names another place)", socket.display())]
    Listen {
        /// The socket's path.
        socket: PathBuf,
        /// The reason.
        source: vhost::vhost_user::Error,
    },
    /// The connection with QEMU failed.
    #[error("cannot serve the disk at {}: {cause}", socket.display())]
    Serve {
        /// The socket's path.
        socket: PathBuf,
        /// The reason.
        cause: String,
    },
}

/// Serves disks until QEMU has left all of them. `ready` is called when QEMU can connect.
///
/// # Errors
///
/// [`DiskServerError`], of the first disk that failed.
pub fn serve(disks: Vec<DiskCosts>, ready: impl FnOnce()) -> Result<(), DiskServerError> {
    let listeners: Vec<Listener> = disks.iter().map(listen).collect::<Result<_, _>>()?;
    ready();
    let servers = disks.into_iter().zip(listeners);
    let servers: Vec<_> =
        servers.map(|(disk, listener)| thread::spawn(move || serve_one(disk, listener))).collect();
    servers.into_iter().try_for_each(|server| server.join().unwrap_or(Ok(())))
}

fn listen(disk: &DiskCosts) -> Result<Listener, DiskServerError> {
    Listener::new(&disk.socket, true)
        .map_err(|source| DiskServerError::Listen { socket: disk.socket.clone(), source })
}

fn serve_one(disk: DiskCosts, mut listener: Listener) -> Result<(), DiskServerError> {
    let socket = disk.socket.clone();
    let failed = |cause: vhost_user_backend::Error| DiskServerError::Serve {
        socket: socket.clone(),
        cause: cause.to_string(),
    };
    let memory = GuestMemoryAtomic::new(GuestMemoryMmap::new());
    let backend = DiskBackend::new(disk, memory.clone());
    let completing = backend.clone();
    thread::spawn(move || completing.complete());
    let started = VhostUserDaemon::new("disk".to_owned(), backend, memory)
        .and_then(|mut daemon| daemon.start(&mut listener).map(|()| daemon));
    let mut daemon = started.map_err(&failed)?;
    match daemon.wait() {
        // QEMU does not agree with this back end.
        Err(
            error @ vhost_user_backend::Error::HandleRequest(
                vhost::vhost_user::Error::InvalidParam
                | vhost::vhost_user::Error::InvalidOperation(_),
            ),
        ) => Err(failed(error)),
        // QEMU ends by leaving, in the middle of whatever.
        _ => Ok(()),
    }
}
