//! As much of HTTP/1.1 as a scrape needs: a request's head in, a response's head out.

/// The longest head of a request.
pub(super) const MAX_HEAD: usize = 8 << 10;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    Metrics,
    BadRequest,
    NotFound,
    NotAllowed,
    TooLong,
    Busy,
}

/// The answer to what was received so far; `None` while the head is not whole.
pub(super) fn answer(received: &[u8]) -> Option<Answer> {
    let end = received.windows(4).position(|window| window == b"\r\n\r\n");
    if end.is_none() {
        return (received.len() >= MAX_HEAD).then_some(Answer::TooLong);
    }
    let line = received.split(|byte| *byte == b'\r').next().unwrap_or_default();
    let line = String::from_utf8_lossy(line);
    let words: Vec<&str> = line.split(' ').collect();
    Some(match words[..] {
        ["GET", path, version] if version.starts_with("HTTP/1.") => match path.split('?').next() {
            Some("/metrics") => Answer::Metrics,
            _ => Answer::NotFound,
        },
        [_, _, version] if version.starts_with("HTTP/1.") => Answer::NotAllowed,
        _ => Answer::BadRequest,
    })
}

impl Answer {
    const fn status(self) -> &'static str {
        match self {
            Self::Metrics => "200 OK",
            Self::BadRequest => "400 Bad Request",
            Self::NotFound => "404 Not Found",
            Self::NotAllowed => "405 Method Not Allowed\r\nAllow: GET",
            Self::TooLong => "431 Request Header Fields Too Large",
            Self::Busy => "503 Service Unavailable",
        }
    }

    /// A response with this text; all but metrics have one of their own.
    pub(super) fn response(self, metrics: &str) -> String {
        let text = match self {
            Self::Metrics => metrics,
            _ => "nearfar serves GET /metrics only\n",
        };
        format!(
            "HTTP/1.1 {}\r\nContent-Type: text/plain; version=0.0.4; charset=utf-8\r\n\
             Content-Length: {}\r\nConnection: close\r\n\r\n{text}",
            self.status(),
            text.len()
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_get_metrics_is_served() {
        let of = |text: &str| answer(format!("{text}\r\nHost: a\r\n\r\n").as_bytes());
        for (line, wanted) in [
            ("GET /metrics HTTP/1.1", Answer::Metrics),
            ("GET /metrics?x=1 HTTP/1.0", Answer::Metrics),
            ("GET / HTTP/1.1", Answer::NotFound),
            ("GET /metrics/../etc HTTP/1.1", Answer::NotFound),
            ("POST /metrics HTTP/1.1", Answer::NotAllowed),
            ("HEAD /metrics HTTP/1.1", Answer::NotAllowed),
            ("GET /metrics", Answer::BadRequest),
            ("", Answer::BadRequest),
        ] {
            assert_eq!(of(line), Some(wanted), "{line}");
        }
    }

    #[test]
    fn heads_are_bounded() {
        assert_eq!(answer(b"GET /metrics HTTP/1.1\r\n"), None);
        assert_eq!(answer(&[b'a'; MAX_HEAD]), Some(Answer::TooLong));
    }

    #[test]
    fn responses_have_their_length() {
        let response = Answer::Metrics.response("a 1\n");
        assert!(response.starts_with("HTTP/1.1 200 OK\r\n") && response.ends_with("\r\n\r\na 1\n"));
        assert!(response.contains("Content-Length: 4\r\n"));
        assert!(Answer::Busy.response("a 1\n").ends_with("GET /metrics only\n"));
    }
}
