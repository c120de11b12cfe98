//! PNG by a renderer of SVG that is installed, for a command without the feature `png`.

use std::io::{self, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;

use anyhow::{Context, bail};
use nearfar_view::owned_files::{TrustedPrograms, restrict};

/// Renderers, with words that make each read SVG from its standard input and write PNG to its
/// standard output.
fn renderers(scale: f64) -> [(&'static str, Vec<String>); 3] {
    let words = |line: String| line.split(' ').map(str::to_owned).collect();
    let dpi = 96.0 * scale;
    [
        ("rsvg-convert", words(format!("--format=png --zoom {scale}"))),
        ("resvg", words(format!("--zoom {scale} - -c"))),
        (
            "inkscape",
            words(format!("--pipe --export-type=png --export-filename=- --export-dpi={dpi}")),
        ),
    ]
}

/// The picture as PNG, with `scale` pixels to a unit of the SVG.
pub(crate) fn png(svg: &str, scale: f64) -> anyhow::Result<Vec<u8>> {
    for (program, words) in renderers(scale) {
        let file = TrustedPrograms::from_this_process().find(program);
        let Some(file) = file.with_context(|| format!("cannot run {program}"))? else { continue };
        match rendered(&file, &words, svg) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error).with_context(|| format!("cannot run {program}")),
            Ok(Ok(png)) => return Ok(png),
            Ok(Err(error)) => bail!("{program} made no PNG: {error}"),
        }
    }
    bail!(
        "no renderer for PNG is installed: install librsvg2-bin (rsvg-convert), resvg or \
         inkscape, or take the SVG"
    )
}

/// The PNG; else the first line of its error output.
fn rendered(program: &Path, words: &[String], svg: &str) -> io::Result<Result<Vec<u8>, String>> {
    let mut command = Command::new(program);
    restrict(&mut command);
    let mut child = command
        .args(words)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    let mut input = child.stdin.take();
    let svg = svg.to_owned();
    // It may write before it has read everything. One that stops reading reports why.
    let feed = move || input.take().map(|mut input| input.write_all(svg.as_bytes()));
    // Without one its input has ended, and it ends by itself.
    let feeder = thread::Builder::new().spawn(feed);
    let output = child.wait_with_output()?;
    let _ = feeder?.join();
    let is_png = output.stdout.starts_with(b"\x89PNG");
    if output.status.success() && is_png {
        return Ok(Ok(output.stdout));
    }
    let errors = String::from_utf8_lossy(&output.stderr);
    Ok(Err(errors
        .lines()
        .find(|line| !line.trim().is_empty())
        .unwrap_or("no error message")
        .to_owned()))
}
