//! Secrets in every file that a capture reads: none is in the archive.

use std::fs;
use std::path::Path;

use nearfar_machine::capture::Privacy;

use super::{captured, tree, unpacked};

/// Number of secrets; there are more places than that.
const SECRETS: usize = 60;

/// The secret of a number: "zqvk07hostwx".
fn secret(number: usize) -> String {
    format!("zqvk{:02}hostwx", number % SECRETS)
}

/// The forms in which a secret may stand in a file.
fn encoded(secret: &str) -> [String; 6] {
    let hex =
        |head: &str| -> String { secret.bytes().map(|byte| format!("{head}{byte:02x}")).collect() };
    [
        secret.to_owned(),
        secret.to_uppercase(),
        base64(secret.as_bytes()),
        hex(""),
        hex("%"),
        secret.chars().flat_map(|letter| [letter, '\0']).collect(),
    ]
}

fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let bits = bytes.iter().fold(String::new(), |bits, byte| bits + &format!("{byte:08b}"));
    let six = |six: &[u8]| {
        let text = format!("{:0<6}", String::from_utf8_lossy(six));
        char::from(LETTERS[usize::from_str_radix(&text, 2).unwrap()])
    };
    bits.as_bytes().chunks(6).map(six).collect()
}

/// Writes the machine; each '@' becomes the next secret in the next form.
struct Planter<'f> {
    root: &'f Path,
    next: usize,
}

impl Planter<'_> {
    fn filled(&mut self, text: &str, forms: usize) -> String {
        let mut parts = text.split('@');
        let mut filled = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let number = self.next;
            filled += &encoded(&secret(number))[number / SECRETS.min(7) % forms];
            filled += part;
            self.next += 1;
        }
        filled
    }

    /// Names cannot have NULs.
    fn path(&mut self, path: &str) -> std::path::PathBuf {
        let path = self.root.join(self.filled(path, 4));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        path
    }

    fn file(&mut self, path: &str, content: &[u8]) {
        let path = self.path(path);
        let content: Vec<u8> = content
            .split(|&byte| byte == b'@')
            .enumerate()
            .flat_map(|(index, part)| {
                let filled = if index == 0 { String::new() } else { self.filled("@", 6) };
                filled.into_bytes().into_iter().chain(part.iter().copied())
            })
            .collect();
        fs::write(path, content).unwrap();
    }
}

/// The secrets that are in an archive, in any form.
fn found(archive: &[u8]) -> Vec<String> {
    let numbers = 0..SECRETS;
    let forms = numbers.flat_map(|number| encoded(&secret(number)));
    let text: String = archive.iter().map(|&byte| char::from(byte)).collect();
    let place = |form: String| {
        let before = &text[..text.find(&form)?];
        let file = before.rfind("nearfar-capture/").map_or("", |at| &before[at..]);
        Some(format!("{form} in {}", file.split('\0').next().unwrap_or_default()))
    };
    forms.filter_map(place).collect()
}

fn check(plant: impl Fn(&mut Planter<'_>)) -> usize {
    let [root, out] = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let mut planter = Planter { root: root.path(), next: 0 };
    plant(&mut planter);
    let archive = out.path().join("c.tar.gz");
    captured(root.path(), Privacy::Kept, &archive);
    let planted = found(&unpacked(&archive)).len();
    let capture = captured(root.path(), Privacy::Removed, &archive);
    assert_eq!(found(&unpacked(&archive)), [""; 0], "{}", capture.manifest());
    assert_eq!(found(capture.manifest().as_bytes()), [""; 0]);
    // What is in the archive is no more when it is packed again.
    let again = out.path().join("again.tar.gz");
    captured(&archive, Privacy::Removed, &again);
    assert_eq!(found(&unpacked(&again)), [""; 0]);
    planted
}

#[test]
fn no_secret_of_a_machine_is_in_its_capture() {
    let planted = check(|planter| {
        tree::files().into_iter().for_each(|(path, content)| planter.file(path, &content));
        for (path, target) in tree::LINKS {
            let path = planter.path(path);
            std::os::unix::fs::symlink(target, path).unwrap();
        }
    });
    assert!(planted >= SECRETS, "only {planted} are read");
}

#[test]
fn no_secret_after_or_instead_of_a_value_is_in_a_capture() {
    for instead in [false, true] {
        // Files without which there is no topology are in a turn of their own.
        for is_structure in [false, true] {
            let planted = check(|planter| {
                for (path, content) in tree::files() {
                    let content: Vec<u8> =
                        content.into_iter().filter(|byte| *byte != b'@').collect();
                    let path = path.replace('@', "a");
                    let planted: &[u8] = if instead { b"@" } else { b"\n@ = @\n" };
                    let kept: &[u8] = if instead { b"" } else { &content };
                    match tree::is_structure(&path) == is_structure {
                        true => planter.file(&path, &[kept, planted].concat()),
                        false => planter.file(&path, &content),
                    }
                }
            });
            assert!(planted > 5, "only {planted} are read");
        }
    }
}
