//! Help texts as an agent should read them: without line breaks inside a paragraph, and without what only makes sense
//! where commands are typed.

/// What a help text says to people who type, and what it comes to in JSON.
const TYPED: &[(&str, &str)] = &[
    (" (JSON input only)", ""),
    ("; may be given several times", ""),
    (", separated by commas", ""),
    ("true, false or none", "true or false; `null` clears it"),
    ("`none`", "`null`"),
];

/// The text for an agent.
pub(crate) fn for_agents(text: &str) -> String {
    let paragraphs = text.split("\n\n").map(|paragraph| paragraph.split_whitespace().collect::<Vec<_>>().join(" "));
    let text = paragraphs.filter(|paragraph| !paragraph.is_empty()).collect::<Vec<_>>().join("\n");
    TYPED.iter().fold(text, |text, (typed, meant)| text.replace(typed, meant))
}

/// What a person calls a tool: `handoff_get_task` is "Get task".
pub(crate) fn title(tool: &str) -> String {
    let words = tool.strip_prefix("handoff_").unwrap_or(tool).replace('_', " ");
    let mut letters = words.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn talk_of_the_command_line_becomes_talk_of_json() {
        assert_eq!(for_agents("Who does it; `none` clears it"), "Who does it; `null` clears it");
        assert_eq!(for_agents("Labels to add, separated by commas; may be given several times"), "Labels to add");
        assert_eq!(for_agents("Links that replace (JSON input only)"), "Links that replace");
    }

    #[test]
    fn paragraphs_stay_and_line_breaks_inside_them_go() {
        assert_eq!(for_agents("List tasks\n\nThe tasks above\na match.  \n\n"), "List tasks\nThe tasks above a match.");
    }

    #[test]
    fn a_title_is_the_name_in_words() {
        assert_eq!(title("handoff_get_task"), "Get task");
        assert_eq!(title("handoff_init"), "Init");
    }
}
