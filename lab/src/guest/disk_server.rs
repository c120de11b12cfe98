//! The process that serves a guest's disks: this program once more. It never outlives the launcher.

use std::env;
use std::fs;
use std::io::{self, BufRead, BufReader};
use std::process::{Child, Stdio};

use nearfar_lab_disk::DiskCosts;

use super::process::{bound_to_launcher, in_own_session};
use super::scratch::Scratch;
use super::{GuestError, Setup};

/// What the server prints when QEMU can connect.
pub(crate) const READY: &str = "ready";

/// A running server; killed when dropped.
#[derive(Debug)]
pub(super) struct DiskServer(Child);

impl DiskServer {
    /// Starts it where there are disks to serve, and waits until QEMU can connect.
    pub(super) fn start(
        disks: &[DiskCosts],
        scratch: &Scratch,
        setup: &Setup,
    ) -> Result<Option<Self>, GuestError> {
        if disks.is_empty() {
            return Ok(None);
        }
        let path = scratch.disks();
        let text = serde_json::to_vec(disks).map_err(io::Error::from);
        text.and_then(|text| fs::write(&path, text))
            .map_err(|source| GuestError::Scratch { path: path.clone(), source })?;
        let program = env::current_exe().map_err(GuestError::Disks)?;
        let server = bound_to_launcher(&program, &["serve-disks".into(), path.into()]);
        let mut command = in_own_session(&server, !setup.no_plugin);
        command.stdin(Stdio::null()).stdout(Stdio::piped());
        let mut server = Self(command.spawn().map_err(GuestError::Disks)?);
        server.wait_until_ready()?;
        Ok(Some(server))
    }

    fn wait_until_ready(&mut self) -> Result<(), GuestError> {
        let mut line = String::new();
        if let Some(stdout) = self.0.stdout.take() {
            BufReader::new(stdout).read_line(&mut line).map_err(GuestError::Disks)?;
        }
        match line.trim_end() == READY {
            true => Ok(()),
            false => Err(GuestError::Disks(io::Error::other("their server ended early"))),
        }
    }
}

impl Drop for DiskServer {
    fn drop(&mut self) {
        // It fails where the server has ended, which is as well.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
