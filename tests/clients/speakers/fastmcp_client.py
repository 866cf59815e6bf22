"""The client of FastMCP: fastmcp_client.py MODE COMMAND…, with MODE auto or legacy."""

import asyncio
import sys

from fastmcp import Client
from fastmcp.client.transports import StdioTransport
from mcp import types
from speaker import abandon, plain, serve


class Deeds:
    def __init__(self, client):
        self.client = client

    async def tools(self):
        return await self.client.list_tools()

    async def call(self, name, arguments):
        result = await self.client.call_tool(name, arguments, raise_on_error=False)
        # It builds typed data from the output schema, and keeps silent when it cannot.
        if result.structured_content and not result.is_error and result.data is None:
            raise ValueError(f"no typed data could be built from {result.structured_content}")
        answer = {"content": plain(result.content), "isError": result.is_error}
        return {**answer, "structuredContent": result.structured_content} if result.structured_content else answer

    async def abandon(self, name, arguments, seconds):
        return await abandon(self.client.call_tool(name, arguments), seconds)

    async def resources(self):
        return await self.client.list_resources()

    async def templates(self):
        return await self.client.list_resource_templates()

    async def read(self, uri):
        return await self.client.read_resource(uri)

    async def complete(self, ref, argument):
        kind = types.PromptReference if ref["type"] == "ref/prompt" else types.ResourceTemplateReference
        return await self.client.complete(kind(**ref), argument)

    async def prompts(self):
        return await self.client.list_prompts()

    async def prompt(self, name, arguments):
        return (await self.client.get_prompt(name, arguments)).messages


async def main(mode, command, *arguments):
    transport = StdioTransport(command, list(arguments), keep_alive=False)
    async with Client(transport, mode=mode) as client:
        info = client.server_info
        facts = {"version": client.protocol_version, "server": info and info.name, "instructions": client.instructions}
        await serve({**facts, "offers": ["cancel"]}, Deeds(client))


asyncio.run(main(*sys.argv[1:]))
