"""The official Python SDK 2.x: python_2.py MODE COMMAND…, with MODE auto, legacy or a version of the protocol."""

import asyncio
import contextlib
import sys

from mcp import Client, StdioServerParameters, types
from speaker import abandon, serve


class Deeds:
    def __init__(self, client, changes):
        self.client, self.changes, self.open = client, changes, contextlib.AsyncExitStack()

    async def tools(self):
        return (await self.client.list_tools()).tools

    async def call(self, name, arguments):
        return await self.client.call_tool(name, arguments, progress_callback=self.progressed)

    async def progressed(self, progress, total, message):
        pass

    async def abandon(self, name, arguments, seconds):
        return await abandon(self.call(name, arguments), seconds)

    async def ping(self):
        return await self.client.send_ping()

    async def resources(self):
        return (await self.client.list_resources()).resources

    async def templates(self):
        return (await self.client.list_resource_templates()).resource_templates

    async def read(self, uri):
        return (await self.client.read_resource(uri)).contents

    async def complete(self, ref, argument):
        kind = types.PromptReference if ref["type"] == "ref/prompt" else types.ResourceTemplateReference
        return (await self.client.complete(kind(**ref), argument)).completion

    async def prompts(self):
        return (await self.client.list_prompts()).prompts

    async def prompt(self, name, arguments):
        return (await self.client.get_prompt(name, arguments)).messages

    async def watch(self, uri):
        if self.client.protocol_version < "2026":
            return await self.client.session.subscribe_resource(uri)
        stream = await self.open.enter_async_context(self.client.listen(resource_subscriptions=[uri]))
        self.listening = asyncio.ensure_future(self.listen(stream))
        return {}

    async def listen(self, stream):
        async for event in stream:
            await self.changes.put(str(event.uri))

    async def changed(self):
        return await asyncio.wait_for(self.changes.get(), 20)


async def main(mode, command, *arguments):
    changes = asyncio.Queue()

    async def heard(message):
        if isinstance(message, types.ResourceUpdatedNotification):
            await changes.put(str(message.params.uri))

    server = StdioServerParameters(command=command, args=list(arguments))
    async with Client(server, mode=mode, message_handler=heard) as client:
        offers = ["cancel", "watch"] + (["ping"] if client.protocol_version < "2026" else [])
        info = client.server_info
        facts = {"version": client.protocol_version, "server": info and info.name, "instructions": client.instructions}
        deeds = Deeds(client, changes)
        async with deeds.open:
            await serve({**facts, "offers": offers}, deeds)


asyncio.run(main(*sys.argv[1:]))
