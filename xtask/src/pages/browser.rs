//! A headless Chromium of its own: fresh profile, pipe instead of a port, gone on every way out.

use std::env;
use std::fs;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use anyhow::{Context, anyhow};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::wire::Wire;

/// Names under which systems package it.
const NAMES: [&str; 4] = ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome"];
/// Chromium reads commands from descriptor 3 and answers on 4. Made of the standard streams by the
/// shell: no code of ours runs between fork and exec.
const START: &str = r#"exec "$@" 3<&0 4>&1 </dev/null >/dev/null"#;
/// Besides what is needed: nothing that talks to anybody, and the same letters everywhere.
const OPTIONS: [&str; 11] = [
    "--headless=new",
    "--remote-debugging-pipe",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--hide-scrollbars",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--force-color-profile=srgb",
];

pub(super) struct Browser {
    child: Child,
    pub(super) wire: Wire,
    /// Removed after the child is gone.
    _profile: TempDir,
}

impl Browser {
    pub(super) fn start() -> anyhow::Result<Self> {
        let program = find()
            .context("there is no Chromium here: install it (Debian: apt-get install chromium)")?;
        let profile = tempfile::tempdir()?;
        let complaints = profile.path().join("stderr");
        let mut child = Command::new("sh")
            .args(["-c", START, "sh"])
            .arg(&program)
            .args(OPTIONS)
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .arg("about:blank")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(fs::File::create(&complaints)?)
            .process_group(0)
            .spawn()
            .with_context(|| format!("cannot start {}", program.display()))?;
        let ends = child.stdin.take().zip(child.stdout.take());
        let (to, from) = ends.context("Chromium has no pipes")?;
        let mut browser = Self { child, wire: Wire::new(to, from), _profile: profile };
        browser.wire.call("", "Browser.getVersion", &json!({})).map_err(|error| {
            let stderr = fs::read_to_string(&complaints).unwrap_or_default();
            let last: Vec<&str> = stderr.lines().rev().take(3).collect();
            anyhow!("{error:#}; it wrote: {}", last.join(" / "))
        })?;
        Ok(browser)
    }

    /// Opens an empty page: its target and its session.
    pub(super) fn open(&mut self) -> anyhow::Result<(String, String)> {
        let text =
            |value: &Value| value.as_str().map(str::to_owned).context("Chromium gives no name");
        let target = self.wire.call("", "Target.createTarget", &json!({"url": "about:blank"}))?;
        let target = text(&target["targetId"])?;
        let attached = self.wire.call(
            "",
            "Target.attachToTarget",
            &json!({"targetId": target, "flatten": true}),
        )?;
        Ok((target, text(&attached["sessionId"])?))
    }

    pub(super) fn close(&mut self, target: &str) -> anyhow::Result<()> {
        self.wire.call("", "Target.closeTarget", &json!({"targetId": target})).map(drop)
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // The browser's helpers are in its process group. Whatever this process does, the pipe's
        // end ends Chromium, too.
        let group = format!("kill -KILL -- -{}", self.child.id());
        let _ = Command::new("sh").args(["-c", &group]).stderr(Stdio::null()).status();
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn find() -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    let folders: Vec<PathBuf> = env::split_paths(&path).collect();
    NAMES
        .iter()
        .find_map(|name| folders.iter().map(|folder| folder.join(name)).find(|file| file.is_file()))
}
