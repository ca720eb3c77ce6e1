import Router from '@koa/router';
import { NotFound } from '#core/errors.ts';
import { type Id, parseId } from '#core/ids.ts';
import type { Services } from '#core/services.ts';
import type { Ctx, Handler, State } from './context.ts';
import { requireCaller } from './middleware/identify.ts';
import { readBody } from './middleware/read-body.ts';
import { readQuery } from './middleware/read-query.ts';
import { HttpFault, malformed } from './problem.ts';
import type { Call, Route } from './route.ts';

const usualBodyLimit = 1024 * 1024;

/**
 * The routes as Koa takes them: each request is identified, counted, read and checked in this order before its handler
 * sees it. `closing` ends what waits.
 */
export function createRouter(
  routes: Route[],
  services: Services,
  admit: Handler[],
  closing: AbortSignal,
): Router<State> {
  const router = new Router<State>({ strict: true, sensitive: true });
  for (const declared of routes) {
    const path = declared.path.replaceAll(/\{(\w+)\}/g, ':$1');
    const handle: Handler = async (ctx) => {
      const body = await declared.handle(await readCall(declared, services, ctx, closing));
      if (body !== undefined) ctx.body = body;
      else if ('status' in declared.success) ctx.status = declared.success.status;
    };
    const name: Handler = async (ctx, next) => {
      ctx.state.route = declared.path;
      await next();
    };
    const guards =
      declared.access === 'identified' ? [...admit.slice(0, 1), requireCaller, ...admit.slice(1)] : [];
    router.register(path, [declared.method], [name, ...guards, handle]);
  }
  return router;
}

/** What no route took: 405 where the path is known with other methods, else 404. */
export function refuseUnrouted(router: Router<State>): Handler {
  return async (ctx) => {
    const { path: layers } = router.match(ctx.path, ctx.method);
    const methods = [...new Set(layers.flatMap((layer) => layer.methods))];
    if (methods.length === 0) throw new NotFound();
    ctx.state.route = 'wrong method';
    throw new HttpFault({
      status: 405,
      code: 'method_not_allowed',
      detail: `This path takes ${methods.join(', ')}`,
      headers: { Allow: methods.join(', ') },
    });
  };
}

async function readCall(
  declared: Route,
  services: Services,
  ctx: Ctx & { params?: Record<string, string> },
  closing: AbortSignal,
): Promise<Call<string, unknown, unknown, 'identified' | 'public'>> {
  const ids: Record<string, Id> = {};
  for (const [name, text] of Object.entries(ctx.params ?? {})) {
    const id = parseId(text);
    if (id === null) throw new NotFound();
    ids[name] = id;
  }
  const query = declared.query ? readQuery(ctx.querystring, declared.query) : null;
  const body = await readDeclaredBody(declared, services, ctx);
  return {
    services,
    ids,
    query,
    body,
    caller: ctx.state.caller,
    ctx,
    asked: ctx.state.asked,
    get signal() {
      return AbortSignal.any([closing, gone(ctx)]);
    },
  };
}

async function readDeclaredBody(
  { body: shape, bodyLimit }: Route,
  { config }: Services,
  ctx: Ctx,
): Promise<unknown> {
  if (shape === undefined) return null;
  const body = await readBody(ctx, bodyLimit?.(config) ?? usualBodyLimit);
  if (body === null && !shape.optional) throw malformed('A JSON body is needed');
  return shape.read(body ?? {});
}

/** Aborted when the client hangs up before it has its answer, or has done so while it was being identified. */
function gone(ctx: Ctx): AbortSignal {
  const controller = new AbortController();
  if (ctx.res.closed) controller.abort();
  ctx.res.once('close', () => controller.abort());
  return controller.signal;
}
