// The loop of every client in JavaScript; speaker.py says what the lines look like.
import { createInterface } from 'node:readline';
import { Ajv2020 } from 'ajv/dist/2020.js';

const say = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);

/** Answers requests with the functions of `deeds` until stdin ends. */
export async function serve(hello, deeds) {
  say({ ok: hello });
  for await (const line of createInterface({ input: process.stdin })) {
    const { do: deed, ...request } = JSON.parse(line);
    try {
      say({ ok: (await deeds[deed](request)) ?? {} });
    } catch (error) {
      // Every failure is an answer; what it means is for the story to judge.
      say({ error: { code: error.code ?? null, message: error.message, kind: error.constructor.name } });
    }
  }
}

/** Compiles every schema with nothing forgiven: an unknown keyword or format, or an ambiguous type, is an error. */
export function compileStrictly(tools) {
  for (const tool of tools) {
    for (const schema of [tool.inputSchema, tool.outputSchema]) {
      if (schema) new Ajv2020({ strict: true, strictTypes: true, strictRequired: true }).compile(schema);
    }
  }
}

/** Starts a call and gives it up after a while; says whether it was given up before it was answered. */
export async function abandon(call, seconds) {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort('given up'), seconds * 1000);
  try {
    await call(controller.signal);
    return { abandoned: false };
  } catch {
    return { abandoned: controller.signal.aborted };
  } finally {
    clearTimeout(timer);
  }
}

/** Changes as they come in, waited for one by one. */
export class Changes {
  #known = [];
  #waiting = [];

  add(uri) {
    const next = this.#waiting.shift();
    if (next) next(uri);
    else this.#known.push(uri);
  }

  next() {
    if (this.#known.length > 0) return Promise.resolve(this.#known.shift());
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error('no change was told within 20 s')), 20_000);
      this.#waiting.push((uri) => {
        clearTimeout(timer);
        resolve(uri);
      });
    });
  }
}
