use proptest::prelude::*;

use super::{find, redact as redact_and_name};

/// What stands in place of a secret, whatever found it.
const REDACTED: &str = "[redacted]";

/// The text without secrets, and without the names of what found them.
fn redact(text: &str) -> String {
    let mut plain = String::new();
    let redacted = redact_and_name(text);
    let mut rest = redacted.as_ref();
    while let Some(at) = rest.find("[redacted: ") {
        plain.push_str(&rest[..at]);
        plain.push_str(REDACTED);
        rest = rest[at..].split_once(']').map_or("", |(_, behind)| behind);
    }
    plain + rest
}

/// Tokens are put together here, so that no scanner of repositories takes this file for a leak.
fn token(mark: &str, rest: &str) -> String {
    format!("{mark}{rest}")
}

const RANDOM: &str = "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8";

fn known_tokens() -> Vec<String> {
    let mut tokens: Vec<String> = [
        "sk-",
        "sk-ant-api03-",
        "sk-proj-",
        "sk_live_",
        "ghp_",
        "gho_",
        "ghs_",
        "github_pat_",
        "glpat-",
        "xoxb-",
        "AIza",
        "ya29.",
        "npm_",
        "pypi-",
        "hf_",
        "dop_v1_",
        "AGE-SECRET-KEY-1",
    ]
    .iter()
    .map(|mark| token(mark, RANDOM))
    .collect();
    tokens.push(token("AKIA", "IOSFODNN7EXAMPLE"));
    tokens.push(token("ASIA", "IOSFODNN7EXAMPLE"));
    tokens.push(token("eyJhbGciOiJIUzI1NiJ9", ".eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P"));
    tokens
}

#[test]
fn tokens_are_known_by_the_mark_of_who_gave_them_out() {
    for token in known_tokens() {
        for text in [
            token.clone(),
            format!("use {token}, please"),
            format!("\"{token}\""),
            format!("It is {token}."),
            format!("X_{token}"),
            format!("é{token}é"),
        ] {
            let redacted = redact(&text);
            assert_eq!(redacted, text.replace(&token, REDACTED), "{text}");
        }
    }
}

#[test]
fn a_token_whose_end_was_cut_off_is_still_one() {
    assert_eq!(redact(&token("ghp_", "a1B2c3…")), "[redacted]…");
    assert_eq!(redact("keys begin with sk-… or ghp_…"), "keys begin with sk-… or ghp_…");
}

#[test]
fn what_is_given_to_the_name_of_a_secret_goes_and_the_name_stays() {
    for (text, expected) in [
        ("DB_PASSWORD=hunter2 ./run", "DB_PASSWORD=[redacted] ./run"),
        ("export GITHUB_TOKEN=abcdefghijkl", "export GITHUB_TOKEN=[redacted]"),
        ("PGPASSWORD='correct horse'", "PGPASSWORD='correct horse'"),
        ("PGPASSWORD='correct-horse' psql", "PGPASSWORD='[redacted]' psql"),
        ("password: hunter2\nuser: me", "password: [redacted]\nuser: me"),
        ("  db_password: hunter\n", "  db_password: [redacted]\n"),
        ("- password: hunter", "- password: [redacted]"),
        (r#"{"apiKey": "k3y1234567", "n": 1}"#, r#"{"apiKey": "[redacted]", "n": 1}"#),
        (r#"{\"password\": \"hunter\"}"#, r#"{\"password\": \"[redacted]\"}"#),
        ("client_secret = 'Zm9vYmFyYmF6MTIz'", "client_secret = '[redacted]'"),
        ("mysql --password hunter -u me", "mysql --password [redacted] -u me"),
        ("tool --api-key=a8f5f167f44f4964e6c998de", "tool --api-key=[redacted]"),
        ("curl 'https://x.test/?token=a8f5f167f44f&page=2'", "curl 'https://x.test/?token=[redacted]&page=2'"),
        ("Authorization: Bearer abcdefghij1234567890", "Authorization: Bearer [redacted]"),
        ("-H \"authorization: Basic dXNlcjpwYXNzd29yZA==\"", "-H \"authorization: Basic [redacted]\""),
        ("X-Api-Key: a8f5f167f44f4964", "X-Api-Key: [redacted]"),
        ("AWS_SECRET_ACCESS_KEY=/abC1dEf2GhI3jKl4MnO5pQr6StU7vWx8YzA9bCd", "AWS_SECRET_ACCESS_KEY=[redacted]"),
        ("postgres://app:s3cret@db:5432/x", "postgres://app:[redacted]@db:5432/x"),
        ("https://a8f5f167f44f4964e6c998de@git.test/x", "https://[redacted]@git.test/x"),
    ] {
        assert_eq!(redact(text), expected);
    }
}

#[test]
fn what_only_speaks_of_secrets_stays() {
    for text in [
        "Extract the token parser and fix the refresh token test",
        "tokens: 2000, max_tokens = 4096, token_count: 17",
        "let token = tokens.next();",
        "fn check(password: &str, token: Token) -> bool",
        "password: String,",
        "pub secret: Option<String>,",
        "login(user=user, password=password, token=self.token)",
        "password = getpass.getpass()",
        "token = parser.next_token(input)",
        "if token == \"refresh\" {}",
        "type Token = token::Parsed;",
        "The password: it must be at least 8 characters",
        "error: password is required; token: missing",
        "the --password flag and the --token option",
        "--password-file /run/secrets/db --token $TOKEN",
        "PASSWORD=${DB_PASSWORD} TOKEN=$(cat token) SECRET=<your secret>",
        "PWD=/home/dev/my-app",
        "token: null, secret: ****, api_key: your-api-key-here",
        "Authorization: Bearer $TOKEN",
        "the bearer of this message",
        "commit 3db7a8e1c0ffee3db7a8e1c0ffee3db7a8e1c0ff",
        "id 123e4567-e89b-12d3-a456-426614174000",
        "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "/home/dev/my-app/src/secret/token.rs:42",
        "https://example.com:8080/a@b and git@github.com:a/b.git",
        "https://user@example.com/x",
        "ssh://git@host:22/x and http://localhost:3000/@me",
        "a sk-learn-compatible-estimator2 and task-force-of-the-2020s-and-more",
        "-----BEGIN RSA PRIVATE KEY----- is how such a file begins",
        "-----BEGIN CERTIFICATE-----\nMIIBszCCARygAwIBAgIBATANBgkqhkiG9w0\n-----END CERTIFICATE-----",
        "npm_config_registry npm_package_version hf_hub_download",
    ] {
        assert_eq!(redact(text), text);
    }
}

#[test]
fn what_a_program_takes_as_a_short_option_goes() {
    for (text, redacted) in [
        ("curl -u admin:hunter2secret https://x", "curl -u admin:[redacted] https://x"),
        ("curl --user 'admin:hunter2secret' https://x", "curl --user 'admin:[redacted]' https://x"),
        ("mysql -u root -pHunter2Secret app", "mysql -u root -p[redacted] app"),
        ("sudo docker login -u me -p Hunter2Secret r.io", "sudo docker login -u me -p [redacted] r.io"),
        ("/usr/bin/sshpass -p Hunter2Secret ssh x", "/usr/bin/sshpass -p [redacted] ssh x"),
        ("redis-cli -a Hunter2Secret ping", "redis-cli -a [redacted] ping"),
        ("curl -b \"session=abcdef1234567890\" https://x", "curl -b \"[redacted]\" https://x"),
        ("PASSWORD='Hunter2 Secret' make", "PASSWORD='[redacted]' make"),
        ("SECRET_KEY_BASE: 0123456789abcdef0123456789abcdef", "SECRET_KEY_BASE: [redacted]"),
        ("EndpointSuffix=x;AccountKey=abcDEF123456789012345678==;", "EndpointSuffix=x;AccountKey=[redacted];"),
        ("the password is Hunter2Secret!", "the password is [redacted]"),
        ("Cookie: session=abcdef1234567890abcd; theme=dark", "Cookie: [redacted]"),
        ("bot 123456789:AAH8x9y0z1a2b3c4d5e6f7g8h9i0j1k2l3m", "bot [redacted]"),
    ] {
        assert_eq!(redact(text), redacted);
    }
    for text in [
        "curl -u $USER:$PASS https://x",
        "docker run -p 8080:80 nginx",
        "mysql -u root -p",
        "ssh -p 2222 host",
        "mkdir -p src/secret/option",
        "curl -b cookies.txt",
        "the password is required and the token is valid",
        "cargo test -p handoff-model -a b",
        "cookie: accept all of them",
    ] {
        assert_eq!(redact(text), text);
    }
}

#[test]
fn a_private_key_goes_as_a_whole() {
    let body = "MIIEpAIBAAKCAQEA7bq0\nabcd1234ABCD5678wxyz9012\nqwer==";
    let begin = token("-----BEGIN ", "RSA PRIVATE KEY-----");
    let end = token("-----END ", "RSA PRIVATE KEY-----");
    assert_eq!(redact(&format!("a\n{begin}\n{body}\n{end}\nb")), "a\n[redacted]\nb");
    assert_eq!(redact(&format!("a\n{begin}\n{body}")), "a\n[redacted]", "cut off at the end");
    assert_eq!(redact(&format!("…{body}\n{end}\nb")), "[redacted]\nb", "cut off at the beginning");
    let escaped = format!(r#"{{"key": "{begin}\n{}\n{end}\n"}}"#, body.replace('\n', "\\n"));
    assert_eq!(redact(&escaped), r#"{"key": "[redacted]\n"}"#);
    assert_eq!(redact(&format!("{begin} MIIEpAIBAAKCAQEA7bq0 {end}!")), "[redacted]!");
}

/// Texts that are likely to be near a secret.
fn near_secrets() -> impl Strategy<Value = String> {
    let pieces = prop_oneof![
        Just("password".to_owned()),
        Just("token".to_owned()),
        Just("--api-key".to_owned()),
        Just("Authorization".to_owned()),
        Just("Bearer".to_owned()),
        Just("-----BEGIN RSA PRIVATE KEY-----".to_owned()),
        Just("-----END RSA PRIVATE KEY-----".to_owned()),
        Just("MIIEpAIBAAKCAQEA7bq0".to_owned()),
        Just("https://".to_owned()),
        Just(REDACTED.to_owned()),
        Just("hunter2".to_owned()),
        Just("\\n".to_owned()),
        proptest::sample::select(known_tokens()),
        "[=: \\\\\"'@/.,;\n_…-]{1,3}",
        "[a-zA-Z0-9é]{1,12}",
    ];
    proptest::collection::vec(pieces, 0..24).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn redacting_twice_is_redacting_once(text in near_secrets()) {
        let once = redact_and_name(&text).into_owned();
        prop_assert_eq!(redact_and_name(&once), once.as_str());
        prop_assert!(find(&once).is_empty());
    }

    #[test]
    fn any_text_is_taken(text in any::<String>()) {
        let once = redact_and_name(&text).into_owned();
        prop_assert_eq!(redact_and_name(&once), once.as_str());
    }

    #[test]
    fn no_known_token_comes_through(before in "[ -~]{0,20}", after in "[ -~]{0,20}", token in proptest::sample::select(known_tokens())) {
        let text = format!("{before} {token} {after}");
        prop_assert!(!redact(&text).contains(&token));
    }
}
