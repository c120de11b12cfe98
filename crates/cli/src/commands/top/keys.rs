//! Keys of the terminal as nearfar-live knows them.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use nearfar_live::Key;

/// A key; `None` for those without a meaning. Ctrl-C quits, as q does.
pub(super) fn key(event: KeyEvent) -> Option<Key> {
    if event.modifiers.contains(KeyModifiers::CONTROL) {
        return (event.code == KeyCode::Char('c')).then_some(Key::Function(10));
    }
    Some(match event.code {
        KeyCode::Char(letter) => Key::Char(letter),
        KeyCode::F(number) => Key::Function(number),
        KeyCode::Up => Key::Up,
        KeyCode::Down => Key::Down,
        KeyCode::Left => Key::Left,
        KeyCode::Right => Key::Right,
        KeyCode::PageUp => Key::PageUp,
        KeyCode::PageDown => Key::PageDown,
        KeyCode::Home => Key::Home,
        KeyCode::End => Key::End,
        KeyCode::Enter => Key::Enter,
        KeyCode::Esc => Key::Escape,
        KeyCode::Backspace => Key::Backspace,
        _ => return None,
    })
}
