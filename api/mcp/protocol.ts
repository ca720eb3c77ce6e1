import type { Tool as ListedTool, Server } from '@modelcontextprotocol/server';
import { may } from '#core/access/caller.ts';
import { madeOnce } from '#setup/threads.ts';
import { programVersion } from '#telemetry/program-version.ts';
import type { ToolSchemas } from './json-schema.ts';
import { instructions } from './texts.ts';
import { callTool, type McpCall } from './tool.ts';
import { tools } from './tools/index.ts';

/** Library for the protocol. It takes 26 MB, so a process loads it only when needed. */
const library = () => import('@modelcontextprotocol/server');

/** Header fields that the protocol reads. */
const fields = ['content-type', 'accept', 'mcp-protocol-version', 'mcp-method', 'mcp-name'];

/**
 * Responds to one message of the Model Context Protocol, in revision 2026-07-28 or in the revisions of 2025, which begin with
 * `initialize`. Keeps no state between messages.
 */
export async function answerMessage(call: McpCall, message: Record<string, unknown>): Promise<Response> {
  const { createMcpHandler, isLegacyRequest, WebStandardStreamableHTTPServerTransport } = await library();
  const headers = fields.map((name): [string, string] => [name, call.ctx.get(name)]);
  const request = new Request(`${call.services.config.baseUrl}/mcp`, {
    method: 'POST',
    headers: headers.filter(([, value]) => value !== ''),
  });
  const parsed = { parsedBody: message };
  if (!(await isLegacyRequest(request, message))) {
    // `subscriptions/listen` streams would have nothing to report.
    const handler = createMcpHandler(() => serverFor(call), { legacy: 'reject', maxSubscriptions: 0 });
    return handler.fetch(request, parsed);
  }
  const server = await serverFor(call);
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  try {
    await server.connect(transport);
    return await transport.handleRequest(request, parsed);
  } finally {
    await server.close();
  }
}

/** Creates the server for one message, with the tools that the caller may use. */
async function serverFor(call: McpCall): Promise<Server> {
  const { Server, ProtocolError, ProtocolErrorCode } = await library();
  const server = new Server(
    { name: 'sandpost', title: 'Sandpost', version: programVersion },
    { capabilities: { tools: {} }, instructions },
  );
  server.setRequestHandler('tools/list', async () => {
    const schemas = await schemasOfTools();
    const usable = tools.filter(({ permission }) => may(call.caller, permission));
    return { tools: usable.map((tool) => ({ ...described(tool), ...schemas[tool.name] }) as ListedTool) };
  });
  server.setRequestHandler('tools/call', async ({ params }) => {
    const tool = tools.find(({ name }) => name === params.name);
    if (tool === undefined)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'No such tool: call tools/list to see them');
    return callTool(call, tool, params.arguments ?? {});
  });
  return server;
}

function described({ name, title, description, permission, destroys }: (typeof tools)[number]) {
  const readOnlyHint = permission !== 'write';
  const annotations = { title, readOnlyHint, destructiveHint: destroys === true, openWorldHint: false };
  return { name, title, description, annotations };
}

/** Creates the tools' schemas, by name, in a thread, because loading the libraries for this takes 0.1 s. */
const schemasOfTools = madeOnce<Record<string, ToolSchemas>>(new URL('./tools-worker.ts', import.meta.url));
