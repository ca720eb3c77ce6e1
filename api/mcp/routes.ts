import type { Ctx } from '#api/context.ts';
import { parseObject } from '#api/middleware/json-body.ts';
import { isFromThisMachine, mayUseCookie } from '#api/middleware/session-cookie.ts';
import { get, post, type Route } from '#api/route.ts';
import { HttpFault } from '#api/shapes/problem.ts';
import type { Config } from '#setup/config.ts';
import { answerMessage } from './protocol.ts';
import { llmsText, skillText } from './texts.ts';

/** Text for language models that contains the base URL. */
const textRoute = (path: string, operationId: string, type: string, textOf: (baseUrl: string) => string) =>
  get({
    path,
    operationId,
    summary: 'Read instructions for language models',
    access: 'public',
    success: { description: 'The text', contentType: type },
    async handle({ ctx, services }) {
      ctx.set('Cache-Control', 'no-cache');
      ctx.type = type;
      ctx.body = textOf(services.config.baseUrl);
    },
  });

/** Routes for language models. They are not part of the REST API or of its OpenAPI document. */
export const mcpRoutes: Route[] = [
  post({
    path: '/mcp',
    operationId: 'callMcp',
    summary: 'Call tools for language models, through the Model Context Protocol',
    permission: 'mail',
    takesBearer: true,
    lateBody: { limit: 'http.bodyBytes' },
    success: { description: 'A JSON-RPC response', contentType: 'application/json' },
    async handle(call) {
      const { ctx, services } = call;
      refuseForeignOrigin(ctx, services.config);
      const message = await call.receive(async (bytes) => parseObject(bytes));
      const response = await answerMessage(call, message);
      ctx.status = response.status;
      ctx.body = Buffer.from(await response.arrayBuffer());
      const type = response.headers.get('content-type');
      if (type === null) ctx.remove('Content-Type');
      else ctx.set('Content-Type', type);
    },
  }),
  textRoute('/llms.txt', 'getLlmsText', 'text/plain', llmsText),
  textRoute('/skills/sandpost/SKILL.md', 'getSkill', 'text/markdown', skillText),
];

/**
 * Refuses pages from other sites (MCP 2026-07-28, Streamable HTTP: servers validate Origin). A page from this machine's own server may
 * use any of the machine's names. Throws HttpFault.
 */
function refuseForeignOrigin(ctx: Ctx, { allowedOrigins }: Pick<Config, 'allowedOrigins'>): void {
  const from = { secFetchSite: '', origin: ctx.get('origin') };
  if (mayUseCookie(from, allowedOrigins) || isFromThisMachine(ctx.get('host'), from)) return;
  throw new HttpFault({
    status: 403,
    code: 'foreign_origin',
    detail: 'Only sites listed in SANDPOST_ALLOWED_ORIGINS can use /mcp from their pages',
  });
}
