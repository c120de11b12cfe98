//! The folder of a recipe while it runs: its steps, and whatever they make.

use std::ffi::OsString;
use std::net::TcpListener;
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{fs, io};

use nearfar_model::shell_word;
use tempfile::TempDir;

use super::{Recipe, RecipeError};
use crate::axes::Variable;
use crate::plan::RunAttempt;
use crate::record::{RunEnd, last_line};
use crate::supervise::{RunJob, Supervisor};
use crate::text::failures;

/// What runs the steps.
const RUN: &str = include_str!("../../recipes/run.sh");

/// A user without rights on most systems, for programs that refuse root.
const UNPRIVILEGED: u32 = 65_534;

/// A recipe's folder. Dropped, it runs the step `cleanup` and removes the folder.
#[derive(Debug)]
pub struct RecipeFolder {
    /// The recipe.
    pub recipe: Recipe,
    folder: TempDir,
    /// Words before each command, which leave root.
    user: Vec<String>,
    is_begun: bool,
}

impl RecipeFolder {
    /// Writes its files. `nearfar` is this program; at most this many instances run at once.
    pub fn new(
        recipe: Recipe,
        path: &OsString,
        nearfar: &Path,
        instances: usize,
    ) -> Result<Self, RecipeError> {
        let folder = tempfile::Builder::new().prefix("nearfar-recipe-").tempdir()?;
        let leaves_root = recipe.not_as_root && rustix::process::geteuid().is_root();
        let user = if leaves_root { words_that_leave_root() } else { Vec::new() };
        let this = Self { folder, user, is_begun: false, recipe };
        let steps = this.file("steps");
        fs::create_dir(&steps)?;
        for (name, script) in &this.recipe.steps {
            fs::write(steps.join(name), script)?;
        }
        fs::write(this.file("run.sh"), RUN)?;
        fs::write(this.file("environment"), this.environment(path, nearfar, instances)?)?;
        if leaves_root {
            fs::set_permissions(&steps, fs::Permissions::from_mode(0o755))?;
            chown(this.folder.path(), Some(UNPRIVILEGED), Some(UNPRIVILEGED))?;
        }
        Ok(this)
    }

    /// The command of a run; the number of jobs is filled in.
    pub fn command(&self) -> Vec<String> {
        self.words("{jobs}")
    }

    /// Runs the step `setup`; whether it came to its end, or the user stopped it.
    pub fn set_up(
        &mut self,
        supervisor: &Supervisor,
        is_stopped: &dyn Fn() -> bool,
    ) -> Result<bool, RecipeError> {
        self.is_begun = true;
        let job = RunJob {
            command: self.words("setup"),
            environment: self.first_values(),
            words: Vec::new(),
            timeout_s: None,
            looks_at_pages: false,
            expected_s: None,
            outside: None,
        };
        let why = match supervisor.run(&job, None, is_stopped)? {
            RunAttempt::Interrupted => return Ok(false),
            RunAttempt::Ran(ran) if ran.end == (RunEnd::Exited { code: 0 }) => return Ok(true),
            RunAttempt::Ran(ran) => last_line(&ran.printed).unwrap_or_default(),
            RunAttempt::Refused(why) => failures::sentence(&why),
        };
        Err(RecipeError::SetupFailed { recipe: self.recipe.name.clone(), why })
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn words(&self, what: &str) -> Vec<String> {
        let script = self.file("run.sh").display().to_string();
        let words = ["sh".to_owned(), script, what.to_owned()];
        self.user.iter().cloned().chain(words).collect()
    }

    fn first_values(&self) -> Vec<(String, String)> {
        let first = |one: &Variable| Some((one.name.clone(), one.values.first()?.clone()));
        self.recipe.variables.iter().filter_map(first).collect()
    }

    /// What the steps find in their environment, in a shell's words.
    fn environment(&self, path: &OsString, nearfar: &Path, instances: usize) -> io::Result<String> {
        let ports: Vec<String> = free_ports(instances)?.iter().map(ToString::to_string).collect();
        let values = [
            ("PATH", self.recipe.search_path(path).to_string_lossy().into_owned()),
            ("HOME", self.folder.path().display().to_string()),
            ("NEARFAR", nearfar.display().to_string()),
            ("PORTS", ports.join(" ")),
        ];
        Ok(values.map(|(name, value)| format!("{name}={}\n", shell_word(&value))).concat())
    }
}

impl Drop for RecipeFolder {
    fn drop(&mut self) {
        if !self.is_begun {
            return;
        }
        let words = self.words("cleanup");
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]).envs(self.first_values()).stdin(Stdio::null());
        // Its failure changes no result.
        let _ = command.stdout(Stdio::null()).stderr(Stdio::null()).status();
    }
}

fn words_that_leave_root() -> Vec<String> {
    let words = [
        "setpriv",
        &format!("--reuid={UNPRIVILEGED}"),
        &format!("--regid={UNPRIVILEGED}"),
        "--clear-groups",
    ];
    words.map(str::to_owned).to_vec()
}

/// Ports that nothing uses now.
fn free_ports(count: usize) -> io::Result<Vec<u16>> {
    let all = (0..count.max(1)).map(|_| TcpListener::bind("127.0.0.1:0"));
    let all = all.collect::<io::Result<Vec<_>>>()?;
    all.iter().map(|one| Ok(one.local_addr()?.port())).collect()
}
