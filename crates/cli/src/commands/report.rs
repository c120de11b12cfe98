//! `nearfar report FILE...`: surveys or a sweep as one HTML page.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, bail};
use clap::Args;
use nearfar_live::explain::{OBJECTS_SCHEMA, RESPONSE_SCHEMA};
use nearfar_report::page::{self, MAX_BESIDE, Origin};
use nearfar_survey::document_kind::{DocumentKind, schema_of};
use nearfar_survey::{IfExists, Survey};
use nearfar_view::terminal::exit::WrongUsage;
use nearfar_view::terminal::output;

use super::explain::{read_objects, read_response};
use crate::output_path::OutputPath;
use crate::whole_file::{self, OutputFile};
use crate::{document_file, input};

/// Make one HTML page of surveys, a sweep or a response.
///
/// The page needs no network and no scripts. It also shows files of 'explain --response -o FILE'
/// and 'explain --objects -o FILE'.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  nearfar report                                      the newest saved survey
  nearfar report before.json                          as before.html
  nearfar report --open                               and show it in a browser
  nearfar report before.json after.json -o both.html  side by side
  nearfar report sweep.json -o sweep.html             a sweep: runs, scaling
  nearfar report before.json -o - | ssh desk 'cat > page.html'

The page contains its document, for saving. 'nearfar plot' makes single pictures.")]
pub(crate) struct ReportCommand {
    /// Surveys (files, or numbers of 'nearfar show'), one sweep or one response [default: the
    /// newest saved survey]
    files: Vec<PathBuf>,
    /// Page to write; '-' is standard output [default: the first file's name with .html, in this
    /// folder]
    #[arg(short, long, value_name = "FILE")]
    output: Option<OutputPath>,
    /// Overwrite the page
    #[arg(long)]
    force: bool,
    /// Open the page in a browser (xdg-open)
    #[arg(long)]
    open: bool,
    /// Keep raw samples in the page's copy of the document
    #[arg(long)]
    with_samples: bool,
}

impl ReportCommand {
    /// Reads, makes the page, writes it.
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let files = match &self.files[..] {
            [] => vec![document_file::named_or_newest(None)?],
            files => {
                files.iter().map(|file| document_file::named(file)).collect::<Result<_, _>>()?
            }
        };
        if files.len() > MAX_BESIDE {
            let why = format!(
                "{} files: a page shows at most {MAX_BESIDE} side by side; choose some, or make \
                 several pages",
                files.len()
            );
            return Err(WrongUsage(why).into());
        }
        let if_exists = if self.force { IfExists::Replace } else { IfExists::Refuse };
        // Checked before the work, so that an unwritable file fails at once.
        let target = PageTarget::new(self.output.as_ref(), if_exists, &files)?;
        let written = target.write(&self.page(&files)?)?;
        match written.filter(|_| self.open) {
            Some(page) => open_in_browser(&page),
            None => Ok(()),
        }
    }

    fn page(&self, files: &[PathBuf]) -> anyhow::Result<String> {
        if let [file] = files {
            match schema_of(file).as_deref() {
                Some(RESPONSE_SCHEMA) => {
                    return Ok(page::response(&read_response(file)?, &origin(file)));
                }
                Some(OBJECTS_SCHEMA) => {
                    return Ok(page::objects(&read_objects(file)?, &origin(file)));
                }
                _ => {}
            }
        }
        let kinds = files
            .iter()
            .map(|file| DocumentKind::from_path(file))
            .collect::<Result<Vec<_>, _>>()?;
        match (files, &kinds[..]) {
            ([file], [DocumentKind::Sweep]) => {
                Ok(page::sweep(&input::read(file, nearfar_sweep::read)?, &origin(file)))
            }
            ([file], _) => Ok(page::survey(
                &input::read(file, nearfar_survey::read)?,
                &origin(file),
                self.with_samples,
            )),
            _ if kinds.iter().all(|kind| *kind == DocumentKind::Survey) => {
                let read =
                    |file: &PathBuf| Ok((input::read(file, nearfar_survey::read)?, origin(file)));
                let surveys =
                    files.iter().map(read).collect::<anyhow::Result<Vec<(Survey, Origin)>>>()?;
                Ok(page::surveys(&surveys, self.with_samples))
            }
            _ => Err(WrongUsage(
                "a page shows several surveys or one sweep: 'nearfar compare A B' compares two \
                 sweeps"
                    .to_owned(),
            )
            .into()),
        }
    }
}

/// Where a page is written.
enum PageTarget {
    Stdout,
    File(PathBuf, IfExists),
}

impl PageTarget {
    fn new(
        asked: Option<&OutputPath>,
        if_exists: IfExists,
        files: &[PathBuf],
    ) -> anyhow::Result<Self> {
        let path = match asked {
            Some(OutputPath::StandardOutput) => return Ok(Self::Stdout),
            Some(OutputPath::File(path)) => path.clone(),
            None => default_name(&files[0])?,
        };
        whole_file::spare(&path, files)?;
        refuse_other_forms(&path)?;
        // Creates and drops a draft: a check that leaves no file if the work is interrupted.
        OutputFile::create(&path, if_exists)?;
        Ok(Self::File(path, if_exists))
    }

    /// Returns the file.
    fn write(self, page: &str) -> anyhow::Result<Option<PathBuf>> {
        match self {
            Self::Stdout => {
                output::data(page)?;
                Ok(None)
            }
            Self::File(path, if_exists) => {
                let path = OutputFile::create(&path, if_exists)?
                    .keep(|out| out.write_all(page.as_bytes()))?;
                output::status(&format!(
                    "saved as {} ({} KiB)",
                    path.display(),
                    page.len().div_ceil(1024)
                ));
                Ok(Some(path))
            }
        }
    }
}

/// A name that promises another form than HTML.
fn refuse_other_forms(path: &Path) -> anyhow::Result<()> {
    const OTHERS: [&str; 15] = [
        "pdf", "ps", "eps", "svg", "png", "jpg", "jpeg", "gif", "webp", "json", "csv", "txt", "md",
        "docx", "odt",
    ];
    let end =
        path.extension().and_then(|end| end.to_str()).unwrap_or_default().to_ascii_lowercase();
    if !OTHERS.contains(&end.as_str()) {
        return Ok(());
    }
    let how = "name an .html (a browser prints it as PDF; 'nearfar plot' makes .svg and .png, \
               'nearfar show' text, CSV and JSON)";
    Err(WrongUsage(format!("{}: a page is HTML: {how}", path.display())).into())
}

/// The first file's name with .html, in this folder.
fn default_name(first: &Path) -> anyhow::Result<PathBuf> {
    let name = first.file_name().context("the file has no name: name the page with -o")?;
    Ok(PathBuf::from(name).with_extension("html"))
}

fn origin(file: &Path) -> Origin {
    let name = file
        .file_name()
        .map_or_else(|| "document.json".to_owned(), |name| name.to_string_lossy().into_owned());
    Origin { file: name, made_from: None }
}

fn open_in_browser(page: &Path) -> anyhow::Result<()> {
    const PROGRAM: &str = "xdg-open";
    let status = Command::new(PROGRAM).arg(page).status();
    let status = status.with_context(|| {
        format!("{PROGRAM} cannot be started: open {} in a browser", page.display())
    })?;
    match status.success() {
        true => Ok(()),
        false => bail!("{PROGRAM} failed ({status}): open {} in a browser", page.display()),
    }
}
