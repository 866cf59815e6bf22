//! What searching costs: from a cold start, by a server that knows the project, and when all words are taken in anew.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::rig::{Rng, Sandbox, Server};

use super::measure::time;
use super::report::Timed;

/// What a search may take from a cold start, by a warm server, and with all words to be taken in.
const COLD: Duration = Duration::from_millis(40);
const WARM: Duration = Duration::from_millis(5);
const ANEW: Duration = Duration::from_millis(200);
const MEMORY: u64 = 40_000_000;

/// The limits are for as many records as this.
const LIMITED: usize = 10_000;

/// Rounds of what takes long.
const FEW: usize = 9;
/// Searches by a warm server, and before them.
const TIMED: usize = 300;
const BEFORE: usize = 10;

/// Records of one archived session: itself, its decisions, its notes.
const OF_A_SESSION: usize = 10;
/// Sessions in one archive.
const OF_AN_ARCHIVE: usize = 100;

pub(crate) fn measure(binary: &Path, place: &Path, sizes: &[usize], rounds: usize) -> Result<Vec<Timed>, String> {
    let mut rows = Vec::new();
    for size in sizes {
        let subject = Subject::make(binary, &place.join(format!("search-{size}")), *size)?;
        rows.extend(subject.cold(rounds)?);
        rows.extend(subject.warm()?);
    }
    Ok(rows)
}

/// A project to search in.
struct Subject<'a> {
    binary: &'a Path,
    sandbox: Sandbox,
    size: usize,
}

impl<'a> Subject<'a> {
    fn make(binary: &'a Path, place: &Path, size: usize) -> Result<Subject<'a>, String> {
        let sandbox = Sandbox::create(place).map_err(|error| format!("cannot make a project: {error}"))?;
        let made = sandbox.run(binary, &["init", "bench"]).map_err(|error| error.to_string())?;
        if !made.succeeded() {
            return Err(format!("`init` fails with {}", made.brief()));
        }
        let mut words = Words(Rng::new(size as u64));
        write(&sandbox.store(), size, &mut words).map_err(|error| format!("cannot write records: {error}"))?;
        Ok(Subject { binary, sandbox, size })
    }

    fn limit(&self, limit: Duration) -> Option<(Duration, String)> {
        (self.size <= LIMITED).then(|| (limit, String::new()))
    }

    fn search(&self, query: &str) -> Result<Duration, String> {
        let mut command = self.sandbox.command(self.binary);
        command.args(["search", query]);
        Ok(time(command)?.wall)
    }

    fn cold(&self, rounds: usize) -> Result<Vec<Timed>, String> {
        let records = self.size.to_string();
        let (mut first, mut anew, mut cold) = (Vec::new(), Vec::new(), Vec::new());
        for round in 0..FEW {
            let _ = fs::remove_dir_all(self.sandbox.store().join("local/cache"));
            first.push(self.search(&Words::query(round))?);
            let _ = fs::remove_file(self.sandbox.store().join("local/cache/search"));
            anew.push(self.search(&Words::query(round))?);
        }
        for round in 0..rounds {
            cold.push(self.search(&Words::query(round))?);
        }
        let first = Timed::of("`search`, nothing kept", &records, first);
        let anew = Timed { limit: self.limit(ANEW), ..Timed::of("`search`, all words taken in", &records, anew) };
        let cold = Timed { limit: self.limit(COLD), ..Timed::of("`search`, cold", &records, cold) };
        Ok(vec![first, anew, cold])
    }

    fn warm(&self) -> Result<Vec<Timed>, String> {
        let mut command = self.sandbox.command(self.binary);
        command.arg("mcp");
        let mut server = Server::connect(command, "bench")?;
        let mut ask = |round: usize| {
            let started = Instant::now();
            server.call("handoff_search", &json!({"query": Words::query(round)}))?;
            Ok::<_, String>(started.elapsed())
        };
        for round in 0..BEFORE {
            ask(round)?;
        }
        let samples = (0..TIMED).map(&mut ask).collect::<Result<Vec<_>, String>>()?;
        let mut changed = Vec::new();
        for round in 0..FEW {
            let title = format!("Another task of round {round}");
            let made = self.sandbox.run(self.binary, &["task", "create", &title]).map_err(|error| error.to_string())?;
            if !made.succeeded() {
                return Err(format!("`task create` fails with {}", made.brief()));
            }
            changed.push(ask(round)?);
        }
        let (memory, _) = server.memory()?;
        server.close()?;
        let records = self.size.to_string();
        let memory = Some((memory, (self.size <= LIMITED).then_some(MEMORY)));
        let warm = Timed::of("`handoff_search`, warm", &records, samples);
        let changed = Timed::of("the same after another process made a task", &records, changed);
        Ok(vec![Timed { limit: self.limit(WARM), memory, ..warm }, changed])
    }
}

/// Words as texts have them: few are frequent, most are rare.
pub(super) struct Words(Rng);

const VOCABULARY: usize = 8_000;

impl Words {
    fn word(number: usize) -> String {
        const PARTS: [&str; 20] = [
            "ka", "to", "mi", "ren", "sol", "ba", "du", "fe", "gor", "hi", "ju", "lan", "ne", "po", "qui", "ra", "su",
            "ti", "vo", "wen",
        ];
        let mut left = number + PARTS.len();
        let mut word = String::new();
        while left > 0 {
            word.push_str(PARTS[left % PARTS.len()]);
            left /= PARTS.len();
        }
        word
    }

    pub(super) fn new(rng: Rng) -> Words {
        Words(rng)
    }

    pub(super) fn text(&mut self, count: usize) -> String {
        let mut text = String::new();
        for _ in 0..count {
            let place = self.0.below(VOCABULARY).min(self.0.below(VOCABULARY)).min(self.0.below(VOCABULARY));
            text.push_str(&Words::word(place));
            text.push(' ');
        }
        text.trim_end().to_owned()
    }

    fn id(&mut self, first: char) -> String {
        const ALPHABET: &[u8] = b"0123456789abcdef";
        std::iter::once(first).chain((0..7).map(|_| char::from(*self.0.pick(ALPHABET)))).collect()
    }

    /// A query of one to four words, rare and frequent ones.
    pub(super) fn query(round: usize) -> String {
        let places = [round * 37 % 4_000, round * 7 % 300, round * 101 % VOCABULARY, round * 3 % 50];
        let words: Vec<String> = places.iter().take(round % 4 + 1).map(|place| Words::word(*place)).collect();
        words.join(" ")
    }
}

/// Writes as many records: six in ten are tasks, one is a note of a task, three are in archived sessions; and twenty
/// sessions beside.
fn write(store: &Path, size: usize, words: &mut Words) -> std::io::Result<()> {
    for number in 0..size * 6 / 10 {
        let status = if number % 2 == 0 { "done" } else { "todo" };
        let dir = store.join(format!("tasks/{:02}-{status}--task-{number}", number + 1));
        fs::create_dir_all(&dir)?;
        let mut text = format!(
            "format = 1\nid = \"{}\"\ntitle = \"{}\"\nstatus = \"{status}\"\nlabels = [\"area-{}\"]\n\
             created_at = 2026-11-15T09:15:03Z\ndescription = \"{}\"\n",
            words.id('t'),
            words.text(6),
            number % 7,
            words.text(24)
        );
        if number % 6 == 0 {
            let _ = write!(text, "\n[[notes]]\nat = 2026-11-15T11:40:00Z\ntext = \"{}\"\n", words.text(12));
        }
        fs::write(dir.join("task.toml"), text)?;
    }
    fs::create_dir_all(store.join("sessions"))?;
    fs::create_dir_all(store.join("archive"))?;
    for _ in 0..20 {
        let id = words.id('5');
        fs::write(store.join(format!("sessions/2026-11-10-{id}.toml")), session(&id, words))?;
    }
    let archived = size * 3 / 10 / OF_A_SESSION;
    for first in (0..archived).step_by(OF_AN_ARCHIVE) {
        let name = format!("2026-09-part{first}-archive");
        let mut text = format!("# {name}\n");
        for _ in first..archived.min(first + OF_AN_ARCHIVE) {
            let id = words.id('a');
            let session = session(&id, words);
            let _ = write!(text, "\n## 2026-09-10-{id}: Session\n\n```toml 2026-09-10-{id}.toml\n{session}```\n");
        }
        fs::write(store.join(format!("archive/{name}.md")), text)?;
    }
    Ok(())
}

fn session(id: &str, words: &mut Words) -> String {
    let mut text = format!(
        "format = 1\nid = \"{id}\"\nkind = \"session\"\nstatus = \"closed\"\ntitle = \"{}\"\nsummary = \"{}\"\n\
         started_at = 2026-09-10T09:00:00Z\nended_at = 2026-09-10T12:00:00Z\nnext = [\"{}\"]\n",
        words.text(5),
        words.text(30),
        words.text(8)
    );
    for number in 1..=5 {
        let (decision, reason) = (words.text(8), words.text(10));
        let _ = write!(text, "\n[[decisions]]\nid = \"d{number}\"\ndecision = \"{decision}\"\nreason = \"{reason}\"\n");
    }
    for _ in 0..4 {
        let _ = write!(text, "\n[[notes]]\nnote = \"{}\"\n", words.text(15));
    }
    text
}
