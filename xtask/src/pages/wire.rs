//! The DevTools protocol over a pipe: JSON messages that a NUL byte ends, answers distinguished
//! from events by their number.
//!
//! Nothing here waits without a limit: a browser that hangs must not hang the check.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Write};
use std::process::{ChildStdin, ChildStdout};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use serde_json::{Value, json};

/// How long any one answer may take.
const TIMEOUT: Duration = Duration::from_secs(60);

/// Both ends of the pipe.
pub(super) struct Wire {
    to: ChildStdin,
    from: Receiver<Value>,
    calls: u64,
    events: VecDeque<Value>,
}

impl Wire {
    pub(super) fn new(to: ChildStdin, from: ChildStdout) -> Self {
        let (sender, messages) = channel();
        thread::spawn(move || {
            let mut from = BufReader::new(from);
            let mut message = Vec::new();
            while from.read_until(0, &mut message).is_ok_and(|length| length > 0) {
                let parsed = serde_json::from_slice(message.strip_suffix(&[0]).unwrap_or(&message));
                message.clear();
                if parsed.is_ok_and(|parsed| sender.send(parsed).is_err()) {
                    return;
                }
            }
        });
        Self { to, from: messages, calls: 0, events: VecDeque::new() }
    }

    /// Has the browser (`session` empty) or a page do something; its result.
    pub(super) fn call(
        &mut self,
        session: &str,
        method: &str,
        params: &Value,
    ) -> anyhow::Result<Value> {
        self.calls += 1;
        let mut message = json!({"id": self.calls, "method": method, "params": params});
        if !session.is_empty() {
            message["sessionId"] = session.into();
        }
        let mut bytes = serde_json::to_vec(&message)?;
        bytes.push(0);
        let sent = self.to.write_all(&bytes).and_then(|()| self.to.flush());
        sent.with_context(|| format!("cannot ask Chromium for {method}"))?;
        let until = Instant::now() + TIMEOUT;
        loop {
            let mut answer =
                self.next(until).with_context(|| format!("Chromium does not answer {method}"))?;
            if answer["id"] != self.calls {
                self.events.push_back(answer);
            } else if answer["error"].is_null() {
                return Ok(answer["result"].take());
            } else {
                bail!("Chromium refuses {method}: {}", answer["error"]["message"]);
            }
        }
    }

    /// Waits until a page has reported an event; the event stays among those that [`Wire::events`]
    /// gives.
    pub(super) fn wait(&mut self, session: &str, event: &str) -> anyhow::Result<()> {
        let is_it = |message: &Value| message["sessionId"] == session && message["method"] == event;
        let until = Instant::now() + TIMEOUT;
        while !self.events.iter().any(is_it) {
            let message =
                self.next(until).with_context(|| format!("Chromium does not report {event}"))?;
            self.events.push_back(message);
        }
        Ok(())
    }

    /// Hears what comes in this time.
    pub(super) fn listen(&mut self, time: Duration) {
        let until = Instant::now() + time;
        while let Ok(message) = self.next(until) {
            self.events.push_back(message);
        }
    }

    /// The events of a page so far; drops all others'.
    pub(super) fn events(&mut self, session: &str) -> Vec<Value> {
        self.events.drain(..).filter(|message| message["sessionId"] == session).collect()
    }

    fn next(&self, until: Instant) -> anyhow::Result<Value> {
        match self.from.recv_timeout(until.saturating_duration_since(Instant::now())) {
            Ok(message) => Ok(message),
            Err(RecvTimeoutError::Timeout) => bail!("time is up"),
            Err(RecvTimeoutError::Disconnected) => bail!("it has ended"),
        }
    }
}
