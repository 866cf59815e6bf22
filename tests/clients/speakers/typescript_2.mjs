// The client of the official TypeScript SDK 2.x: typescript_2.mjs MODE COMMAND…, with MODE legacy (its default), auto,
// or a version of the protocol to insist on.
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { abandon, Changes, compileStrictly, serve } from './speaker.mjs';

const [, , mode, command, ...args] = process.argv;
const negotiation = { legacy: undefined, auto: { mode: 'auto' } };
const client = new Client(
  { name: 'handoff-tests', version: '1' },
  { versionNegotiation: mode in negotiation ? negotiation[mode] : { mode: { pin: mode } } },
);
const changes = new Changes();
client.setNotificationHandler('notifications/resources/updated', (change) => changes.add(change.params.uri));
await client.connect(new StdioClientTransport({ command, args }));

const version = client.getNegotiatedProtocolVersion();
const modern = version >= '2026';
const call = ({ name, arguments: given }, more) =>
  client.callTool({ name, arguments: given }, { onprogress: () => {}, ...more });

await serve(
  {
    version,
    server: client.getServerVersion()?.name,
    instructions: client.getInstructions(),
    offers: ['cancel', 'strict', 'watch', ...(modern ? [] : ['ping'])],
  },
  {
    tools: async () => (await client.listTools()).tools,
    strict: async () => compileStrictly((await client.listTools()).tools),
    call,
    abandon: ({ seconds, ...request }) => abandon((signal) => call(request, { signal }), seconds),
    ping: () => client.ping(),
    resources: async () => (await client.listResources()).resources,
    templates: async () => (await client.listResourceTemplates()).resourceTemplates,
    read: async ({ uri }) => (await client.readResource({ uri })).contents,
    complete: async ({ ref, argument }) => (await client.complete({ ref, argument })).completion,
    prompts: async () => (await client.listPrompts()).prompts,
    prompt: async ({ name, arguments: given }) => (await client.getPrompt({ name, arguments: given })).messages,
    watch: async ({ uri }) => {
      if (modern) await client.listen({ resourceSubscriptions: [uri] });
      else await client.subscribeResource({ uri });
    },
    changed: () => changes.next(),
  },
);
await client.close();
