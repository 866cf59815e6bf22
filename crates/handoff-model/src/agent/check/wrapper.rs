//! Programs that only run another one.

/// A program that runs the rest of its arguments, and the flags of it that take a value.
struct Wrapper {
    name: &'static [&'static str],
    value_flags: &'static [&'static str],
    /// Words of its own between it and the command, such as the seconds of `timeout 60 make`
    operands: usize,
}

const fn wrapper(name: &'static [&'static str], value_flags: &'static [&'static str], operands: usize) -> Wrapper {
    Wrapper { name, value_flags, operands }
}

const WRAPPERS: &[Wrapper] = &[
    wrapper(&["time"], &["-f", "-o"], 0),
    wrapper(&["timeout"], &["-s", "--signal", "-k", "--kill-after"], 1),
    wrapper(&["gtimeout"], &["-s", "--signal", "-k", "--kill-after"], 1),
    wrapper(&["sudo"], &["-u", "--user", "-g", "--group"], 0),
    wrapper(&["doas"], &["-u"], 0),
    wrapper(&["env"], &["-u", "--unset", "-C", "--chdir"], 0),
    wrapper(&["nice"], &["-n", "--adjustment"], 0),
    wrapper(&["ionice"], &["-c", "-n"], 0),
    wrapper(&["taskset"], &[], 1),
    wrapper(&["stdbuf"], &["-i", "-o", "-e"], 0),
    wrapper(&["nohup"], &[], 0),
    wrapper(&["command"], &[], 0),
    wrapper(&["exec"], &[], 0),
    wrapper(&["caffeinate"], &["-t", "-w"], 0),
    wrapper(&["unbuffer"], &[], 0),
    wrapper(&["xvfb-run"], &["-n", "-s"], 0),
    wrapper(&["npx"], &["-p", "--package"], 0),
    wrapper(&["bunx"], &[], 0),
    wrapper(&["uvx"], &["--from", "--with", "-p", "--python"], 0),
    wrapper(&["npm", "exec"], &["-w", "--workspace"], 0),
    wrapper(&["pnpm", "exec"], &[], 0),
    wrapper(&["pnpm", "dlx"], &[], 0),
    wrapper(&["yarn", "exec"], &[], 0),
    wrapper(&["yarn", "dlx"], &[], 0),
    wrapper(&["bun", "x"], &[], 0),
    wrapper(&["uv", "run"], &["--with", "--extra", "--group", "-p", "--python", "--project", "--directory"], 0),
    wrapper(&["poetry", "run"], &["-C", "--directory"], 0),
    wrapper(&["pipenv", "run"], &[], 0),
    wrapper(&["pdm", "run"], &["-p"], 0),
    wrapper(&["hatch", "run"], &[], 0),
    wrapper(&["rye", "run"], &[], 0),
    wrapper(&["pixi", "run"], &["-e"], 0),
    wrapper(&["conda", "run"], &["-n", "--name", "-p", "--prefix"], 0),
    wrapper(&["bundle", "exec"], &[], 0),
    wrapper(&["mise", "exec"], &[], 0),
    wrapper(&["mise", "x"], &[], 0),
    wrapper(&["direnv", "exec"], &[], 1),
    wrapper(&["dotenv"], &["-f", "-e"], 0),
];

/// A command without its environment and the programs that only run it.
pub(super) fn unwrapped(words: &[String]) -> &[String] {
    let mut words = words;
    loop {
        let before = words.len();
        while words.first().is_some_and(|word| is_assignment(word) || is_keyword(word)) {
            words = &words[1..];
        }
        let fits = |wrapper: &&Wrapper| {
            let begins = words.iter().zip(wrapper.name).all(|(word, name)| base(word) == *name);
            begins && words.len() > wrapper.name.len()
        };
        if let Some(wrapper) = WRAPPERS.iter().find(fits) {
            words = behind(wrapper, &words[wrapper.name.len()..]);
        }
        if words.len() == before {
            return words;
        }
    }
}

/// The command that a wrapper runs.
fn behind<'w>(wrapper: &Wrapper, mut words: &'w [String]) -> &'w [String] {
    let mut operands = wrapper.operands;
    while let Some((word, rest)) = words.split_first() {
        if word == "--" {
            words = rest;
            if operands == 0 {
                break;
            }
        } else if word.starts_with('-') && word.len() > 1 {
            let takes_value = wrapper.value_flags.contains(&word.as_str());
            words = rest.get(usize::from(takes_value)..).unwrap_or_default();
        } else if operands > 0 {
            operands -= 1;
            words = rest;
        } else {
            break;
        }
    }
    words
}

/// The script in `bash -lc 'script'`.
pub(super) fn script_of<'w>(program: &str, arguments: &'w [String]) -> Option<&'w str> {
    if !is_shell(program) {
        return None;
    }
    let runs = |word: &String| word.starts_with('-') && !word.starts_with("--") && word.ends_with('c');
    let place = arguments.iter().position(runs)?;
    let has_flags_only = arguments[..place].iter().all(|word| word.starts_with('-'));
    arguments.get(place + 1).filter(|_| has_flags_only).map(String::as_str)
}

pub(super) fn is_shell(program: &str) -> bool {
    matches!(base(program), "sh" | "bash" | "zsh" | "dash" | "ksh" | "fish")
}

/// The name of a program without its directory.
pub(super) fn base(program: &str) -> &str {
    program.rsplit(['/', '\\']).next().unwrap_or(program)
}

/// `NAME=value`, which gives a program an environment.
fn is_assignment(word: &str) -> bool {
    let Some((name, _)) = word.split_once('=') else { return false };
    let is_letter = |c: char| c.is_ascii_alphanumeric() || c == '_';
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') && name.chars().all(is_letter)
}

/// Words of the shell that group commands.
fn is_keyword(word: &str) -> bool {
    matches!(word, "{" | "}")
}
