//! Turning hooks off and on: for an environment, a project or a conversation.
