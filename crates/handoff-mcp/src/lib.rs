//! Door: operations as MCP tools over stdio.
