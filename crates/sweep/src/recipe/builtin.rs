//! The recipes that nearfar has, and those of files.

use std::path::Path;

use nearfar_model::Bytes;

use super::{Recipe, RecipeError};

/// Larger files are refused.
const LARGEST: Bytes = Bytes::mib(1);

const BUILTIN: [(&str, &str); 8] = [
    ("redis", include_str!("../../recipes/redis.toml")),
    ("postgres", include_str!("../../recipes/postgres.toml")),
    ("nginx", include_str!("../../recipes/nginx.toml")),
    ("java", include_str!("../../recipes/java.toml")),
    ("llm", include_str!("../../recipes/llm.toml")),
    ("mpi", include_str!("../../recipes/mpi.toml")),
    ("compile", include_str!("../../recipes/compile.toml")),
    ("xz", include_str!("../../recipes/xz.toml")),
];

/// All that are built in.
pub fn builtin_recipes() -> impl Iterator<Item = Recipe> {
    // A test parses each.
    BUILTIN.iter().filter_map(|(name, text)| Recipe::parse(name, name, text).ok())
}

/// A recipe's text: of a name, or of a file.
pub fn recipe_text(name_or_file: &str) -> Result<String, RecipeError> {
    if let Some((_, text)) = BUILTIN.iter().find(|(name, _)| *name == name_or_file) {
        return Ok((*text).to_owned());
    }
    let is_file = name_or_file.contains('/') || name_or_file.ends_with(".toml");
    if !is_file {
        let known = BUILTIN.map(|(name, _)| name).join(", ");
        return Err(RecipeError::Unknown { name: name_or_file.to_owned(), known });
    }
    let unreadable = |why: String| RecipeError::Unreadable { file: name_or_file.to_owned(), why };
    let bytes = nearfar_view::input::read(Path::new(name_or_file), LARGEST)
        .map_err(|error| unreadable(error.to_string()))?;
    String::from_utf8(bytes).map_err(|_| unreadable("it is no text in UTF-8".to_owned()))
}

impl Recipe {
    /// A recipe that is built in, or of a file: a path with `/` or `.toml`.
    pub fn find(name_or_file: &str) -> Result<Self, RecipeError> {
        let text = recipe_text(name_or_file)?;
        let stem = Path::new(name_or_file).file_stem();
        let name = stem.map_or_else(|| "recipe".into(), |stem| stem.to_string_lossy());
        Self::parse(&name, name_or_file, &text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_is_a_recipe() {
        for (name, text) in BUILTIN {
            let recipe = Recipe::parse(name, name, text).unwrap_or_else(|error| panic!("{error}"));
            assert!(recipe.question.ends_with('?') && !recipe.needs.is_empty(), "{name}");
        }
        assert_eq!(builtin_recipes().count(), BUILTIN.len());
    }

    #[test]
    fn others_are_refused() {
        let why = |name: &str| Recipe::find(name).unwrap_err().to_string();
        assert_eq!(
            why("reddis"),
            "there is no recipe 'reddis': there are redis, postgres, nginx, java, llm, mpi, \
             compile, xz; a recipe of your own is a path that ends in .toml"
        );
        assert!(why("/no/such.toml").starts_with("cannot read /no/such.toml: "));
    }
}
