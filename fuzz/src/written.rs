//! The text of a file that says a record, in one of the many ways people write TOML.
//!
//! Comments and keys of the writer's own are strewn in and noted, so that a test can ask what became of them.

use serde_json::{Map, Value as Json};
use toml::Value;

use crate::choices::Choices;
use crate::notation::{key, number, string};

/// A file as somebody wrote it.
pub struct Written {
    pub text: String,
    pub remarks: Vec<Remark>,
    pub additions: Vec<Addition>,
}

/// A comment, and where it stands.
pub struct Remark {
    pub text: String,
    pub place: Place,
}

/// A key that no record has, and where it stands.
pub struct Addition {
    pub key: String,
    pub value: Value,
    pub place: Place,
}

/// A place in a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The table it is in, from the top
    pub table: Vec<String>,
    /// The list it is in, if any, with the item if it is in a certain one
    pub list: Option<(Vec<String>, Option<usize>)>,
}

/// Tables whose keys are free, so that every key in them is part of the record.
const FREE: &[&str] = &["environment", "assignees", "milestones", "day_hours"];

/// Keys that mean the same when they are left out.
const DEFAULTS: &[(&str, &str)] = &[
    ("format", "1"),
    ("checked", "false"),
    ("kind", "\"session\""),
    ("confidence", "\"confirmed\""),
    ("category", "\"context\""),
    ("type", "\"url\""),
    ("summary", "\"\""),
    ("title", "\"\""),
];

/// Writes a record, which is given as the object it serialises to.
pub fn write(choices: &mut Choices, record: &Map<String, Json>) -> Written {
    let mut writer = Writer { choices, count: 0, remarks: Vec::new(), additions: Vec::new() };
    let parts = writer.table(record, &Place::default());
    let mut text = parts.lines.concat();
    text.push_str(&writer.interleaved(parts.sections));
    let last = writer.comment(&Place::default());
    text.push_str(&last);
    let Writer { choices, remarks, additions, .. } = writer;
    match choices.below(8) {
        1 => text = text.replace('\n', "\r\n"),
        2 => text = text.replacen('\n', "\r\n", 3),
        3 => text.insert(0, '\u{feff}'),
        4 => text.truncate(text.trim_end_matches('\n').len()),
        _ => {}
    }
    Written { text, remarks, additions }
}

struct Writer<'a, 'b> {
    choices: &'a mut Choices<'b>,
    count: usize,
    remarks: Vec<Remark>,
    additions: Vec<Addition>,
}

/// A table's own lines, and the sections below it; the items of a list keep their order.
#[derive(Default)]
struct Parts {
    lines: Vec<String>,
    sections: Vec<Vec<String>>,
}

impl Writer<'_, '_> {
    fn table(&mut self, map: &Map<String, Json>, place: &Place) -> Parts {
        let mut parts = Parts::default();
        for (name, value) in map {
            if !self.is_left_out(name, value) {
                self.entry(name, value, place, &mut parts);
            }
        }
        if !place.table.iter().any(|name| FREE.contains(&name.as_str())) {
            self.own_keys(place, &mut parts);
        }
        self.choices.shuffle(&mut parts.lines);
        self.choices.shuffle(&mut parts.sections);
        parts
    }

    fn is_left_out(&mut self, name: &str, value: &Json) -> bool {
        value.is_null() || (DEFAULTS.contains(&(name, value.to_string().as_str())) && self.choices.once_in(4))
    }

    fn entry(&mut self, name: &str, value: &Json, place: &Place, parts: &mut Parts) {
        let here = below(&place.table, name);
        match value {
            Json::Object(inner) => match self.choices.below(3) {
                0 => {
                    let section = self.section(inner, &here, place);
                    parts.sections.push(vec![section]);
                }
                1 if !inner.is_empty() => {
                    for (inner_name, value) in inner.iter().filter(|(_, value)| !value.is_null()) {
                        let inside = Place { table: here.clone(), list: place.list.clone() };
                        let dotted = format!("{}.{}", key(self.choices, name), key(self.choices, inner_name));
                        let line = self.line(&dotted, inner_name, value, &inside);
                        parts.lines.push(line);
                    }
                }
                _ => {
                    let name_as_written = key(self.choices, name);
                    parts.lines.push(self.line(&name_as_written, name, value, place));
                }
            },
            Json::Array(items) if !items.is_empty() && items.iter().all(Json::is_object) && self.choices.flag() => {
                let items = items.iter().filter_map(Json::as_object).enumerate();
                let sections = items.map(|(index, item)| self.item(item, &here, index)).collect();
                parts.sections.push(sections);
            }
            _ => {
                let name_as_written = key(self.choices, name);
                parts.lines.push(self.line(&name_as_written, name, value, place));
            }
        }
    }

    /// Keys and tables that no record has.
    fn own_keys(&mut self, place: &Place, parts: &mut Parts) {
        for _ in 0..self.choices.below(3) {
            let value = self.own_value();
            let name = self.add(value.clone(), place);
            let blanks = self.blanks();
            let comment = self.trailing(place);
            parts.lines.push(format!("{name}{blanks}={blanks}{value}{comment}\n"));
        }
        if place.list.is_none() && self.choices.once_in(4) {
            let value = self.own_value();
            let inner = Value::Table([("kept".to_owned(), value.clone())].into_iter().collect());
            let name = self.add(inner, place);
            let (above, comment) = (self.comment(place), self.trailing(place));
            let path = self.path(&below(&place.table, &name));
            parts.sections.push(vec![format!("{above}[{path}]{comment}\nkept = {value}\n")]);
        }
    }

    fn add(&mut self, value: Value, place: &Place) -> String {
        self.count += 1;
        let key = format!("own{}", self.count);
        self.additions.push(Addition { key: key.clone(), value, place: place.clone() });
        key
    }

    fn own_value(&mut self) -> Value {
        match self.choices.below(5) {
            0 => Value::Integer(7),
            1 => Value::String("mine".to_owned()),
            2 => Value::Array(vec![Value::Boolean(true), Value::Integer(2)]),
            3 => Value::Table([("a".to_owned(), Value::Integer(1))].into_iter().collect()),
            _ => "2026-11-15T09:15:03Z".parse().map(Value::Datetime).expect("this is a time"),
        }
    }

    fn section(&mut self, map: &Map<String, Json>, path: &[String], around: &Place) -> String {
        let place = Place { table: path.to_vec(), list: around.list.clone() };
        let (above, comment) = (self.comment(&place), self.trailing(&place));
        let header = self.path(path);
        let parts = self.table(map, &place);
        format!("{above}[{header}]{comment}\n{}{}", parts.lines.concat(), parts.sections.concat().concat())
    }

    fn item(&mut self, map: &Map<String, Json>, path: &[String], index: usize) -> String {
        let place = Place { table: path.to_vec(), list: Some((path.to_vec(), Some(index))) };
        let (above, comment) = (self.comment(&place), self.trailing(&place));
        let header = self.path(path);
        let parts = self.table(map, &place);
        let mut text = format!("{above}[[{header}]]{comment}\n{}", parts.lines.concat());
        if self.choices.once_in(4) {
            let value = self.own_value();
            let inner = Value::Table([("kept".to_owned(), value.clone())].into_iter().collect());
            let name = self.add(inner, &place);
            text.extend(["[", &header, ".", &name, "]\nkept = ", &value.to_string(), "\n"]);
        }
        text
    }

    /// The sections one after the other, those of a list mixed with the others now and then.
    fn interleaved(&mut self, mut queues: Vec<Vec<String>>) -> String {
        let mut text = String::new();
        for queue in &mut queues {
            queue.reverse();
        }
        while !queues.is_empty() {
            let at = if self.choices.once_in(4) { self.choices.below(queues.len()) } else { 0 };
            text.extend(queues[at].pop());
            queues.retain(|queue| !queue.is_empty());
        }
        text
    }

    fn line(&mut self, written: &str, name: &str, value: &Json, place: &Place) -> String {
        let above = self.comment(place);
        let blanks = self.blanks();
        let value = self.value(name, value, place);
        let comment = self.trailing(place);
        format!("{above}{written}{blanks}={blanks}{value}{comment}\n")
    }

    fn value(&mut self, name: &str, value: &Json, place: &Place) -> String {
        match value {
            Json::String(text) => string(self.choices, name, text),
            Json::Array(items) => {
                let list = place.list.clone().unwrap_or_else(|| (below(&place.table, name), None));
                self.array(name, items, &Place { table: place.table.clone(), list: Some(list) })
            }
            Json::Object(map) => self.inline(map, place),
            Json::Number(said) => number(self.choices, name, said),
            other => other.to_string(),
        }
    }

    fn array(&mut self, name: &str, items: &[Json], place: &Place) -> String {
        let on_lines = self.choices.flag();
        let mut text = "[".to_owned();
        for (index, item) in items.iter().enumerate() {
            if on_lines {
                text.push_str(&self.trailing(place));
                text.push_str("\n    ");
            }
            let place = match &place.list {
                Some((list, None)) => Place { table: list.clone(), list: Some((list.clone(), Some(index))) },
                _ => place.clone(),
            };
            text.push_str(&self.value(name, item, &place));
            if index + 1 < items.len() || (on_lines && self.choices.flag()) {
                text.push_str(if on_lines { "," } else { self.choices.pick(&[", ", ",", " , "]) });
            }
        }
        if on_lines {
            text.push_str(&self.trailing(place));
            text.push('\n');
        }
        text + "]"
    }

    /// A table on one line; a list in it is too.
    fn inline(&mut self, map: &Map<String, Json>, place: &Place) -> String {
        let mut entries = Vec::new();
        for (name, value) in map {
            if self.is_left_out(name, value) {
                continue;
            }
            let written = key(self.choices, name);
            let value = match value {
                Json::Array(items) => {
                    let items: Vec<String> = items.iter().map(|item| self.value(name, item, place)).collect();
                    format!("[{}]", items.join(", "))
                }
                other => self.value(name, other, place),
            };
            entries.push(format!("{written} = {value}"));
        }
        let is_item = place.list.as_ref().is_some_and(|(_, item)| item.is_some());
        if is_item && self.choices.once_in(4) {
            let name = self.add(Value::Integer(7), place);
            entries.push(format!("{name} = 7"));
        }
        self.choices.shuffle(&mut entries);
        if entries.is_empty() { "{}".to_owned() } else { format!("{{ {} }}", entries.join(", ")) }
    }

    fn path(&mut self, path: &[String]) -> String {
        let parts: Vec<String> = path.iter().map(|part| key(self.choices, part)).collect();
        parts.join(self.choices.pick(&[".", ".", " . "]))
    }

    fn blanks(&mut self) -> &'static str {
        self.choices.pick(&[" ", "", "\t", "   "])
    }

    /// Comments and empty lines before something.
    fn comment(&mut self, place: &Place) -> String {
        match self.choices.below(6) {
            1 => format!("{}\n", self.remark(place)),
            2 => "\n".to_owned(),
            3 => format!("\n  {}\n\n", self.remark(place)),
            _ => String::new(),
        }
    }

    /// A comment at the end of a line.
    fn trailing(&mut self, place: &Place) -> String {
        match self.choices.below(4) {
            1 => format!(" {}", self.remark(place)),
            2 => "  ".to_owned(),
            _ => String::new(),
        }
    }

    fn remark(&mut self, place: &Place) -> String {
        self.count += 1;
        let said = self.choices.pick(&["", " because", " = [1]", " \"said\"", " ü 🙂", " [x]"]);
        let text = format!("#{}.{said}", self.count);
        self.remarks.push(Remark { text: text.clone(), place: place.clone() });
        text
    }
}

fn below(path: &[String], name: &str) -> Vec<String> {
    let mut path = path.to_vec();
    path.push(name.to_owned());
    path
}
