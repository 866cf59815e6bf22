//! `export`: a bundle of what was handed over, in a file of the person's choosing.

use handoff_bundle::{is_bundle, is_encrypted};
use handoff_model::handover;
use serde_json::json;

use super::Performed;
use crate::export::{Export, Format};
use crate::run::{HandoverRun, view};
use crate::{ErrorKind, Hint, OpError, Operation, Project};

pub(super) fn perform(
    project: &mut Project,
    run: &HandoverRun,
    wanted: &handover::Export,
) -> Result<Performed, OpError> {
    let session = view::session_of(run);
    if session.is_none() && !wanted.all && wanted.since.is_none() {
        return Ok(Performed::Skipped("nothing was handed over that could be exported".to_owned()));
    }
    let output = output(run, &wanted.output);
    let Some(dir) = project.dir() else { return Err(OpError::failure("there is no project to export from")) };
    let path = dir.join(&output);
    inside(&dir, &path, &output)?;
    spare(&path, &output)?;
    // A try that was cut short may have left it half-written beside its place.
    handoff_store::sweep_outside(&path);
    let mut request = json!({
        "format": "json",
        "output": path,
        "recipients": wanted.recipients,
        "all": wanted.all,
    });
    if let Some(key) = &wanted.sign_key {
        request["sign_key"] = json!(project.expanded(key));
    }
    if let Some(signer) = &wanted.signer {
        request["signer"] = json!(signer);
    }
    match (&wanted.since, wanted.all) {
        (Some(since), false) => request["since"] = json!(since),
        (None, false) => request["id"] = json!(session),
        _ => {}
    }
    let export: Export = serde_json::from_value(request)
        .map_err(|error| OpError::usage(format!("the export cannot be made as it is declared: {error}")))?;
    debug_assert!(export.format == Format::Json, "a bundle is written");
    let exported = match export.run(project) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Performed::Skipped(error.sentence())),
        exported => exported?,
    };
    let count = exported.sessions.len();
    Ok(Performed::Done(json!({"message": format!("{count} records in {output}"), "file": output})))
}

/// The file's name, with what stands for the run filled in.
pub(crate) fn output(run: &HandoverRun, pattern: &str) -> String {
    pattern.replace("{date}", &run.inputs.asked_at.day().to_string()).replace("{run}", &run.run)
}

/// Refuses to write over what is no bundle: whose it is nobody asked.
fn spare(path: &std::path::Path, shown: &str) -> Result<(), OpError> {
    let present = handoff_store::read_outside(path)
        .map_err(|error| OpError::failure(format!("cannot write `{shown}`")).caused_by(error))?;
    let is_ours = |bytes: &Vec<u8>| is_bundle(bytes) || is_encrypted(bytes).is_some();
    if present.as_ref().is_none_or(is_ours) {
        return Ok(());
    }
    Err(OpError::refused(format!("`{shown}` is there already, and is no bundle: nothing was written"))
        .hint(Hint::say("move it away, or let `output` name another file")))
}

/// Makes the directory, and refuses to leave the project by a link.
fn inside(dir: &std::path::Path, path: &std::path::Path, shown: &str) -> Result<(), OpError> {
    let failed = |error: std::io::Error| OpError::failure(format!("cannot write `{shown}`")).caused_by(error);
    let Some(above) = path.parent() else { return Err(OpError::usage(format!("`{shown}` is no file"))) };
    let is_git = |part: std::path::Component<'_>| part.as_os_str().eq_ignore_ascii_case(".git");
    if std::path::Path::new(shown).components().any(is_git) {
        return Err(OpError::refused(format!("`{shown}` lies in what belongs to git")));
    }
    let nearest = above.ancestors().find(|dir| dir.exists()).unwrap_or(dir);
    let (root, real) = (dir.canonicalize().map_err(failed)?, nearest.canonicalize().map_err(failed)?);
    if !real.starts_with(&root) {
        return Err(OpError::refused(format!("`{shown}` leads out of the project by a symbolic link")));
    }
    handoff_store::make_dirs_outside(above).map_err(failed)
}
