//! What a server is started with.

use std::path::PathBuf;
use std::time::Duration;

use handoff_ops::{Environment, OpError};

use crate::ToolSets;

/// Names the sets of tools to list, where `--tools` does not.
const TOOLS: &str = "HANDOFF_TOOLS";
/// Seconds an operation may take.
const TIMEOUT: &str = "HANDOFF_MCP_TIMEOUT_SECONDS";
/// Hosts give up after a minute or more; an answer that says so is better than none.
const PATIENCE: Duration = Duration::from_mins(1);

/// Everything a server knows about the outside.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The directory the server was started in, if there still is one.
    pub cwd: Option<PathBuf>,
    pub env: Environment,
    /// The program that runs, to be started again beside itself.
    pub executable: Option<PathBuf>,
    /// The project of calls that name none.
    pub project_dir: Option<PathBuf>,
    /// Who is acting, where that was said.
    pub actor: Option<String>,
    /// Settings for this server: dotted keys and their values.
    pub settings: Vec<(String, String)>,
    /// The tools that are listed.
    pub tools: ToolSets,
    /// How long one operation may take.
    pub timeout: Duration,
}

impl Settings {
    /// The settings that the environment and `tools`, a list of sets, ask for.
    pub fn new(cwd: Option<PathBuf>, env: Environment, tools: Option<&str>) -> Result<Settings, OpError> {
        let tools = ToolSets::parse(tools.or_else(|| env.text(TOOLS)).unwrap_or_default())?;
        let timeout = match env.text(TIMEOUT) {
            None => PATIENCE,
            Some(text) => match text.trim().parse() {
                Ok(seconds @ 1..=86_400) => Duration::from_secs(seconds),
                _ => {
                    return Err(OpError::usage(format!(
                        "`{TIMEOUT}` is a number of seconds from 1 to 86400, not `{text}`"
                    )));
                }
            },
        };
        Ok(Settings {
            cwd,
            env,
            executable: None,
            project_dir: None,
            actor: None,
            settings: Vec::new(),
            tools,
            timeout,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(variables: &[(&str, &str)], tools: Option<&str>) -> Result<Settings, OpError> {
        Settings::new(None, Environment::new(variables.iter().copied()), tools)
    }

    #[test]
    fn the_flag_beats_the_environment() {
        let all = ToolSets::parse("all").unwrap();
        assert_eq!(settings(&[(TOOLS, "all")], None).unwrap().tools, all);
        assert_eq!(settings(&[(TOOLS, "all")], Some("core")).unwrap().tools, ToolSets::default());
        assert!(settings(&[(TOOLS, "some")], None).is_err());
    }

    #[test]
    fn a_time_limit_is_a_number_of_seconds() {
        assert_eq!(settings(&[], None).unwrap().timeout, PATIENCE);
        assert_eq!(settings(&[(TIMEOUT, " 5 ")], None).unwrap().timeout, Duration::from_secs(5));
        for wrong in ["0", "-1", "soon", "1e9", "999999999999"] {
            let error = settings(&[(TIMEOUT, wrong)], None).unwrap_err();
            assert!(error.message().contains(wrong), "{}", error.message());
        }
    }
}
