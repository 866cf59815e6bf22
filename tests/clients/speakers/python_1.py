"""The official Python SDK 1.x: python_1.py MODE COMMAND…

It knows only the handshake and has no way to cancel a call.
"""

import asyncio
import sys

from mcp import ClientSession, StdioServerParameters, types
from mcp.client.stdio import stdio_client
from pydantic import AnyUrl
from speaker import serve


class Deeds:
    def __init__(self, session, changes):
        self.session, self.changes = session, changes

    async def tools(self):
        return (await self.session.list_tools()).tools

    async def call(self, name, arguments):
        return await self.session.call_tool(name, arguments, progress_callback=self.progressed)

    async def progressed(self, progress, total, message):
        pass

    async def ping(self):
        return await self.session.send_ping()

    async def resources(self):
        return (await self.session.list_resources()).resources

    async def templates(self):
        return (await self.session.list_resource_templates()).resourceTemplates

    async def read(self, uri):
        return (await self.session.read_resource(AnyUrl(uri))).contents

    async def complete(self, ref, argument):
        kind = types.PromptReference if ref["type"] == "ref/prompt" else types.ResourceTemplateReference
        return (await self.session.complete(kind(**ref), argument)).completion

    async def prompts(self):
        return (await self.session.list_prompts()).prompts

    async def prompt(self, name, arguments):
        return (await self.session.get_prompt(name, arguments)).messages

    async def watch(self, uri):
        return await self.session.subscribe_resource(AnyUrl(uri))

    async def changed(self):
        return await asyncio.wait_for(self.changes.get(), 20)


async def main(command, *arguments):
    changes = asyncio.Queue()

    async def heard(message):
        if isinstance(message, types.ServerNotification) and isinstance(
            message.root, types.ResourceUpdatedNotification
        ):
            await changes.put(str(message.root.params.uri))

    server = StdioServerParameters(command=command, args=arguments)
    async with stdio_client(server) as streams, ClientSession(*streams, message_handler=heard) as session:
        hello = await session.initialize()
        facts = {"version": hello.protocolVersion, "server": hello.serverInfo.name, "instructions": hello.instructions}
        await serve({**facts, "offers": ["ping", "watch"]}, Deeds(session, changes))


asyncio.run(main(*sys.argv[2:]))
