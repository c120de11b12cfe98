//! `nearfar alias`: links to this program with the names of numactl's programs.

use std::ffi::OsString;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::{Context, Error, anyhow, bail};
use clap::Args;
use nearfar_view::owned_files::Folder;
use nearfar_view::terminal::output;

use crate::family;

/// Install links named numactl, numastat, migratepages, ...
///
/// Also memhog, migspeed and numademo. Each is a link to this program.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  nearfar alias ~/.local/bin         if PATH has it before /usr/bin
  sudo nearfar alias /usr/local/bin  for all users
  nearfar alias . && ./numactl -H    only here

Under one of these names, nearfar takes the options of that program and gives its output and \
exit status. If a name is taken by anything but a link to nearfar, no link is made.")]
pub(crate) struct Alias {
    /// Folder for the links
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

impl Alias {
    /// Makes the links and names them.
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let program = std::env::current_exe().context("cannot find the path of this program")?;
        // First: where the kernel protects links, nothing behind another user's can be examined.
        let folder = open(&self.folder)?;
        let links: Vec<PathBuf> = family::names().map(|name| self.folder.join(name)).collect();
        for link in &links {
            check_free(link, &program)?;
        }
        for link in &links {
            put(&folder, link, &program)?;
            output::text(&format!("{} -> {}\n", link.display(), program.display()))?;
        }
        Ok(())
    }
}

fn open(folder: &Path) -> anyhow::Result<Folder> {
    let shown = folder.display();
    Folder::open(folder).map_err(|error| match error.kind() {
        ErrorKind::NotFound | ErrorKind::NotADirectory => {
            anyhow!("{shown} is not a folder: make it first, or give another")
        }
        _ => Error::new(error).context(format!("cannot open {shown}")),
    })
}

/// Refuses a name that exists and is not a link to nearfar.
fn check_free(link: &Path, program: &Path) -> anyhow::Result<()> {
    let shown = link.display();
    match fs::symlink_metadata(link) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error).with_context(|| format!("cannot read {shown}")),
        Ok(there) if !there.is_symlink() => {
            bail!(
                "{shown} exists and is not a link to nearfar: move it away, or give another folder"
            )
        }
        Ok(_) => match fs::read_link(link).with_context(|| format!("cannot read {shown}"))? {
            target
                if target == program
                    || target.file_name().is_some_and(|name| name == "nearfar") =>
            {
                Ok(())
            }
            target => {
                bail!(
                    "{shown} is a link to {}, not to nearfar: move it away, or give another folder",
                    target.display()
                )
            }
        },
    }
}

/// Replaces the link in one step, so that scripts always find one.
fn put(folder: &Folder, link: &Path, program: &Path) -> anyhow::Result<()> {
    let name = link.file_name().unwrap_or_default();
    let draft = OsString::from(format!(".nearfar-{:016x}.draft", fastrand::u64(..)));
    let placed = folder.link_to(program, &draft).and_then(|()| {
        // A draft remains only if its rename failed.
        folder.rename(&draft, name).inspect_err(|_| drop(folder.remove(&draft)))
    });
    placed.with_context(|| format!("cannot make the link {}", link.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_links_to_nearfar_are_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("bin/nearfar-next");
        let link = folder.path().join("numactl");
        let opened = Folder::open(folder.path()).unwrap();
        let put = |link: &Path, program: &Path| put(&opened, link, program);
        check_free(&link, &program).unwrap();
        put(&link, Path::new("/opt/old/nearfar")).unwrap();
        check_free(&link, &program).unwrap();
        put(&link, &program).unwrap();
        check_free(&link, &program).unwrap();
        assert_eq!(fs::read_link(&link).unwrap(), program);

        put(&link, Path::new("/usr/bin/something")).unwrap();
        assert!(check_free(&link, &program).unwrap_err().to_string().contains("not to nearfar"));
        fs::remove_file(&link).unwrap();
        fs::write(&link, "a script").unwrap();
        assert!(
            check_free(&link, &program).unwrap_err().to_string().contains("not a link to nearfar")
        );
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "no draft remains");
    }
}
