//! Texts without secrets that look as if they had some: notes, code, logs, hashes, lock files.

use super::{Chance, fill};

const LINES: &[&str] = &[
    // git and builds
    "commit {h40}",
    "{h7} fix the token parser and its tests",
    "index {h7}..{h7} 100644",
    "Merge: {h7} {h7}",
    "-Subproject commit {h40}",
    "tree {h40}",
    "deployed {h40} to staging, sentry release {h40}",
    "sentry_release={h40}",
    "codecov/project sha: {h40}",
    "cache-key: linux-cargo-{h64}",
    "image: registry.example.com/app@sha256:{h64}",
    "digest: sha256:{h64}",
    "Fingerprint: SHA256:{b43}",
    "{h32}  release.tar.gz",
    "{h64}  handoff-x86_64",
    // lock files
    "checksum = \"{h64}\"",
    "      \"integrity\": \"sha512-{b86}==\",",
    "      \"resolved\": \"https://packages.example.com/left-pad/-/left-pad-1.3.0.tgz\",",
    "github.com/pkg/errors v0.9.1 h1:{b43}=",
    "    {file = \"x-1.0-py3-none-any.whl\", hash = \"sha256:{h64}\"},",
    "  version \"4.17.21\"",
    "  resolved \"https://registry.yarnpkg.com/lodash/-/lodash-4.17.21.tgz#{h40}\"",
    "source = \"registry+https://github.com/rust-lang/crates.io-index\"",
    // ids and logs
    "id: {g}",
    "request_id={g} status=200",
    "aws_request_id={g}",
    "trace_id: {h32}, span_id: {h16}",
    "2026-11-15T09:15:03Z INFO handled request {h32} in 12ms",
    "cf-ray: {h16}-FRA",
    "etag: \"{h32}\"",
    "session 2026-11-15-{h8} continues 2026-11-14-{h8}",
    "datadog trace {d19} took {d3} ms",
    "user {d8} logged in from 10.0.{d2}.{d1}",
    "order {d6}-{u8} shipped",
    "blob = \"{h7}\"",
    "uuid = \"{g}\"",
    "Content-MD5: {b22}==",
    "ETag: W/\"{h8}-{h32}\"",
    "build {d6} of main ({h12})",
    "instance i-0{h16} in eu-central-1",
    "arn:aws:iam::{d12}:role/deploy",
    "subnet-{h17}, vpc-{h17}",
    // code
    "let token = tokens.next().ok_or(Error::End)?;",
    "fn check(password: &str, token: Token) -> bool {",
    "password: String,",
    "pub api_key: Option<String>,",
    "const token = await getToken();",
    "self.token = token",
    "api_key = os.environ[\"API_KEY\"]",
    "api_key: process.env.OPENAI_API_KEY,",
    "password = getpass.getpass(\"Password: \")",
    "if (password.length < 8) throw new Error(\"password too short\");",
    "assert_eq!(token.kind, TokenKind::Ident);",
    "  token: ${{ secrets.GITHUB_TOKEN }}",
    "  key: ${{ runner.os }}-cargo-${{ hashFiles('**/Cargo.lock') }}",
    "      secretKeyRef: { name: db, key: password }",
    "password_hash = hash_password(password)",
    "String secret = vault.read(\"secret/data/app\");",
    "max_tokens = 4096, budget_tokens: 2000",
    "secret_name: my-app-db-credentials",
    "auth_token_header = \"X-Auth-Token\"",
    "export API_KEY=$(pass show work/api)",
    "export TOKEN=${TOKEN:-none}",
    "DB_PASSWORD=<your password>",
    "STRIPE_KEY=sk_test_xxxxxxxxxxxxxxxxxxxxxxxx",
    "OPENAI_API_KEY=sk-...",
    "  -H \"Authorization: Bearer $TOKEN\" \\",
    "Authorization: Bearer <token>",
    "postgres://localhost:5432/app",
    "https://user@example.com/path?id={h16}",
    "redis://:${REDIS_PASSWORD}@cache:6379/0",
    "ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABgQ{b60} me@host",
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{b43} me@host",
    "<div class=\"task-list sk-spinner\" data-key=\"{h8}\">",
    "color: #{h6};",
    "background: url(data:image/png;base64,iVBORw0KGgoAAAANSUhEUg{b40});",
    "#define TOKEN_MAX 256",
    "enum Key { Primary, Foreign, Api }",
    "primary_key = \"id\", foreign_key = \"session_id\"",
    "hf_hub_download(repo_id=\"org/model\", filename=\"config.json\")",
    "npm_config_registry=https://packages.example.com/",
    "private_key_path = \"/etc/ssl/private/app.key\"",
    "public_key = \"age1{l58}\"",
    "let key = format!(\"{}-{}\", user.id, day);",
    "cache.set(key, value, ttl=3600)",
    // notes
    "Extract the token parser and fix the refresh token test",
    "The password reset mail is sent twice; the token is checked only once",
    "Decision: JWT over server sessions, because the API is stateless",
    "Next: rotate the API key of staging, ask Alice for the new secret",
    "The key is to keep it simple: password rules belong into one place",
    "Blocked: waiting for the Stripe key and the Slack webhook address",
    "keys begin with sk- or ghp_, tokens of Slack with xoxb-",
    "- [ ] document the --token and --password flags",
    "see https://example.com/docs/authentication#api-keys",
    "the secret of a good handoff is that it is short",
    "token budget: 2000, measured 1873",
    "docker run -p 8080:80 -e MODE=dev nginx:1.27",
    "kubectl get secret db-credentials -o yaml",
    "cargo test -p handoff-model secret::tests",
    "Port 5433, database `app_test`, user `app`",
    "Passwort vergessen? Der Link läuft nach 30 Minuten ab.",
    "パスワードの再設定はテスト済み",
    "mysql -u root -p app < dump.sql",
    "curl -u $USER:$PASS https://api.example.com/v1/tasks",
    "password: must have at least 12 characters",
    "error: invalid token: expected `}`",
    "The bearer of this message knows the way",
];

/// A text of so many lines.
pub(crate) fn document(chance: &mut Chance, lines: usize) -> String {
    (0..lines).map(|_| filled(chance.one_of(LINES), chance) + "\n").collect()
}

/// Only pieces with a length or a UUID are filled in; other braces belong to the text.
fn filled(line: &str, chance: &mut Chance) -> String {
    let mut text = String::new();
    let mut rest = line;
    while let Some(at) = rest.find('{') {
        let end = rest[at..].find('}').map(|end| at + end + 1);
        let piece = end.map(|end| &rest[at..end]).filter(|piece| {
            let inner = &piece[1..piece.len() - 1];
            inner == "g" || (inner.len() >= 2 && inner[1..].bytes().all(|byte| byte.is_ascii_digit()))
        });
        text.push_str(&rest[..at]);
        if let Some(piece) = piece {
            text += &fill(piece, chance);
            rest = &rest[at + piece.len()..];
        } else {
            text.push('{');
            rest = &rest[at + 1..];
        }
    }
    text + rest
}
