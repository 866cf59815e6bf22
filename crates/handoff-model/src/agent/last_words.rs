//! The last words of an agent: what they say comes next, and the rest of what they report.
//!
//! **Invariant:** an item is made of words that the agent wrote under a heading or after a word for it, whole and in its
//! order. What is said to be done, offered or absent becomes no item. Items beyond the bound are counted.

use crate::session::ItemKind;

mod blocks;
mod finished;
mod markers;
mod settled;

pub use settled::SettledMention;
pub(super) use settled::{begins_with_deed, imperatives};

use blocks::{Block, TextLine, blocks};
use finished::{finished, is_abandoned};
use markers::{Topic, asks, is_attribution, is_nothing, is_offer, is_unspaced, opened, topic};

use super::compile::reported;
use super::compile::words::{cut, one_line, sentence_end};

/// The most items that are taken from one answer; of a longer list, the last one says how many more there are.
pub(super) const MAX_ITEMS: usize = 40;
/// The most things said to be done that are kept of a long answer, and how long each is at most, in bytes.
const MAX_DONE: usize = 20;
const MAX_DONE_BYTES: usize = 150;
/// The most clauses of one answer that are compared with open items.
const MAX_STATEMENTS: usize = 60;
/// How long an item is at most, in bytes.
const MAX_ITEM_BYTES: usize = 400;
/// How long the words before a colon are at most that can be a heading, in bytes.
const MAX_HEADING_BYTES: usize = 90;
/// The level of a heading that is a line of text; below all real ones.
const LINE_LEVEL: u8 = 7;

/// What an answer says, taken apart.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LastWords {
    /// Items that are open, in the order in which they are named
    pub items: Vec<SpokenItem>,
    /// Things that are said to be done
    pub done: Vec<String>,
    /// Items that it names by their ids as settled
    pub settled: Vec<SettledMention>,
    /// Clauses in the past form, which say that something is done
    pub statements: Vec<String>,
    /// The rest of the answer, a paragraph on each line
    pub report: String,
}

/// An open item that an agent named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpokenItem {
    pub kind: ItemKind,
    pub text: String,
}

/// The part of an answer that is being read.
#[derive(Clone, Copy, Debug)]
struct Part {
    topic: Topic,
    level: u8,
    /// Depth of the item that is its heading
    below: Option<usize>,
    /// Depth of its first item, once there was one
    items_at: Option<usize>,
    /// Its last item was a paragraph, which a list that follows explains
    has_prose: bool,
}

impl LastWords {
    /// Reads an answer, in Markdown or plain.
    pub fn read(answer: &str) -> LastWords {
        let mut reader = Reader::default();
        for block in blocks(answer) {
            reader.take(block);
        }
        let Reader { mut words, dropped, .. } = reader;
        if let Some((kind, count)) = dropped {
            words.items.truncate(MAX_ITEMS - 1);
            words.items.push(SpokenItem { kind, text: format!("and {} more in the transcript", count + 1) });
        }
        words.report = words.report.trim().to_owned();
        if words.report.is_empty() {
            words.report = words.done.join("\n");
        }
        words.settled = words.done.iter().flat_map(|entry| settled::listed(entry)).collect();
        for sentence in settled::sentences(&words.report) {
            for mention in settled::mentions(sentence) {
                if !words.settled.contains(&mention) {
                    words.settled.push(mention);
                }
            }
            let room = MAX_STATEMENTS.saturating_sub(words.statements.len());
            let clauses = settled::statements(sentence).into_iter().filter(|clause| clause.len() <= MAX_ITEM_BYTES);
            words.statements.extend(clauses.take(room).map(str::to_owned));
        }
        words
    }

    /// Reports whether there is something in it to keep: an item, what was done, or a sentence that says so.
    pub fn says_something(&self) -> bool {
        let LastWords { items, done, settled, statements, report } = self;
        let has_any = !items.is_empty() || !done.is_empty() || !settled.is_empty() || !statements.is_empty();
        has_any || reported(report).is_some()
    }

    /// The answer in fewer bytes: the report cut at a sentence, and the open items whole.
    pub fn condensed(answer: &str, limit: usize) -> String {
        if answer.len() <= limit {
            return answer.to_owned();
        }
        let LastWords { items, done, settled, statements, report } = LastWords::read(answer);
        let mut text = cut_at_sentence(&report, limit);
        let kept = LastWords::read(&text);
        let by_id = settled.iter().filter(|mention| !kept.settled.contains(mention)).map(|mention| {
            let how = if mention.is_dropped { "no longer needed" } else { "done" };
            format!("{} is {how}", mention.item)
        });
        let stated = statements.into_iter().filter(|clause| !kept.statements.contains(clause));
        let done: Vec<String> = by_id.chain(done).chain(stated).collect();
        if items.is_empty() && done.is_empty() {
            return cut_at_sentence(answer, limit);
        }
        for (kind, heading) in
            [(ItemKind::Next, "Next steps"), (ItemKind::Blocker, "Blockers"), (ItemKind::Question, "Questions")]
        {
            let of_kind: Vec<String> =
                items.iter().filter(|item| item.kind == kind).map(|item| format!("\n- {}", item.text)).collect();
            if !of_kind.is_empty() {
                text = format!("{text}\n\n## {heading}\n{}", of_kind.concat());
            }
        }
        let done: Vec<String> =
            done.iter().take(MAX_DONE).map(|done| format!("\n- {}", one_line(done, MAX_DONE_BYTES))).collect();
        if done.is_empty() { text } else { format!("{text}\n\n## Done\n{}", done.concat()) }
    }
}

/// The beginning of a text, cut behind a sentence where that loses little.
fn cut_at_sentence(text: &str, limit: usize) -> String {
    if text.len() <= limit {
        return text.to_owned();
    }
    let mut end = 0;
    while let Some(next) = sentence_end(&text[end..]).map(|length| end + length).filter(|next| *next + 4 <= limit) {
        end = next;
    }
    if end >= limit / 2 { format!("{} …", &text[..end]) } else { cut(text, limit) }
}

#[derive(Default)]
struct Reader {
    words: LastWords,
    part: Option<Part>,
    /// Kind of the first item beyond the bound, and how many there are
    dropped: Option<(ItemKind, usize)>,
    /// The last item of the list is done, and so is what a deeper list says of it
    is_last_finished: bool,
    /// A paragraph says that the list below it is of another person; holds whether that list has begun
    attributed: Option<bool>,
}

impl Reader {
    fn take(&mut self, block: Block) {
        if self.is_of_another(&block) {
            return;
        }
        match block {
            Block::Heading { level, text } => self.heading(level, &text),
            Block::Paragraph(lines) => self.paragraph(&lines),
            Block::Item { depth, checked, lines } => self.item(depth, checked, &lines),
            Block::Other => {}
        }
    }

    /// Reports whether a block belongs to a list that is attributed to another person.
    fn is_of_another(&mut self, block: &Block) -> bool {
        match (block, self.attributed) {
            (Block::Paragraph(lines), attributed) => {
                let last = lines.last().map_or("", |line| line.text.as_str());
                // A heading such as `TODO:` may stand between the attribution and the list.
                if attributed == Some(false) && lines.len() == 1 && last.ends_with(':') {
                    return true;
                }
                self.attributed = is_attribution(last).then_some(false);
                if self.attributed.is_some() {
                    self.part = None;
                }
                self.attributed.is_some()
            }
            (Block::Item { .. }, Some(_)) => {
                self.attributed = Some(true);
                true
            }
            (Block::Heading { .. }, _) => {
                self.attributed = None;
                false
            }
            _ => false,
        }
    }

    fn heading(&mut self, level: u8, text: &str) {
        if let Some((topic, rest)) = inline(text) {
            self.begin(topic, level, None);
            self.open(topic, rest);
        } else if let Some(topic) = topic(text) {
            self.begin(topic, level, None);
        } else if self.part.is_none_or(|part| level <= part.level) {
            self.part = None;
            self.report(text);
        }
    }

    fn begin(&mut self, topic: Topic, level: u8, below: Option<usize>) {
        self.part = Some(Part { topic, level, below, items_at: None, has_prose: false });
    }

    fn paragraph(&mut self, lines: &[TextLine]) {
        let mut prose: Vec<&str> = Vec::new();
        for line in lines {
            let text = line.text.as_str();
            let stands_alone = lines.len() == 1 && !text.ends_with(['.', '!', '。']);
            let heads = line.is_bold || text.ends_with([':', '：']) || stands_alone;
            let goes_on = inline(text).is_some_and(|(_, rest)| !rest.trim().is_empty());
            if let Some(topic) = topic(text).filter(|_| heads && !goes_on) {
                self.prose(&prose);
                prose.clear();
                self.begin(topic, LINE_LEVEL, None);
            } else if let Some(done) = finished(text).filter(|_| text.starts_with(finished::TICKS)) {
                self.prose(&prose);
                prose.clear();
                self.words.done.push(one_line(done, MAX_ITEM_BYTES));
                self.report(done);
            } else if line.is_bold && inline(text).is_none() {
                self.prose(&prose);
                prose.clear();
                // A line in bold divides a part that a heading began, and ends one that such a line began.
                if self.part.is_some_and(|part| part.level == LINE_LEVEL) {
                    self.part = None;
                }
                if self.part.is_none() {
                    self.report(text);
                }
            } else {
                // A line that begins with a word for it is a sentence of its own, whatever precedes it.
                if inline(text).is_some() || opened(text).is_some() {
                    self.prose(&prose);
                    prose.clear();
                }
                prose.push(text);
            }
        }
        self.prose(&prose);
    }

    /// Takes sentences that follow each other.
    fn prose(&mut self, lines: &[&str]) {
        let text = lines.join(" ");
        let mut text = text.trim();
        if text.is_empty() {
            return;
        }
        // Sentences up to the first one that says what comes next belong to what is told so far.
        let mut before = String::new();
        while !text.is_empty() {
            if let Some((topic, rest)) = inline(text) {
                self.told(&before);
                return self.spoken(topic, rest);
            }
            let end = sentence_end(text).unwrap_or(text.len());
            let (sentence, behind) = text.split_at(end);
            if let Some(topic) = opened(sentence) {
                self.told(&before);
                before.clear();
                self.open(topic, sentence);
            } else {
                before.push_str(sentence);
                before.push(' ');
            }
            text = behind.trim_start();
        }
        self.told(&before);
    }

    /// Takes what stands behind a word and a colon, up to the next such word.
    fn spoken(&mut self, topic: Topic, rest: &str) {
        let mut end = 0;
        while let Some(next) = sentence_end(&rest[end..]).map(|length| end + length) {
            end = next;
            let behind = rest[end..].trim_start();
            if inline(behind).is_some() || opened(behind).is_some() || is_offer(behind) {
                self.said(topic, &rest[..end]);
                return self.prose(&[behind]);
            }
        }
        self.said(topic, rest);
        if rest.trim().is_empty() {
            self.begin(topic, LINE_LEVEL, None);
        } else {
            self.part = None;
        }
    }

    /// Takes sentences about a topic. What they say to be done is a part of the report as well.
    fn said(&mut self, topic: Topic, text: &str) {
        self.several(topic, text);
        if topic == Topic::Done {
            self.report(text);
        }
    }

    /// Opens one item, or several that are numbered within the text.
    fn several(&mut self, topic: Topic, text: &str) {
        match numbered(text) {
            Some(several) => several.into_iter().for_each(|text| self.open(topic, text)),
            None => self.open(topic, text),
        }
    }

    /// Takes a paragraph without a word for what comes next: an item if its heading says so, else a report.
    fn told(&mut self, text: &str) {
        let text = text.trim();
        if text.is_empty() {
            return;
        }
        match self.part {
            // What leads over to a list is no item.
            Some(Part { items_at: None, has_prose: false, .. }) if text.ends_with([':', '：']) => {}
            Some(Part { topic, items_at: None, has_prose: false, .. }) => {
                self.said(topic, text);
                if let Some(part) = &mut self.part {
                    part.has_prose = true;
                }
            }
            _ => {
                self.part = None;
                self.report(text);
            }
        }
    }

    fn item(&mut self, depth: usize, checked: Option<bool>, lines: &[TextLine]) {
        let text = lines.iter().map(|line| line.text.as_str()).collect::<Vec<_>>().join(" ");
        if self.part.is_some_and(|part| part.below.is_some_and(|below| depth <= below)) {
            self.part = None;
        }
        let is_explanation = self.part.is_some_and(|part| part.items_at.is_some_and(|at| depth > at));
        if is_explanation && self.is_last_finished {
            return;
        }
        if is_abandoned(&text) {
            return self.report(&text);
        }
        let done = if checked == Some(true) { Some(text.as_str()) } else { finished(&text) };
        if let Some(done) = done {
            self.words.done.push(one_line(done, MAX_ITEM_BYTES));
            if self.part.is_none() && checked.is_none() {
                self.report(done);
            }
            if !is_explanation {
                self.is_last_finished = true;
                self.note_depth(depth);
            }
            return;
        }
        self.is_last_finished = false;
        if let Some((topic, rest)) = inline(&text) {
            if rest.trim().is_empty() {
                self.begin(topic, LINE_LEVEL, Some(depth));
            } else {
                self.said(topic, rest);
                self.note_depth(depth);
            }
            return;
        }
        let heads = lines.len() == 1 && (lines[0].is_bold || text.ends_with([':', '：']));
        if let Some(topic) = topic(&text).filter(|_| heads) {
            return self.begin(topic, LINE_LEVEL, Some(depth));
        }
        match self.part {
            Some(Part { topic: Topic::Done, .. }) if checked == Some(false) => {
                self.open(Topic::Open(ItemKind::Next), &text);
            }
            Some(Part { topic, items_at: Some(at), .. }) if depth > at => self.explain(topic, &text),
            Some(Part { topic, has_prose, .. }) => {
                // A paragraph before a list only leads over to it.
                if has_prose && self.part.is_some_and(|part| part.items_at.is_none()) {
                    self.withdraw(topic);
                }
                self.open(topic, &text);
                self.note_depth(depth);
            }
            None if checked == Some(false) => self.open(Topic::Open(ItemKind::Next), &text),
            None => match opened(&text) {
                Some(topic) => self.open(topic, &text),
                None => self.report(&text),
            },
        }
    }

    fn note_depth(&mut self, depth: usize) {
        if let Some(part) = &mut self.part {
            part.items_at.get_or_insert(depth);
        }
    }

    fn open(&mut self, topic: Topic, text: &str) {
        let text = one_line(text.trim().trim_start_matches(['-', '–', '—', ':', '：']).trim(), MAX_ITEM_BYTES);
        match topic {
            Topic::Done => self.words.done.push(text),
            Topic::Asked if !asks(&text) => self.report(&text),
            Topic::Asked => self.open_item(ItemKind::Question, text),
            Topic::Open(kind) => self.open_item(kind, text),
        }
    }

    fn open_item(&mut self, kind: ItemKind, text: String) {
        let is_known = self.words.items.iter().any(|item| item.text == text);
        let is_mere_offer = kind != ItemKind::Question && is_offer(&text);
        if is_known || is_mere_offer || is_nothing(kind, &text) {
            return;
        }
        if let Some(done) = finished(&text) {
            self.words.done.push(done.to_owned());
        } else if self.words.items.len() < MAX_ITEMS {
            self.words.items.push(SpokenItem { kind, text });
        } else {
            self.dropped.get_or_insert((kind, 0)).1 += 1;
        }
    }

    /// Adds what a deeper list says to the item above it.
    fn explain(&mut self, topic: Topic, text: &str) {
        let last = match topic {
            Topic::Done => self.words.done.last_mut(),
            Topic::Asked => None,
            Topic::Open(_) if self.dropped.is_some() => None,
            Topic::Open(_) => self.words.items.last_mut().map(|item| &mut item.text),
        };
        if let Some(last) = last {
            let glue = if last.ends_with([':', '：', ';']) { " " } else { "; " };
            let whole = format!("{}{glue}{}", last.trim_end_matches('.'), text.trim());
            *last = one_line(&whole, MAX_ITEM_BYTES);
        }
    }

    /// Takes the paragraph back that only led over to a list.
    fn withdraw(&mut self, topic: Topic) {
        let text = match topic {
            Topic::Done => self.words.done.pop(),
            Topic::Asked => None,
            Topic::Open(_) if self.dropped.is_some() => {
                self.dropped = self.dropped.filter(|(_, count)| *count > 1).map(|(kind, count)| (kind, count - 1));
                None
            }
            Topic::Open(_) => self.words.items.pop().map(|item| item.text),
        };
        // What is done was reported already.
        if let Some(text) = text.filter(|_| topic != Topic::Done) {
            self.report(&text);
        }
        if let Some(part) = &mut self.part {
            part.has_prose = false;
        }
    }

    fn report(&mut self, text: &str) {
        if !text.trim().is_empty() {
            self.words.report.push_str(text.trim());
            self.words.report.push('\n');
        }
    }
}

/// The topic that the words before a colon or a dash name, and what stands behind it.
fn inline(text: &str) -> Option<(Topic, &str)> {
    let (at, mark) = text.char_indices().find(|(_, c)| matches!(c, ':' | '：' | '—' | '–'))?;
    let rest = &text[at + mark.len_utf8()..];
    // `12:30` and `std::fs` have no heading before the colon. Scripts without blanks have none behind it either.
    let is_apart = mark != ':'
        || rest.is_empty()
        || rest.starts_with(|c: char| c.is_whitespace() || c == '*')
        || text[..at].ends_with(is_unspaced);
    let is_quoted = text.starts_with(['"', '“', '„', '«', '「']);
    if is_quoted || at > MAX_HEADING_BYTES || !is_apart || sentence_end(&text[..at]).is_some() {
        return None;
    }
    Some((topic(&text[..at])?, rest.trim_start_matches(['*', ' '])))
}

/// The items of a text that numbers them: `(1) do this, (2) do that`.
fn numbered(text: &str) -> Option<Vec<&str>> {
    let mut starts: Vec<(usize, usize)> = Vec::new();
    for number in 1..=MAX_ITEMS {
        let from = starts.last().map_or(0, |(_, end)| *end);
        let forms = [format!("({number}) "), format!("{number}) "), format!("{number}. "), format!("（{number}）")];
        let at_word = |form: &String| {
            let at = from + text[from..].find(form.as_str())?;
            let is_free = at == 0 || text[..at].ends_with([' ', '，', '；', '。']);
            is_free.then_some((at, at + form.len()))
        };
        let Some(found) = forms.iter().find_map(at_word) else { break };
        starts.push(found);
    }
    if starts.len() < 2 || starts[0].0 > 0 {
        return None;
    }
    let ends = starts.iter().skip(1).map(|(start, _)| *start).chain([text.len()]);
    let pieces = starts.iter().zip(ends).map(|((_, from), to)| {
        let piece = text[*from..to].trim();
        piece.strip_suffix(" and").unwrap_or(piece).trim_end_matches([' ', ',', ';', '，', '；'])
    });
    Some(pieces.collect())
}

#[cfg(test)]
mod tests;
