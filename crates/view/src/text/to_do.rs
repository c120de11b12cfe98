//! What to do next: a command to paste, or advice.

use crate::terminal::printable;
use crate::text::paragraph;

/// A command to paste, and what it is for. Without a command, advice in words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToDo {
    /// The command; may be empty.
    pub command: String,
    /// What it does, as a comment of the shell; may be empty.
    pub why: String,
    /// The heading that it stands under; may be empty.
    pub(super) under: &'static str,
}

impl ToDo {
    /// A command with its purpose.
    pub fn new(command: impl Into<String>, why: impl Into<String>) -> Self {
        Self { command: command.into(), why: why.into(), under: "" }
    }

    /// "  COMMAND  # WHY"; the comment above a command that has no room for it. Comments stand
    /// below each other, where commands are not wider than `widest`.
    pub(super) fn text(&self, widest: usize) -> String {
        let (command, why) = (printable::line(&self.command), printable::line(&self.why));
        let line = format!("  {command:<widest$}  # {why}");
        let indent = " ".repeat(2 + command.len() - command.trim_start().len());
        let alone = paragraph::command(command.trim_start(), &indent);
        match (command.is_empty(), why.is_empty()) {
            (true, _) => paragraph::of(&why, "  ", "    "),
            (_, true) => alone,
            _ if line.chars().count() <= paragraph::line_width() => line + "\n",
            _ => {
                let head = format!("{indent}# ");
                paragraph::of(&why, &head, &head) + &alone
            }
        }
    }
}
