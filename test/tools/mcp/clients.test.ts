import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import type { Json } from '#test/support/clients/http.ts';
import { newestRevision, revisionBefore } from '#test/support/clients/mcp.ts';
import { runPython, withoutPythonClients } from '#test/support/clients/provider-clients.ts';
import { deliverOne } from '#test/support/program/program-mail.ts';
import { scene } from '#test/support/program/scene.ts';
import { ok } from '#test/support/program/user.ts';

const { program, user } = await scene();
await ok(user.api.post('/api/accounts', { address: `*@${user.domain.domain}` }));
const id: number = await deliverOne(program, {
  to: user.address,
  subject: 'Welcome',
  text: 'Your code is 493817.',
});

const packages = new URL('clients/package.json', import.meta.url);
const withoutClients = existsSync(new URL('node_modules', packages))
  ? false
  : 'test/setup.sh, which installs the clients, was not run';

/** Parts of `@modelcontextprotocol/client` that the tests use. */
type OfficialClient = {
  connect(transport: unknown): Promise<void>;
  close(): Promise<void>;
  listTools(): Promise<{ tools: { name: string }[] }>;
  callTool(call: { name: string; arguments: object }): Promise<Json>;
  getInstructions(): string | undefined;
  getNegotiatedProtocolVersion(): string | undefined;
};
type Package = {
  Client: new (info: object, options: object) => OfficialClient;
  StreamableHTTPClientTransport: new (url: URL, options: object) => unknown;
};

for (const [revision, mode] of [
  [newestRevision, { pin: newestRevision }],
  [newestRevision, 'auto'],
  [revisionBefore, 'legacy'],
] as const) {
  test(`the official client works by ${JSON.stringify(mode)}`, { skip: withoutClients }, async () => {
    const { Client, StreamableHTTPClientTransport }: Package = createRequire(packages)(
      '@modelcontextprotocol/client',
    );
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
    const headers = { authorization: `Bearer ${user.key}` };
    const url = new URL(`${program.baseUrl}/mcp`);
    await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
    assert.equal(client.getNegotiatedProtocolVersion(), revision);
    assert.match(client.getInstructions() ?? '', /untrusted/);
    const { tools } = await client.listTools();
    assert.ok(tools.some(({ name }) => name === 'create_address'));
    // The client checks the response against its tool's schema.
    const { structuredContent: mail } = await client.callTool({
      name: 'read_mail',
      arguments: { message_id: id },
    });
    assert.equal(mail.codes[0].value, '493817');
    const made = await client.callTool({ name: 'create_address', arguments: { name: 'signup' } });
    assert.match(made.structuredContent.address, /^signup-/);
    const refused = await client.callTool({ name: 'read_mail', arguments: { message_id: 999_999 } });
    assert.equal(refused.isError, true);
    await client.close();
  });
}

test('the official client tells of a wrong key', { skip: withoutClients }, async () => {
  const { Client, StreamableHTTPClientTransport }: Package = createRequire(packages)(
    '@modelcontextprotocol/client',
  );
  const client = new Client({ name: 'test', version: '1' }, {});
  const headers = { authorization: 'Bearer sp_wrong' };
  const transport = new StreamableHTTPClientTransport(new URL(`${program.baseUrl}/mcp`), {
    requestInit: { headers },
  });
  await assert.rejects(client.connect(transport), /401|Unauthorized/);
});

/** Uses the PyPI client in `mode`, and prints what it saw. */
const python = `
import asyncio, json, sys
import httpx2
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client

async def main(given):
    headers = {'Authorization': 'Bearer ' + given['key']}
    async with httpx2.AsyncClient(headers=headers, timeout=60) as http:
        async with Client(streamable_http_client(given['url'], http_client=http), mode=given['mode']) as client:
            listed = await client.list_tools()
            mail = await client.call_tool('read_mail', {'message_id': given['id']})
            refused = await client.call_tool('read_mail', {'message_id': 999999})
            print(json.dumps({
                'revision': client.protocol_version,
                'tools': [tool.name for tool in listed.tools],
                'mail': mail.structured_content,
                'refused': refused.is_error,
            }))

asyncio.run(main(json.load(sys.stdin)))
`;

for (const [revision, mode] of [
  [newestRevision, 'auto'],
  [revisionBefore, 'legacy'],
] as const) {
  test(`the client of PyPI works by ${mode}`, { skip: withoutPythonClients }, async () => {
    const given = { url: `${program.baseUrl}/mcp`, key: user.key, id, mode };
    const seen = JSON.parse(await runPython(python, given));
    assert.equal(seen.revision, revision);
    assert.ok(seen.tools.includes('wait_for_mail'));
    assert.equal(seen.mail.codes[0].value, '493817');
    assert.equal(seen.refused, true);
  });
}
