// The official TypeScript SDK 1.x: typescript_1.mjs MODE COMMAND… It knows only the handshake.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { ResourceUpdatedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { abandon, Changes, compileStrictly, serve } from './speaker.mjs';

const [, , , command, ...args] = process.argv;
const client = new Client({ name: 'handoff-tests', version: '1' });
const changes = new Changes();
client.setNotificationHandler(ResourceUpdatedNotificationSchema, (change) => changes.add(change.params.uri));
const transport = new StdioClientTransport({ command, args });
let version;
transport.setProtocolVersion = (agreed) => (version = agreed);
await client.connect(transport);

const call = ({ name, arguments: given }, more) =>
  client.callTool({ name, arguments: given }, undefined, { onprogress: () => {}, ...more });

await serve(
  {
    version,
    server: client.getServerVersion()?.name,
    instructions: client.getInstructions(),
    offers: ['cancel', 'ping', 'strict', 'watch'],
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
    watch: ({ uri }) => client.subscribeResource({ uri }),
    changed: () => changes.next(),
  },
);
await client.close();
