//! The kinds of damage and drift, each with a word, a weight and what is done about it.

use super::Weight;
use crate::task::words;

words!(
    /// What sort of thing is wrong.
    Kind, "kind of finding", {
        Unparseable = "unparseable",
        ConflictMarkers = "conflict_markers",
        NewerFormat = "newer_format",
        Oversize = "oversize",
        Unreadable = "unreadable",
        SameId = "same_id",
        Orphan = "orphan",
        Cycle = "cycle",
        Journal = "journal",
        SyncCopy = "sync_copy",
        WrongKind = "wrong_kind",
        MissingConfig = "missing_config",
        LostBody = "lost_body",
        Checkpoint = "checkpoint",
        OddFile = "odd_file",
        WrongValue = "wrong_value",
        MisspelledKey = "misspelled_key",
        MissingFile = "missing_file",
        SameNumber = "same_number",
        Misplaced = "misplaced",
        WrongName = "wrong_name",
        NameClash = "name_clash",
        TooDeep = "too_deep",
        Dangling = "dangling",
        Hidden = "hidden_characters",
        Setting = "setting",
        Permissions = "permissions",
        NotIgnored = "not_ignored",
        Tracked = "tracked",
        Index = "index",
        LocalState = "local_state",
        Leftover = "leftover",
        Log = "log",
        StrayFile = "stray_file",
        OlderFormat = "older_format",
        GoneProject = "gone_project",
        Handover = "handover",
    }
);

/// Whether findings of a kind can be mended without a person.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mending {
    Always,
    /// Where it is certain what is meant
    Sometimes,
    Never,
}

impl Kind {
    pub fn weight(self) -> Weight {
        self.facts().0
    }

    pub fn mending(self) -> Mending {
        self.facts().1
    }

    /// What it is, in one sentence.
    pub fn about(self) -> &'static str {
        self.facts().2
    }

    fn facts(self) -> (Weight, Mending, &'static str) {
        use Mending::{Always, Never, Sometimes};
        use Weight::{Damage, Drift, Note};
        match self {
            Kind::Unparseable => (Damage, Sometimes, "a record that cannot be read as what it should be"),
            Kind::ConflictMarkers => (Damage, Sometimes, "a file in which git left both sides of a merge"),
            Kind::NewerFormat => (Damage, Never, "a file that a newer handoff wrote"),
            Kind::Oversize => (Damage, Never, "a record larger than any that is read"),
            Kind::Unreadable => (Damage, Never, "something that the system does not let us read"),
            Kind::SameId => (Damage, Sometimes, "two directories or files with one id; only one of them is shown"),
            Kind::Orphan => (Damage, Sometimes, "something without what it belongs to: parent, session, task file"),
            Kind::Cycle => (Damage, Always, "tasks that lie under, or wait for, themselves"),
            Kind::Journal => (Damage, Sometimes, "a change of several records that was cut off"),
            Kind::SyncCopy => (Damage, Sometimes, "a copy that a file synchroniser made; it is not read"),
            Kind::WrongKind => {
                (Damage, Sometimes, "a file where a directory belongs, or the other way round, or a link")
            }
            Kind::MissingConfig => {
                (Damage, Sometimes, "a store without its config.toml, which nothing but the doctor opens")
            }
            Kind::LostBody => (Damage, Sometimes, "the text of a session that is missing, empty or not the one saved"),
            Kind::Checkpoint => (Damage, Sometimes, "what is kept of a handover that cannot be read"),
            Kind::OddFile => (Drift, Sometimes, "a link, FIFO, socket, device or name that is no text"),
            Kind::WrongValue => (Drift, Sometimes, "a value that cannot be, and was read as another"),
            Kind::MisspelledKey => {
                (Drift, Sometimes, "a key that is one letter or bit away from a known one that is missing")
            }
            Kind::MissingFile => (Drift, Sometimes, "an archive or time log that handoff wrote and that is gone"),
            Kind::SameNumber => (Drift, Sometimes, "two siblings with one number"),
            Kind::Misplaced => (Drift, Always, "a task whose place is told as the other layout tells it"),
            Kind::WrongName => (Drift, Always, "a name that does not say what the file says"),
            Kind::NameClash => (Drift, Never, "two names that some file systems take for one"),
            Kind::TooDeep => (Drift, Never, "a task more levels down than are allowed"),
            Kind::Dangling => (Drift, Sometimes, "a reference to something that is nowhere"),
            Kind::Hidden => (Drift, Sometimes, "characters that cannot be seen, or make text read as something else"),
            Kind::Setting => (Drift, Never, "a setting that does not count, or leads out of a shared project"),
            Kind::Permissions => (Drift, Sometimes, "access that is too wide, or too narrow for its owner"),
            Kind::NotIgnored => (Drift, Always, "a store of which git would see what belongs to this machine"),
            Kind::Tracked => (Drift, Never, "files of this machine that are under version control"),
            Kind::Index => (Drift, Always, "an index that says something else than the files"),
            Kind::LocalState => (Drift, Always, "notes of this machine that cannot be read"),
            Kind::Leftover => (Note, Always, "what a crash left in the staging directory"),
            Kind::Log => (Note, Never, "a part of the log that cannot be read; what it says cannot be taken back"),
            Kind::StrayFile => (Note, Never, "a file between the directories of tasks that belongs to none"),
            Kind::OlderFormat => (Note, Never, "a file of an older format; it is brought up to date when it changes"),
            Kind::GoneProject => (Note, Sometimes, "a project of the registry that is not there any more"),
            Kind::Handover => (Note, Never, "a handover that was cut short"),
        }
    }
}
