//! Instructions that other handoff tools left in files an agent reads, so that they can be replaced by ours.
//!
//! Only what is surely theirs counts: what stands between their marks, or a section under a heading that speaks of it and
//! names their calls, as far as it speaks of nothing else. What is in a code block is an example, and what is between our
//! marks is ours.

use std::fmt;
use std::ops::Range;
use std::path::Path;

/// A tool whose instructions are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tool {
    AgentHandover,
    HandoffMcp,
    /// The Go program `handoff`, which stores packages
    HandoffCli,
}

impl fmt::Display for Tool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Tool::AgentHandover => "agent-handover",
            Tool::HandoffMcp => "handoff-mcp",
            Tool::HandoffCli => "the handoff of knowledge packages",
        })
    }
}

/// Instructions of another tool in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Foreign {
    pub tool: Tool,
    /// Bytes of the text, whole lines
    pub range: Range<usize>,
    /// Line it begins in, counted from 1
    pub line: usize,
    /// Whether its marks are a pair. A mark without its other half is shown to a person, not replaced
    pub is_whole: bool,
}

/// Whose file this is, where another tool wrote it whole.
pub fn owner(path: &Path, text: &str) -> Option<Tool> {
    let name = path.file_name()?.to_str()?;
    if name == "00-agent-handover.md" {
        return Some(Tool::AgentHandover);
    }
    let is_skill = name == "SKILL.md" && text.lines().any(|line| line.trim_end() == "name: handoff");
    let is_rule = name == "handoff.mdc";
    ((is_skill || is_rule) && !names_our_tools(text) && commands(text).len() >= 2).then_some(Tool::HandoffCli)
}

/// Instructions of other tools, in the order they stand in.
pub fn find(text: &str) -> Vec<Foreign> {
    let lines = lines(text);
    let ours = ours(&lines);
    let mut found = marked(&lines);
    let marked = found.clone();
    let is_free = |range: &Range<usize>| {
        let meets = |other: &Range<usize>| range.start < other.end && other.start < range.end;
        !ours.iter().any(meets) && !marked.iter().any(|block| meets(&block.range))
    };
    let sections = sections(&lines, text);
    let speaks = |section: &&Section<'_>| {
        let is_about = section.heading.to_lowercase().contains("session handoff");
        is_about && is_free(&section.range) && names_our_tools(&text[section.range.clone()])
    };
    let mut theirs = sections.iter().filter(speaks).peekable();
    while let Some(section) = theirs.next() {
        // One around another is there for more than that.
        let holds_next = theirs.peek().is_some_and(|next| next.range.start < section.range.end);
        if !holds_next {
            found.push(section.of(Tool::HandoffMcp));
        }
    }
    let called = commands(text);
    if called.len() >= 2 {
        let speaks = |section: &&Section<'_>| {
            let heading = section.heading.to_lowercase();
            let is_about = ["handoff", "hand-off", "knowledge transfer"].iter().any(|word| heading.contains(word));
            is_about && is_free(&section.range) && commands(&text[section.range.clone()]) == called
        };
        let smallest = sections.iter().filter(speaks).min_by_key(|section| section.range.len());
        found.extend(smallest.filter(|s| !names_our_tools(&text[s.range.clone()])).map(|s| s.of(Tool::HandoffCli)));
    }
    found.sort_by_key(|foreign| foreign.range.start);
    found
}

/// Calls that handoff-mcp and we have in common; the Go program has none of them.
fn names_our_tools(text: &str) -> bool {
    ["handoff_load_context", "handoff_save_context"].iter().any(|tool| text.contains(tool))
}

/// Which commands of the Go program a text names.
fn commands(text: &str) -> Vec<&'static str> {
    ["handoff list", "handoff retrieve", "handoff store"].into_iter().filter(|command| text.contains(command)).collect()
}

struct Line<'a> {
    start: usize,
    end: usize,
    text: &'a str,
    is_code: bool,
}

/// Lines, and whether they are inside a fenced code block.
fn lines(text: &str) -> Vec<Line<'_>> {
    let mut start = 0;
    let mut fence: Option<&str> = None;
    let read = |whole| {
        let line: &str = str::trim_end(whole);
        let marks = line.trim_start();
        let end = start + str::len(whole);
        let run = |mark: char| &marks[..marks.len() - marks.trim_start_matches(mark).len()];
        let found = [run('`'), run('~')].into_iter().find(|run| run.len() >= 3);
        let is_code = fence.is_some() || found.is_some();
        fence = match (fence, found) {
            (None, found) => found,
            (Some(open), Some(close)) if close.starts_with(open) && marks == close => None,
            (open, _) => open,
        };
        let line = Line { start, end, text: line, is_code };
        start = end;
        line
    };
    text.split_inclusive('\n').map(read).collect()
}

/// What is between our own marks.
fn ours(lines: &[Line<'_>]) -> Vec<Range<usize>> {
    let at = |mark: &str| lines.iter().filter(move |line| line.text.trim_start().starts_with(mark)).collect::<Vec<_>>();
    let ends = at("<!-- handoff:end");
    let begins = at("<!-- handoff:begin");
    let pair = |begin: &&Line<'_>| Some(begin.start..ends.iter().find(|end| end.start > begin.start)?.end);
    begins.iter().filter_map(pair).collect()
}

/// Blocks between the marks of agent-handover, and marks that are alone.
fn marked(lines: &[Line<'_>]) -> Vec<Foreign> {
    let mut found = Vec::new();
    let mut open: Option<(usize, &Line<'_>)> = None;
    let block = |(at, first): (usize, &Line<'_>), end: usize, is_whole| Foreign {
        tool: Tool::AgentHandover,
        range: first.start..end,
        line: at + 1,
        is_whole,
    };
    for (at, line) in lines.iter().enumerate().filter(|(_, line)| !line.is_code) {
        match line.text.trim() {
            "<!-- agent-handover:begin -->" => {
                found.extend(open.map(|first| block(first, first.1.end, false)));
                open = Some((at, line));
            }
            "<!-- agent-handover:end -->" => found.push(match open.take() {
                Some(first) => block(first, line.end, true),
                None => block((at, line), line.end, false),
            }),
            _ => {}
        }
    }
    found.extend(open.map(|first| block(first, first.1.end, false)));
    found
}

struct Section<'a> {
    heading: &'a str,
    range: Range<usize>,
    line: usize,
}

impl Section<'_> {
    fn of(&self, tool: Tool) -> Foreign {
        Foreign { tool, range: self.range.clone(), line: self.line, is_whole: true }
    }
}

/// A heading, and where in the lines it stands.
struct Heading {
    at: usize,
    rank: usize,
}

/// Every heading with what stands under it, headings of lower rank included as long as they speak of handoff.
///
/// Under a heading of lower rank that does not, something else begins. That needs the heading above it, too, so only what
/// stands between the two counts.
fn sections<'a>(lines: &[Line<'a>], text: &str) -> Vec<Section<'a>> {
    let headings: Vec<Heading> =
        lines.iter().enumerate().filter_map(|(at, line)| Some(Heading { at, rank: rank(line)? })).collect();
    let start = |index: usize| headings.get(index).map_or(lines.len(), |heading| heading.at);
    let speaks = |index: usize| {
        let stretch = &lines[start(index)..start(index + 1)];
        stretch.iter().any(|line| line.text.to_ascii_lowercase().contains("handoff"))
    };
    let section = |(index, heading): (usize, &Heading)| {
        let below = headings[index + 1..].iter().take_while(|next| next.rank > heading.rank).count();
        let own = (index + 1..=index + below).take_while(|next| speaks(*next)).count();
        let (mut first, end) = (heading.at, start(index + 1 + own));
        if own < below {
            let body = first + 1..end;
            first = body.clone().find(|at| !lines[*at].text.trim().is_empty()).unwrap_or(body.end);
        }
        let byte = |at: usize| lines.get(at).map_or(text.len(), |line| line.start);
        let words = lines[heading.at].text[heading.rank..].trim();
        Section { heading: words, range: byte(first)..byte(end), line: first + 1 }
    };
    headings.iter().enumerate().map(section).collect()
}

fn rank(line: &Line<'_>) -> Option<usize> {
    let rank = line.text.len() - line.text.trim_start_matches('#').len();
    let is_heading = (1..=6).contains(&rank) && line.text[rank..].starts_with([' ', '\t']) && !line.is_code;
    is_heading.then_some(rank)
}

#[cfg(test)]
mod tests;
