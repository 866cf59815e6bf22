use proptest::prelude::*;

use super::*;

fn shown(line: &str) -> String {
    CheckCommand::read(line).map(|command| command.to_string()).unwrap_or_default()
}

#[test]
fn directories_environment_wrappers_flags_and_pipes_make_no_difference() {
    for (line, expected) in [
        ("cargo test -p auth --quiet", "cargo test -p auth"),
        ("cargo test --package=auth", "cargo test -p auth"),
        ("cargo +nightly t -p auth -- --nocapture --test-threads 1", "cargo test -p auth"),
        ("cargo nextest run -p auth", "cargo test -p auth"),
        ("cargo clippy -- -D warnings", "cargo clippy"),
        ("cargo clippy --all-targets -- -D warnings -W clippy::pedantic -Aclippy::all", "cargo clippy"),
        ("golangci-lint run --timeout 5m ./...", "golangci-lint run ..."),
        ("RUST_LOG=debug cargo test --workspace 2>&1 | tail -20", "cargo test"),
        ("cargo test -p auth refresh --lib", "cargo test -p auth --lib refresh"),
        ("cd api && npm test", "npm test"),
        ("npm run test", "npm test"),
        ("npm run test:unit -- --coverage", "npm test:unit"),
        ("npm --prefix web t", "npm test"),
        ("yarn run lint", "yarn lint"),
        ("pytest tests/a.py::test_x -q", "pytest tests/a.py::test_x"),
        ("python3 -m pytest ./tests/ -k 'not slow' --maxfail 1", "pytest -k 'not slow' tests"),
        (".venv/bin/pytest -x --tb short", "pytest"),
        ("uv run --group dev pytest -q", "pytest"),
        ("poetry run pytest", "pytest"),
        ("npx --yes jest src/a.test.ts", "jest src/a.test.ts"),
        ("timeout -k 5 60 make test", "make test"),
        ("time sudo -u ci nice -n 5 make -j 4 test", "make test"),
        ("bash -lc 'cd api && timeout 60 npm test'", "npm test"),
        ("bash tests/refresh.sh --fast", "tests/refresh.sh"),
        ("./tests/refresh.sh", "tests/refresh.sh"),
        ("go test ./...", "go test ..."),
        ("go test ./auth/... -run TestX -count 1", "go test -run TestX auth/..."),
        ("./gradlew :app:test --tests Foo", "gradlew --tests Foo :app:test"),
        ("mvn -q -Dtest=FooTest test", "mvn -Dtest FooTest test"),
        ("cargo fmt --check && cargo test", "cargo fmt && cargo test"),
        ("make lint; make test", "make test"),
        ("set -e; make lint; make test", "make lint && make test"),
        ("make test || true", "make test"),
        ("make test; echo \"exit $?\"", "make test"),
        ("export A=1; source .env && make test", "make test"),
        ("GH_TOKEN=[redacted: github-token] make test", "make test"),
        ("docker compose up -d db && make test", "docker compose up db && make test"),
    ] {
        assert_eq!(shown(line), expected, "{line}");
    }
}

#[test]
fn what_only_looks_is_no_check() {
    for line in [
        "grep -rn secret src",
        "ls nofile",
        "cat a | grep b",
        "git commit -m 'make the tests pass'",
        "cd api && ls",
        "test -f x",
        "[ -d y ] && echo yes",
        "rg test src | head",
        "! grep x y",
        "for f in *; do cat $f; done",
        "",
        "echo make test",
        "sed -i s/a/b/ src/test.rs",
        "handoff resume",
    ] {
        assert_eq!(shown(line), "", "{line}");
    }
    let is_check = |line: &str| CheckCommand::read(line).is_some_and(|command| command.is_check());
    assert!(is_check("sh tests/refresh.sh") && is_check("npm run build") && is_check("make"));
    assert!(!is_check("python serve.py") && !is_check("docker ps"));
}

#[test]
fn success_proves_nothing_where_another_exit_code_is_told_or_nothing_ran() {
    let proves = |line: &str| CheckCommand::read(line).is_some_and(|command| command.proves_success());
    for line in ["make test", "cd a && make test 2>&1", "set -o pipefail; make test | tee log", "make test > log"] {
        assert!(proves(line), "{line}");
    }
    for line in [
        "make test | tail",
        "make test || true",
        "make test || echo failed",
        "make test; echo $?",
        "cargo test --no-run",
        "pytest --collect-only",
        "pytest --help",
        "bash -c 'make test | tail'",
        "cargo test -q &",
        "make lint && make test &",
        "make -n test",
        "make -sn test",
        "make test --dry-run",
        "make -i test",
        "just -n test",
        "ruff check . --exit-zero",
        "ctest -N",
        "terraform validate -help",
        "go test -list . ./...",
        "mvn -fn test",
        "gradle test -m",
        "npx playwright test --list",
        "tests/refresh.sh --version",
    ] {
        assert!(CheckCommand::read(line).is_some() && !proves(line), "{line}");
    }
}

#[test]
fn a_wider_run_covers_a_narrower_one_and_not_the_other_way_round() {
    let covers = |wide: &str, narrow: &str| {
        let read = |line: &str| CheckCommand::read(line).unwrap();
        read(wide).covers(&read(narrow))
    };
    for (wide, narrow) in [
        ("pytest tests/a.py", "pytest tests/a.py::test_x -q"),
        ("pytest tests", "pytest tests/a.py"),
        ("pytest", "python -m pytest tests/a.py"),
        ("pytest tests/a.py tests/b.py", "pytest tests/b.py"),
        ("cargo test", "cargo test -p auth"),
        ("cargo test --workspace", "cargo test -p auth refresh"),
        ("cargo test -p auth -p api", "cargo test -p api"),
        ("cargo test auth", "cargo test auth_refresh"),
        ("go test ./...", "go test ./auth"),
        ("go test ./auth/...", "go test ./auth/token"),
        ("jest", "npx jest src/a.test.ts -t name"),
        ("npm test", "cd api && npm run test -- src/a.test.ts"),
        ("rspec spec/a_spec.rb", "rspec spec/a_spec.rb:12"),
        ("make lint && make test", "make test"),
    ] {
        assert!(covers(wide, narrow), "{wide} / {narrow}");
        assert!(!covers(narrow, wide), "{narrow} / {wide}");
    }
    assert!(covers("pytest /home/dev/app/tests/a.py", "pytest tests/a.py"), "the same file");
    for (one, other) in [
        ("cargo test -p auth", "cargo test -p api"),
        ("cargo test", "cargo build"),
        ("npm test", "yarn test"),
        ("npm test", "npm run test:unit"),
        ("make", "make test"),
        ("pytest tests/a.py", "pytest tests/ab.py"),
        ("pytest -k fast", "pytest -k slow"),
        ("python a.py", "python b.py"),
        ("tests/a.sh", "tests/b.sh"),
    ] {
        assert!(!covers(one, other) && !covers(other, one), "{one} / {other}");
    }
}

#[test]
fn a_run_that_leaves_something_out_covers_only_what_it_runs() {
    let read = |line: &str| CheckCommand::read(line).unwrap();
    for (whole, limited) in [
        ("mvn test", "mvn test -DskipTests"),
        ("mvn verify", "mvn verify -Dmaven.test.skip=true"),
        ("./gradlew test", "./gradlew test -x test"),
        ("cargo test", "cargo test -- --skip slow_one"),
        ("cargo test", "cargo test --workspace --exclude bad"),
        ("cargo test auth", "cargo test auth -- --exact"),
        ("cargo nextest run", "cargo nextest run --partition count:1/2"),
        ("pytest", "pytest --ignore=tests/test_a.py"),
        ("pytest", "pytest --deselect tests/a.py::test_x"),
        ("pytest", "pytest -k fast"),
        ("pytest", "pytest --stepwise"),
        ("pytest --ignore a.py", "pytest --ignore a.py --ignore b.py"),
        ("ruff check .", "ruff check . --select E"),
        ("ruff check .", "ruff check . --ignore F401"),
        ("npm test", "npm test --if-present"),
        ("npm test", "npm test -- --testPathIgnorePatterns auth"),
        ("jest", "jest --shard=1/3"),
        ("mix test", "mix test --stale"),
        ("mix test --stale", "mix test --stale --exclude slow"),
        ("ctest", "ctest -E slow"),
        ("go test ./...", "go test -skip TestSlow ./..."),
    ] {
        assert!(!read(limited).covers(&read(whole)), "{whole} / {limited}");
        assert!(read(whole).covers(&read(limited)), "{limited} / {whole}");
        assert!(read(limited).covers(&read(limited)) && read(limited).proves_success(), "{limited}");
        assert_eq!(read(&read(limited).to_string()), read(limited), "{limited}");
    }
    for (one, other) in [
        ("mvn test", "mvn test -DskipTests=false"),
        ("mvn test", "mvn -V test"),
        ("ctest", "ctest -V"),
        ("make test", "make -ks test"),
        ("pytest", "pytest -n 4 -x"),
        ("make test", "sleep 1 & make test"),
    ] {
        assert!(read(one).covers(&read(other)) && read(other).covers(&read(one)), "{one} / {other}");
        assert!(read(other).proves_success(), "{other}");
    }
}

#[test]
fn directories_that_both_runs_name_tell_them_apart() {
    let read = |line: &str| CheckCommand::read(line).unwrap();
    for (one, other) in [
        ("cd api && npm test", "cd web && npm test"),
        ("cd api && npm test", "bash -lc 'cd web && npm test'"),
        ("cd api; npm test", "cd api && cd ../web && npm test"),
        ("(cd api && npm test)", "(cd api && npm ci) && (cd web && npm test)"),
        ("npm --prefix api test", "npm --prefix=web test"),
        ("npm --prefix api test", "cd web && npm test"),
        ("make -C api", "make -C web"),
        ("cargo test --manifest-path api/Cargo.toml", "cargo test --manifest-path web/Cargo.toml"),
        ("cd /app/api && npm test", "cd /app/web && npm test"),
        ("terraform -chdir=api validate", "terraform -chdir=web validate"),
        ("cd api && npm test", "cd api2 && npm test"),
    ] {
        assert!(!read(one).covers(&read(other)) && !read(other).covers(&read(one)), "{one} / {other}");
        assert_eq!(read(&read(one).record()), read(one), "{one}");
        assert_eq!(read(&read(other).record()), read(other), "{other}");
    }
    for (one, other) in [
        ("cd api && npm test", "npm test"),
        ("cd api && npm test", "cd ./api/ && npm test"),
        ("cd api && npm test", "npm --prefix api test"),
        ("cd api && npm test", "cd /app/api && npm test"),
        ("cd api && npm test", "cd web/../api && npm test"),
        ("cd api && npm test", "cd api/server && npm test"),
        ("cd api && npm test", "cd \"$DIR\" && npm test"),
        ("cargo test --manifest-path api/Cargo.toml", "cd api && cargo test"),
        ("cargo test --manifest-path Cargo.toml", "cd api && cargo test"),
    ] {
        assert!(read(one).covers(&read(other)) && read(other).covers(&read(one)), "{one} / {other}");
    }
    let both = read("make lint && cd api && make test && cd ../web && make test");
    assert_eq!(both.record(), "make lint && cd api && make test && cd web && make test");
    assert!(!read("cd api && make test").covers(&both) && both.covers(&read("cd web && make test")));
    let inside = |line: &str| read(line).within(&["/app", "/link"]).record();
    assert_eq!(inside("cd /app && npm test"), "npm test");
    assert_eq!(inside("cd /link/api && npm test"), "cd api && npm test");
    assert_eq!(inside("cd /apple && npm test"), "cd /apple && npm test");
}

#[test]
fn files_that_a_check_is_run_on_are_named() {
    let files = |line: &str| {
        let command = CheckCommand::read(line).unwrap();
        command.files().into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(files("sh tests/refresh.sh"), ["tests/refresh.sh"]);
    assert_eq!(files("pytest tests/a.py::test_x"), ["tests/a.py"]);
    assert_eq!(files("rspec spec/a_spec.rb:12"), ["spec/a_spec.rb"]);
    assert!(files("pytest tests").is_empty() && files("cargo test -p auth a.b").is_empty());
    assert!(files("pytest 'tests/*.py'").is_empty() && files("pytest /abs/a.py").is_empty());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn any_line_can_be_read_and_what_is_written_reads_the_same(
        line in prop_oneof![
            any::<String>(),
            "[a-z ./:=|&;<>()'\"\\\\$-]{0,60}",
            proptest::collection::vec(prop_oneof![
                Just("cargo"), Just("test"), Just("cd"), Just("--prefix"), Just("../x"), Just("-p"), Just("auth"), Just("&&"), Just("|"), Just("npm"), Just("run"),
                Just("pytest"), Just("a.py"), Just("--lib"), Just("timeout"), Just("60"), Just("bash"), Just("-c"),
                Just("'make x'"), Just("python"), Just("-m"), Just("-k"), Just("make"), Just(";"), Just("--"), Just("||"),
            ], 0..9).prop_map(|words| words.join(" ")),
        ]
    ) {
        if let Some(command) = CheckCommand::read(&line) {
            let text = command.to_string();
            let again = CheckCommand::read(&text);
            prop_assert_eq!(again.as_ref().map(ToString::to_string), Some(text.clone()), "{}", line);
            prop_assert!(again.unwrap().covers(&command) && command.covers(&command));
            prop_assert_eq!(CheckCommand::read(&command.record()).map(|again| again.parts), Some(command.parts));
        }
    }
}
