//! Reading the JSON request that `--request` names.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use handoff_ops::OpError;
use serde_json::Value;

/// More than any request needs, and less than what makes a machine swap.
const LIMIT: usize = 64 * 1024 * 1024;

/// Reads the request from `path`, or from `stdin` when that is `-`.
pub(crate) fn read(path: &Path, cwd: &Path, stdin: &mut dyn Read) -> Result<Value, OpError> {
    let name = if path == Path::new("-") { "standard input".to_owned() } else { format!("`{}`", path.display()) };
    let bytes = if path == Path::new("-") {
        bounded(stdin)
    } else {
        File::open(cwd.join(path)).and_then(|mut file| bounded(&mut file))
    }
    .map_err(|error| unreadable(&name, error))?;
    if bytes.len() > LIMIT {
        return Err(OpError::usage(format!("the request in {name} is larger than {} MB", LIMIT / 1024 / 1024)));
    }
    let text = str::from_utf8(&bytes).map_err(|error| {
        OpError::usage(format!("the request in {name} is not UTF-8: byte {} is out of place", error.valid_up_to() + 1))
    })?;
    serde_json::from_str(text.trim_start_matches('\u{feff}'))
        .map_err(|error| OpError::usage(format!("the request in {name} is not JSON: {error}")))
}

fn bounded(source: &mut dyn Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    source.take(LIMIT as u64 + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn unreadable(name: &str, error: io::Error) -> OpError {
    let message = format!("cannot read the request from {name}");
    match error.kind() {
        io::ErrorKind::NotFound => OpError::not_found(message),
        _ => OpError::failure(message),
    }
    .caused_by(error)
}

#[cfg(test)]
mod tests {
    use handoff_ops::ErrorKind;
    use serde_json::json;

    use super::*;

    fn from_stdin(bytes: &[u8]) -> Result<Value, OpError> {
        read(Path::new("-"), Path::new("/"), &mut &*bytes)
    }

    #[test]
    fn json_is_read_from_standard_input() {
        assert_eq!(from_stdin(b"{\"a\": 1}\n").unwrap(), json!({"a": 1}));
        assert_eq!(from_stdin("\u{feff}{}".as_bytes()).unwrap(), json!({}));
    }

    #[test]
    fn what_is_no_request_is_wrong_usage() {
        let message = |bytes: &[u8]| {
            let error = from_stdin(bytes).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Usage);
            error.message().to_owned()
        };
        assert_eq!(message(b"{\"a\": \xff}"), "the request in standard input is not UTF-8: byte 7 is out of place");
        assert!(message(b"").starts_with("the request in standard input is not JSON: EOF"));
        assert!(message(&b"[".repeat(100_000)).contains("recursion limit"));
        assert_eq!(message(&vec![b' '; LIMIT + 1]), "the request in standard input is larger than 64 MB");
    }

    #[test]
    fn a_missing_file_is_not_found() {
        let error = read(Path::new("no-such-file.json"), Path::new("/"), &mut io::empty()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::NotFound);
        assert_eq!(error.message(), "cannot read the request from `no-such-file.json`");
    }
}
