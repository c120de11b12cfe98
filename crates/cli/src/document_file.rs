//! Documents that a command names: a file, the number of a saved survey, or nothing for the newest.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use nearfar_survey::Store;
use nearfar_view::terminal::exit::WrongUsage;

/// The file that a word names. Digits are a saved survey's number, but for a file of this name.
pub(crate) fn named(word: &Path) -> anyhow::Result<PathBuf> {
    let number = word.to_str().filter(|word| word.bytes().all(|b| b.is_ascii_digit()));
    let Some(number) = number.filter(|_| !word.exists()) else { return Ok(word.to_owned()) };
    let kept = Store::from_user()?.list()?;
    let index = number.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
    match index.and_then(|index| kept.get(index)) {
        Some(survey) => Ok(survey.path.clone()),
        None if kept.is_empty() => bail!(WrongUsage(format!(
            "'{number}' is neither a file nor a saved survey: there is none ('nearfar survey' \
             makes one)"
        ))),
        None => bail!(WrongUsage(format!(
            "'{number}' is neither a file nor a saved survey: these are 1 to {} ('nearfar show' \
             lists them)",
            kept.len()
        ))),
    }
}

/// The same; without a word the newest saved survey.
pub(crate) fn named_or_newest(word: Option<&Path>) -> anyhow::Result<PathBuf> {
    match word {
        Some(word) => named(word),
        None => {
            let newest = Store::from_user()?.newest("", |_| true)?;
            Ok(newest.context("there is no saved survey yet: 'nearfar survey' makes one")?.0)
        }
    }
}

/// Two files: of one word, it and the newest saved survey; without words the two newest.
pub(crate) fn two(
    first: Option<&Path>,
    second: Option<&Path>,
) -> anyhow::Result<(PathBuf, PathBuf)> {
    let Some(first) = first else {
        let kept = Store::from_user()?.list()?;
        let [.., first, second] = &kept[..] else {
            bail!(
                "{} saved surveys: two are needed ('nearfar survey' makes one), or name two files",
                kept.len()
            );
        };
        return Ok((first.path.clone(), second.path.clone()));
    };
    let files = (named(first)?, named_or_newest(second)?);
    if second.is_none() && files.0 == files.1 {
        let name = first.display();
        bail!(WrongUsage(format!("'{name}' is the newest saved survey: name another beside it")));
    }
    Ok(files)
}
