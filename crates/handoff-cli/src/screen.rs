//! What the other side of an output stream can show.

use handoff_ops::Environment;

use crate::flags::ColorWish;

/// One output stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Screen {
    pub is_terminal: bool,
    /// Its width in cells, where the system knows it.
    pub width: Option<usize>,
}

/// Where a text goes that no terminal shows, such as help in a file.
pub(crate) const PAGE_WIDTH: usize = 100;
/// A terminal that does not tell its width.
const TERMINAL_WIDTH: usize = 80;

impl Screen {
    /// A file or a pipe.
    pub const PIPE: Screen = Screen { is_terminal: false, width: None };

    /// How wide tables may be. Data that goes to a file or another program is never cut.
    pub(crate) fn table_width(self, env: &Environment) -> Option<usize> {
        self.is_terminal.then(|| self.text_width(env))
    }

    /// How wide running text should be.
    pub(crate) fn text_width(self, env: &Environment) -> usize {
        let known = self.width.filter(|width| *width > 0);
        let told = || env.text("COLUMNS").and_then(|columns| columns.parse().ok()).filter(|width| *width > 0);
        known.or_else(told).unwrap_or(if self.is_terminal { TERMINAL_WIDTH } else { PAGE_WIDTH })
    }

    /// Whether to use colour. The flag beats the environment, which beats what the stream is.
    pub(crate) fn has_color(self, wish: ColorWish, env: &Environment) -> bool {
        match wish {
            ColorWish::Always => true,
            ColorWish::Never => false,
            ColorWish::Auto if env.get("NO_COLOR").is_some() => false,
            ColorWish::Auto if env.text("CLICOLOR_FORCE").is_some_and(|force| force != "0") => true,
            ColorWish::Auto => self.is_terminal && env.text("TERM") != Some("dumb"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TERMINAL: Screen = Screen { is_terminal: true, width: Some(60) };

    fn env(variables: &[(&str, &str)]) -> Environment {
        Environment::new(variables.iter().copied())
    }

    #[test]
    fn colour_is_for_terminals() {
        assert!(TERMINAL.has_color(ColorWish::Auto, &env(&[])));
        assert!(!Screen::PIPE.has_color(ColorWish::Auto, &env(&[])));
        assert!(!TERMINAL.has_color(ColorWish::Auto, &env(&[("TERM", "dumb")])));
    }

    #[test]
    fn the_environment_decides_over_the_stream_and_the_flag_over_both() {
        let (no, force) = (env(&[("NO_COLOR", "1")]), env(&[("CLICOLOR_FORCE", "1")]));
        assert!(!TERMINAL.has_color(ColorWish::Auto, &no));
        assert!(Screen::PIPE.has_color(ColorWish::Auto, &force));
        assert!(!Screen::PIPE.has_color(ColorWish::Auto, &env(&[("CLICOLOR_FORCE", "0")])));
        assert!(TERMINAL.has_color(ColorWish::Always, &no));
        assert!(!Screen::PIPE.has_color(ColorWish::Never, &force));
    }

    #[test]
    fn only_a_terminal_bounds_a_table() {
        assert_eq!(TERMINAL.table_width(&env(&[("COLUMNS", "40")])), Some(60));
        assert_eq!(Screen::PIPE.table_width(&env(&[("COLUMNS", "40")])), None);
        let silent = Screen { is_terminal: true, width: None };
        assert_eq!(silent.table_width(&env(&[("COLUMNS", "40")])), Some(40));
        assert_eq!(silent.table_width(&env(&[])), Some(80));
        assert_eq!(Screen::PIPE.text_width(&env(&[])), 100);
    }
}
