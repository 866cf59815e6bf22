// written by `handoff setup`: gives OpenCode the moments at which handoff is called. `handoff setup opencode` replaces it.
//
// Every call ends within two seconds, and none ever throws: without handoff, OpenCode goes on as if this were not here.

const PROGRAM = __PROGRAM__
const LONGEST_MS = 2000
const FILE_TOOLS = new Set(["read", "edit", "write", "multiedit", "patch", "apply_patch", "todowrite"])

export const Handoff = async ({ directory, worktree }) => {
  const { spawn } = await import("node:child_process")
  const cwd = directory || worktree
  // What each conversation was told at its start; the same bytes go into every request of it.
  const told = new Map()
  const subagents = new Map()

  const ask = (moment, said) =>
    new Promise((resolve) => {
      try {
        const child = spawn(PROGRAM, ["hook", moment, "--host", "opencode"], {
          cwd,
          stdio: ["pipe", "pipe", "ignore"],
          windowsHide: true,
        })
        let out = ""
        const timer = setTimeout(() => {
          child.kill()
          resolve("")
        }, LONGEST_MS)
        const end = (text) => {
          clearTimeout(timer)
          resolve(text)
        }
        child.stdout.setEncoding("utf8")
        child.stdout.on("data", (chunk) => (out += chunk))
        child.on("error", () => end(""))
        child.on("close", () => end(out))
        child.stdin.on("error", () => {})
        child.stdin.end(JSON.stringify({ cwd, parent_id: subagents.get(said.session_id), ...said }))
      } catch {
        resolve("")
      }
    })

  const context = async (moment, said) => {
    try {
      const { context } = JSON.parse(await ask(moment, said))
      return typeof context === "string" ? context : ""
    } catch {
      return ""
    }
  }

  const start = (session, source) => {
    if (!told.has(session)) told.set(session, context("session-start", { session_id: session, source }))
    return told.get(session)
  }

  const guarded = (hook) => async (...given) => {
    try {
      await hook(...given)
    } catch {
      // A session is worth more than what we would add to it.
    }
  }

  return {
    "experimental.chat.system.transform": guarded(async ({ sessionID }, output) => {
      if (!sessionID || subagents.has(sessionID) || !Array.isArray(output.system)) return
      // The request that makes a title has a prompt of its own and no use for a context.
      if (/title generator|generate a (short |brief )?title/i.test(String(output.system[0] ?? "").slice(0, 400))) return
      const text = await start(sessionID, "startup")
      if (text && !output.system.includes(text)) output.system.push(text)
    }),

    "chat.message": guarded(async ({ sessionID }, output) => {
      const parts = Array.isArray(output.parts) ? output.parts : []
      const prompt = parts.filter((part) => part.type === "text" && !part.synthetic).map((part) => part.text)
      if (!sessionID || prompt.length === 0) return
      // A prompt comes before the first request, and would otherwise bring the start's context as well.
      if (!subagents.has(sessionID)) await start(sessionID, "startup")
      const text = await context("prompt", { session_id: sessionID, prompt: prompt.join("\n") })
      const last = parts[parts.length - 1]
      if (!text || !last?.id) return
      const { id, messageID } = last
      parts.push({ id: `${id}h`, sessionID, messageID, type: "text", text, synthetic: true })
    }),

    "tool.execute.after": guarded(async ({ tool, sessionID, args }, output) => {
      if (!FILE_TOOLS.has(tool)) return
      const text = await context("edit", { session_id: sessionID, tool_name: tool, args: args ?? output.metadata })
      if (text && typeof output.output === "string") output.output += `\n\n${text}`
    }),

    "experimental.session.compacting": guarded(async ({ sessionID }, output) => {
      const text = await context("compact", { session_id: sessionID })
      if (text && Array.isArray(output.context)) output.context.push(text)
    }),

    event: guarded(async ({ event }) => {
      const { info, sessionID, error } = event.properties ?? {}
      if (event.type === "session.created" && info?.parentID) subagents.set(info.id, info.parentID)
      if (event.type === "session.idle") await ask("turn-end", { session_id: sessionID })
      if (event.type === "session.error" && sessionID) {
        await ask("turn-end", { session_id: sessionID, error: error?.data?.message ?? error?.name })
      }
      if (event.type === "session.compacted" && told.delete(sessionID)) await start(sessionID, "compact")
    }),

    dispose: guarded(async () => {
      const main = [...told.keys()].filter((session) => !subagents.has(session))
      await Promise.all(main.map((session) => ask("session-end", { session_id: session, reason: "dispose" })))
    }),
  }
}
