//! One look at one page in one view: what the browser complains of, what is asked of the network,
//! what `look.js` finds.

use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, bail};
use serde_json::{Value, json};

use super::browser::Browser;
use super::fault::ViewFault;
use super::picture;
use super::view::View;

const LOOK: &str = include_str!("look.js");
/// Time in which a loaded page may still ask or complain.
const AFTERMATH: Duration = Duration::from_millis(200);
/// Height of the window.
const HEIGHT: u32 = 900;
/// What a page may not use; `Network` also cuts the line.
const DOMAINS: [&str; 4] = ["Page", "Runtime", "Log", "Network"];

/// What a visit shows.
#[derive(Debug)]
pub(super) struct VisitResult {
    pub(super) faults: Vec<ViewFault>,
    /// What stands on the page: pictures, tables, headings, letters.
    pub(super) counts: Value,
}

/// Visits a page; with `shot` also keeps a picture of all of it there.
pub(super) fn visit(
    browser: &mut Browser,
    page: &Path,
    view: View,
    shot: Option<&Path>,
) -> anyhow::Result<VisitResult> {
    let (target, session) = browser.open()?;
    let seen = look(browser, &session, page, view, shot);
    browser.close(&target)?;
    seen.with_context(|| format!("{} ({view})", page.display()))
}

fn look(
    browser: &mut Browser,
    session: &str,
    page: &Path,
    view: View,
    shot: Option<&Path>,
) -> anyhow::Result<VisitResult> {
    let wire = &mut browser.wire;
    for domain in DOMAINS {
        wire.call(session, &format!("{domain}.enable"), &json!({}))?;
    }
    let offline =
        json!({"offline": true, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1});
    wire.call(session, "Network.emulateNetworkConditions", &offline)?;
    let window =
        json!({"width": view.width, "height": HEIGHT, "deviceScaleFactor": 1, "mobile": false});
    wire.call(session, "Emulation.setDeviceMetricsOverride", &window)?;
    let theme = json!({"features": [{"name": "prefers-color-scheme", "value": view.theme}]});
    wire.call(session, "Emulation.setEmulatedMedia", &theme)?;
    wire.call(session, "Emulation.setScriptExecutionDisabled", &json!({"value": !view.scripts}))?;
    let begun = wire.call(session, "Page.navigate", &json!({"url": url(page)}))?;
    if let Some(why) = begun["errorText"].as_str() {
        bail!("cannot be opened: {why}");
    }
    wire.wait(session, "Page.loadEventFired")?;
    wire.listen(AFTERMATH);
    let found = wire.call(
        session,
        "Runtime.evaluate",
        &json!({"expression": LOOK, "returnByValue": true}),
    )?;
    if !found["exceptionDetails"].is_null() {
        bail!("look.js fails: {}", described(&found["exceptionDetails"]));
    }
    let found = &found["result"]["value"];
    if let Some(file) = shot {
        picture::keep(wire, session, file)?;
    }
    let events = wire.events(session);
    let mut faults: Vec<ViewFault> =
        events.iter().filter_map(|event| for_event(event, &begun["loaderId"])).collect();
    let reported = found["faults"].as_array().context("look.js gives no list")?;
    faults.extend(
        reported.iter().map(|fault| ViewFault::new(text(&fault["what"]), text(&fault["where"]))),
    );
    Ok(VisitResult { faults, counts: found["counts"].clone() })
}

/// What an event means for a page that is whole in itself. The page's own file is the request by
/// the name of `loader`.
fn for_event(event: &Value, loader: &Value) -> Option<ViewFault> {
    let params = &event["params"];
    match event["method"].as_str()? {
        "Runtime.consoleAPICalled" => {
            let arguments: Vec<String> = params["args"].as_array()?.iter().map(spoken).collect();
            Some(ViewFault::new(format!("console: {}", text(&params["type"])), arguments.join(" ")))
        }
        "Runtime.exceptionThrown" => {
            Some(ViewFault::new("exception", described(&params["exceptionDetails"])))
        }
        "Log.entryAdded" => {
            let entry = &params["entry"];
            let where_ = format!("{} {}", text(&entry["text"]), text(&entry["url"]));
            Some(ViewFault::new(
                format!("browser's log: {}", text(&entry["level"])),
                short(where_.trim()),
            ))
        }
        "Network.requestWillBeSent" => {
            let asked = text(&params["request"]["url"]);
            let is_own = &params["requestId"] == loader || asked.starts_with("data:");
            (!is_own).then(|| ViewFault::new("foreign request", short(&asked)))
        }
        "Network.webSocketCreated" => Some(ViewFault::new("foreign request", text(&params["url"]))),
        "Network.loadingFailed" => {
            Some(ViewFault::new("failed request", text(&params["errorText"])))
        }
        _ => None,
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// Data URIs are as long as their pictures.
fn short(text: &str) -> String {
    text.chars().take(200).collect()
}

/// An argument of `console.log`.
fn spoken(argument: &Value) -> String {
    match &argument["value"] {
        Value::Null => text(&argument["description"]),
        Value::String(arguments) => arguments.clone(),
        other => other.to_string(),
    }
}

fn described(exception: &Value) -> String {
    let long = text(&exception["exception"]["description"]);
    let first = long.lines().next().unwrap_or_default();
    if first.is_empty() { text(&exception["text"]) } else { first.to_owned() }
}

/// A path as a URL: what is not plain is written in hexadecimal.
fn url(path: &Path) -> String {
    let mut url = "file://".to_owned();
    for &byte in path.as_os_str().as_bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'_' | b'.' => {
                url.push(char::from(byte));
            }
            _ => url.push_str(&format!("%{byte:02X}")),
        }
    }
    url
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_become_urls() {
        assert_eq!(url(Path::new("/tmp/a b#1?.html")), "file:///tmp/a%20b%231%3F.html");
    }
}
