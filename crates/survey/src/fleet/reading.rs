//! The files of a fleet, read in threads. Each thread holds the figures of one document, or of one
//! part of tables.

use std::fs;
use std::io::{self, BufReader};
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use nearfar_model::Bytes;
use nearfar_view::input::Input;
use thiserror::Error;

use crate::fleet::reader::DocumentReader;
use crate::fleet::skipped::DocumentFault;
use crate::fleet::surveys::{DocumentPlace, FleetSurveys};
use crate::fleet::tables::{is_table_file, is_table_folder, parts, read_part};

/// The largest file or pipe: surveys of some million machines, one a line. A document has its own
/// limit.
const MAX_BYTES: Bytes = Bytes::gib(64);
/// Bytes that are read at a time.
const BUFFER: usize = 1 << 16;
/// Surveys of a part, as a power of two.
const PART_BITS: u32 = 32;

/// Why files of a fleet cannot be listed.
#[derive(Debug, Error)]
pub enum FolderError {
    /// The folder cannot be read.
    #[error("cannot read the folder {}", path.display())]
    Unreadable {
        /// The folder.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// The only folder is empty.
    #[error("the folder {} holds no files", path.display())]
    Empty {
        /// The folder.
        path: PathBuf,
    },
    /// The only folder has folders alone.
    #[error("the folder {} holds no files, only folders: name these", path.display())]
    OnlyFolders {
        /// The folder.
        path: PathBuf,
    },
}

/// Calls a function that reads a file, which may be a pipe that is silent for long.
pub type ReadCaller<'r> = &'r (dyn Fn(&Path, &mut dyn FnMut()) + Sync);

/// The surveys of these files and folders.
///
/// # Errors
///
/// A folder cannot be read, or the only one is empty. Files that cannot be read are skipped.
pub fn read_files(paths: &[PathBuf], caller: ReadCaller<'_>) -> Result<FleetSurveys, FolderError> {
    let files = files(paths)?;
    let surveys = Mutex::new(FleetSurveys::default());
    let next = AtomicUsize::new(0);
    let threads = thread::available_parallelism().map_or(1, NonZero::get).min(files.len());
    let read_some = || {
        while let Some((at, file)) = numbered(&files, next.fetch_add(1, Ordering::Relaxed)) {
            // A part holds surveys of many files.
            let number = at << PART_BITS;
            match file {
                FleetFile::Part(machines) => read_part(number, machines, &surveys),
                _ => read_file(&file_place(number, file.path()), file, &surveys, caller),
            }
        }
    };
    thread::scope(|scope| {
        // A system that allows no more threads takes longer.
        (1..threads).for_each(|_| drop(thread::Builder::new().spawn_scoped(scope, read_some)));
        read_some();
    });
    Ok(surveys.into_inner().unwrap_or_else(PoisonError::into_inner))
}

fn numbered(files: &[FleetFile], number: usize) -> Option<(usize, &FleetFile)> {
    Some((number, files.get(number)?))
}

/// A file by its number in the order of the command.
pub fn file_place(number: usize, file: &Path) -> DocumentPlace {
    DocumentPlace { number, file: Arc::from(file.to_string_lossy()) }
}

/// A file of the fleet.
#[derive(Debug)]
enum FleetFile {
    /// A user named it.
    Named(PathBuf),
    /// It lies in a folder that a user named.
    InFolder(PathBuf),
    /// A folder in a folder that a user named: it is not read.
    Folder(PathBuf),
    /// A part of tables in a folder that a user named: the file of its machines.
    Part(PathBuf),
}

impl FleetFile {
    fn path(&self) -> &Path {
        match self {
            Self::Named(path) | Self::InFolder(path) | Self::Folder(path) | Self::Part(path) => {
                path
            }
        }
    }

    fn open(&self) -> io::Result<BufReader<Input>> {
        match self {
            Self::Named(path) => open_file(path),
            Self::InFolder(path) | Self::Folder(path) | Self::Part(path) => {
                nearfar_view::input::open_entry(path, MAX_BYTES).map(buffered)
            }
        }
    }
}

/// Opens a file that a user named.
///
/// # Errors
///
/// It cannot be opened, or is too large.
pub fn open_file(path: &Path) -> io::Result<BufReader<Input>> {
    nearfar_view::input::open(path, MAX_BYTES).map(buffered)
}

fn buffered(file: Input) -> BufReader<Input> {
    BufReader::with_capacity(BUFFER, file)
}

fn read_file(
    place: &DocumentPlace,
    file: &FleetFile,
    surveys: &Mutex<FleetSurveys>,
    caller: ReadCaller<'_>,
) {
    let locked = || surveys.lock().unwrap_or_else(PoisonError::into_inner);
    if let FleetFile::Folder(_) = file {
        return locked().skip(place, None, DocumentFault::Folder);
    }
    if is_table_file(file.path()) {
        let why = "it is a table: name the folder that has 'machines' in it".to_owned();
        return locked().skip(place, None, DocumentFault::Unreadable { why });
    }
    caller(file.path(), &mut || match file.open() {
        Ok(file) => DocumentReader::new(file).for_each(|one| locked().add(place, one)),
        Err(error) => {
            let fault = DocumentFault::Unreadable { why: error.to_string() };
            locked().skip(place, None, fault);
        }
    });
}

/// The files that are named, and those of folders by name. Hidden ones of folders are left out, and
/// folders in them.
fn files(paths: &[PathBuf]) -> Result<Vec<FleetFile>, FolderError> {
    let mut files = Vec::new();
    for path in paths {
        if !path.is_dir() {
            files.push(FleetFile::Named(path.clone()));
            continue;
        }
        let unreadable = |source| FolderError::Unreadable { path: path.clone(), source };
        let mut inside = Vec::new();
        for entry in fs::read_dir(path).map_err(unreadable)? {
            let entry = entry.map_err(unreadable)?;
            if !entry.file_name().to_string_lossy().starts_with('.') {
                inside.push(entry.path());
            }
        }
        inside.sort();
        let (folders, inside): (Vec<PathBuf>, Vec<PathBuf>) =
            inside.into_iter().partition(|entry| entry.is_dir());
        let parts = parts(path).map_err(unreadable)?;
        if inside.is_empty() && parts.is_empty() && paths.len() == 1 {
            let path = path.clone();
            return Err(match folders.is_empty() {
                true => FolderError::Empty { path },
                false => FolderError::OnlyFolders { path },
            });
        }
        files.extend(inside.into_iter().map(FleetFile::InFolder));
        let others = folders.into_iter().filter(|folder| !is_table_folder(folder));
        files.extend(others.map(FleetFile::Folder));
        files.extend(parts.into_iter().map(FleetFile::Part));
    }
    Ok(files)
}
