//! `nearfar fleet PATHS...`: which machine of a cluster differs from the others?

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use clap::Args;
use jiff::Timestamp;
use nearfar_model::shell_word;
use nearfar_report::page;
use nearfar_survey::IfExists;
use nearfar_survey::fleet::text::{self, FleetDetail, exclude};
use nearfar_survey::fleet::{
    AppendedSurveys, DocumentFault, DocumentReader, FleetDocument, FleetSettings, FleetSurveys,
    SkippedDocument, append_findings, file_place, open_file, read_files,
};
use nearfar_view::terminal::exit::WrongUsage;
use nearfar_view::terminal::{output, screen};
use nearfar_view::text::count;

use super::fleet_date::FleetDate;
use super::host_list::print_names;
use super::next_tests::NextTests;
use super::threshold::Threshold;
use crate::exit::OutliersFound;
use crate::input;
use crate::output_path::OutputPath;
use crate::whole_file::{self, OutputFile};

/// Lines about documents that are not used.
const MAX_SKIPPED: usize = 100;

/// Find the machines of a cluster that differ from the others.
///
/// Reads one survey or more of each machine. Machines of one shape are compared cell by cell.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  nearfar fleet fleet/                       outliers, and settings that differ
  nearfar fleet fleet/ --html fleet.html     the same as a page, with a map
  nearfar fleet fleet/ --reference good.json against one machine
  nearfar fleet fleet/ --exclude             node07,node12: for scontrol update
  nearfar fleet fleet/ --since 2026-10-01    what changed since then, and when
  nearfar fleet fleet/ --next 50             the 50 machines to test next
  nearfar fleet fleet/ --next 600min         within 600 minutes of machines
  nearfar fleet fleet/ --parquet tables/     keep all as Parquet, for SQL
  nearfar fleet fleet/ --json | jq '.findings[] | .machine'

A file holds one survey or several, one a line. Of a folder, all files are read, and tables of \
--parquet. Machines are known by the host's name ('nearfar survey --host', or Slurm), else by the \
file's name.

An outlier is beyond chance at a false-discovery rate of 5 %. Machines of a shape are compared if \
they are four or more, or with --reference.

Exit status: 0 no outlier; 1 no survey could be read, or --exclude refuses a name that is no \
host's; 2 wrong usage; 3 a machine is slower or faster than the others.")]
pub(crate) struct FleetCommand {
    /// Surveys: files, and folders of files
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Survey of a machine that the others are compared with [default: the median of each shape]
    #[arg(long, value_name = "FILE")]
    reference: Option<PathBuf>,
    /// Smallest deviation that is an outlier: 3% or 0.03
    #[arg(long, value_name = "SHARE", default_value = "3%")]
    floor: Threshold,
    /// Also print what changed since then, of machines with 4 surveys or more [default: no changes]
    #[arg(long, value_name = "DATE")]
    since: Option<FleetDate>,
    /// Leave out surveys after this day (UTC), or time [default: use all]
    #[arg(long, value_name = "DATE")]
    at: Option<FleetDate>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Print all cells of all machines as CSV
    #[arg(long, conflicts_with = "json")]
    csv: bool,
    /// Print the names of slower machines alone, as Slurm's commands take them: n1,n2
    #[arg(long, conflicts_with_all = ["json", "csv"])]
    exclude: bool,
    /// Print the machines to test next, the most urgent first: how many, or in how many minutes of
    /// machines together: then a line for 'survey --quick', and one for --thorough [default: none]
    #[arg(long, value_name = "N|MINUTESmin",
          conflicts_with_all = ["json", "csv", "exclude", "html"])]
    next: Option<NextTests>,
    /// Append the surveys, and what was found, to tables in this folder: Parquet by day
    /// [default: none]
    #[arg(long, value_name = "FOLDER")]
    parquet: Option<PathBuf>,
    /// Write an HTML page as well; '-' prints it instead of the text [default: none]
    #[arg(long, value_name = "FILE")]
    html: Option<OutputPath>,
    /// Overwrite the file that --html names
    #[arg(long, requires = "html")]
    force: bool,
    /// Also print q (the false-discovery rate) of each outlier, and how outliers were decided
    #[arg(long, conflicts_with_all = ["json", "csv", "exclude", "next"])]
    verbose: bool,
}

impl FleetCommand {
    /// Reads, compares and prints.
    pub(crate) fn run(self) -> anyhow::Result<()> {
        self.check_one_output()?;
        if let Some((since, at)) =
            self.since.zip(self.at).filter(|(since, at)| since.begin() >= at.end())
        {
            let why = format!("--since {} is not before --at {}", since.begin(), at.end());
            return Err(WrongUsage(why).into());
        }
        let page = self.html.as_ref().and_then(OutputPath::file);
        let page = page.map(|path| self.page(path)).transpose()?;
        let mut surveys = read_files(&self.paths, &|path, work| input::read(path, |_| work()))?;
        if let Some(reference) = &self.reference {
            set_reference(&mut surveys, reference)?;
        }
        surveys.leave_out_wrong_clocks(Timestamp::now());
        if let Some(at) = self.at {
            surveys.leave_out_after(at.end())?;
        }
        let appended = self.append_surveys(&surveys)?;
        let now = self.at.map_or_else(Timestamp::now, FleetDate::end);
        let tests = self.next.map(|next| {
            let all = surveys.history(Timestamp::UNIX_EPOCH, self.floor.share());
            (next, surveys.tests(&all, now))
        });
        let unused = surveys.skipped();
        let history = self.since.map(|since| surveys.history(since.begin(), self.floor.share()));
        let fleet = match surveys.judge(FleetSettings { floor: self.floor.share() }) {
            Ok(fleet) => match history {
                Some(history) => fleet.with_history(history),
                None => fleet,
            },
            Err(error) => {
                print_skipped(&unused);
                return Err(error.into());
            }
        };
        // What an earlier day would have found is no run of today.
        let kept = match self.parquet.as_deref().zip(appended).filter(|_| self.at.is_none()) {
            Some((folder, appended)) => append_findings(folder, &fleet, appended, Timestamp::now()),
            None => Ok(()),
        };
        // Scripts read names and figures: what is not among them is on stderr.
        if self.csv || self.exclude || tests.is_some() {
            print_skipped(&fleet.skipped);
            text::doubts(&fleet.doubts).iter().for_each(|line| output::aside(line));
        }
        if let Some((next, tests)) = tests {
            next.print(&tests, &fleet)?;
            kept?;
            return Ok(());
        }
        let printed = self.print(&fleet);
        if let Some(file) = page {
            let path = file.keep(|out| out.write_all(page::fleet(&fleet).as_bytes()))?;
            output::status(&format!("saved as {}", path.display()));
        }
        printed?;
        kept?;
        found(&fleet)
    }

    /// Surveys that are new to the tables of --parquet.
    fn append_surveys(&self, surveys: &FleetSurveys) -> anyhow::Result<Option<AppendedSurveys>> {
        let Some(folder) = &self.parquet else { return Ok(None) };
        let appended = surveys.append_tables(folder)?;
        let AppendedSurveys { new, known } = appended;
        let added = format!("{} appended to {}", count(new, "survey"), folder.display());
        output::status(&match known {
            0 => added,
            _ => format!("{added}, {known} were there"),
        });
        Ok(Some(appended))
    }

    fn page(&self, path: &Path) -> anyhow::Result<OutputFile> {
        whole_file::spare(path, &self.paths)?;
        let if_exists = if self.force { IfExists::Replace } else { IfExists::Refuse };
        OutputFile::create(path, if_exists)
    }

    /// Standard output has one reader.
    fn check_one_output(&self) -> Result<(), WrongUsage> {
        let is_page = self.html.as_ref().is_some_and(OutputPath::is_standard_output);
        match is_page && (self.json || self.csv || self.exclude) {
            true => Err(WrongUsage(
                "--html - prints the page: name a file, or omit --json, --csv and --exclude"
                    .to_owned(),
            )),
            false => Ok(()),
        }
    }

    /// The arguments as a shell reads them. Standard input is not read twice.
    fn shell_paths(&self) -> String {
        if self
            .paths
            .iter()
            .any(|path| ["-", "/dev/stdin"].iter().any(|one| path == Path::new(one)))
        {
            return "PATHS".to_owned();
        }
        let paths = self.paths.iter().map(|path| shell_word(&path.to_string_lossy()));
        paths.collect::<Vec<_>>().join(" ")
    }

    fn detail(&self) -> FleetDetail {
        if self.verbose { FleetDetail::Full } else { FleetDetail::Brief }
    }

    fn print(&self, fleet: &FleetDocument) -> anyhow::Result<()> {
        if self.exclude {
            return print_names(exclude(fleet), "slower");
        }
        if let Some(OutputPath::StandardOutput) = self.html {
            return Ok(output::data(&page::fleet(fleet))?);
        }
        match (self.json, self.csv) {
            (true, _) => output::json(fleet)?,
            (_, true) => output::data(&text::csv(fleet))?,
            _ => screen::print(&text::text(fleet, self.detail(), &self.shell_paths()))?,
        }
        Ok(())
    }
}

/// Documents that are not used; of very many lines, the first.
fn print_skipped(all: &[SkippedDocument]) {
    let lines = text::skipped(all);
    let (shown, more) = lines.split_at(lines.len().min(MAX_SKIPPED));
    shown.iter().for_each(|line| output::aside(line));
    if !more.is_empty() {
        output::aside(&format!("and {} lines more about documents that are not used", more.len()));
    }
}

fn set_reference(surveys: &mut FleetSurveys, path: &Path) -> anyhow::Result<()> {
    let place = file_place(0, path);
    let unreadable = || format!("cannot read {}", path.display());
    let read = |path: &Path| open_file(path).map(|file| DocumentReader::new(file).next());
    let document = input::read(path, read).with_context(unreadable)?;
    if let Some(Err(DocumentFault::Unreadable { why })) =
        document.as_ref().map(|document| &document.content)
    {
        bail!("{}: {why}", unreadable());
    }
    Ok(surveys.set_reference(&place, document)?)
}

/// The status of a fleet with outliers.
fn found(fleet: &FleetDocument) -> anyhow::Result<()> {
    let mut machines: Vec<&str> = fleet.findings.iter().map(|finding| &*finding.machine).collect();
    machines.dedup();
    match machines.len() {
        0 => Ok(()),
        1 => Err(OutliersFound("1 machine differs from the others".to_owned()).into()),
        many => Err(OutliersFound(format!("{many} machines differ from the others")).into()),
    }
}
