import Router from '@koa/router';
import type { Permission } from '#core/access/caller.ts';
import { found, Invalid, NotFound, Unauthenticated } from '#core/errors.ts';
import { type Id, parseId } from '#core/ids.ts';
import { limits } from '#core/limits.ts';
import type { BodyBudget } from '#gate/body-budget.ts';
import { turnOf } from '#gate/event-loop.ts';
import { createFairLimiter } from '#gate/fair-limiter.ts';
import type { Services } from '#setup/services.ts';
import { type Ctx, type Handler, namedIn, type State } from './context.ts';
import type { Dialect } from './dialect.ts';
import { portsOf } from './limited-ports.ts';
import { requirePermission, requireStill } from './middleware/admission.ts';
import { parseObject } from './middleware/json-body.ts';
import { type BodyKind, jsonBody, withBody } from './middleware/read-body.ts';
import { RequestSignals } from './request-signals.ts';
import type { Call, Route, Shared } from './route.ts';
import { HttpFault, malformed } from './shapes/problem.ts';
import { readQuery } from './shapes/request-shape.ts';

/** Routes with the same prefix, such as `/api/messages` or `/providers/ses`. A router compares a path with each of its routes. */
type Group = { router: Router<State>; paths: string[]; dialect: Dialect | undefined };
type Routers = Map<string, Group>;
type AnyCall = Call<string, unknown, unknown, 'identified' | 'public'>;

/** Returns a path's first two segments, or only the first if the second is a parameter. */
function prefixOf(path: string): string {
  const segments = path.split('/', 3);
  return segments.filter((segment) => !segment.startsWith(':')).join('/');
}

function groupOf(routers: Routers, path: string): Group | undefined {
  return routers.get(prefixOf(path)) ?? routers.get(path.split('/', 2).join('/'));
}

/**
 * Creates the routers. Each request is identified, counted, read and validated, in this order, before its handler runs. `closing` ends
 * waiting requests.
 */
export function createRouters(
  routes: Route[],
  shared: Shared,
  admit: Handler,
  budget: BodyBudget,
  closing: AbortSignal,
): Routers {
  const routers: Routers = new Map();
  const { services } = shared;
  const signals = new RequestSignals(closing);
  const inSlot = createFairLimiter({
    placesPerKey: limits.http.writesAtOnce,
    waitingPerKey: limits.http.writes,
    onFull: () => services.metrics.limitReached('http.writes'),
  });
  /** Runs a handler, and returns the response value. A change runs in one of its user's slots. */
  const run = async (declared: Route, call: AnyCall): Promise<unknown> => {
    const { caller, ctx } = call;
    // A request with a late body waits for its turn when its email is composed.
    const waits = caller !== null && declared.method !== 'get' && declared.lateBody === undefined;
    const answer = () =>
      declared.handle(call).catch((error: unknown) => {
        throw error instanceof Invalid ? inWireNames(error, declared) : error;
      });
    const still = () => stillMay(services, ctx, declared);
    const value = await (waits ? inSlot(String(caller.userId), () => still().then(answer)) : answer());
    return 'shape' in declared.success ? declared.success.shape.present(value, call) : value;
  };
  for (const declared of routes) {
    const path = declared.path.replaceAll(/\{(\w+)\}/g, ':$1').replace(/\/$/, '');
    const handle: Handler = async (ctx) => {
      const { caller } = ctx.state;
      if (caller !== null && declared.access !== 'public')
        requirePermission(ctx, caller, permissionOf(declared));
      if (caller !== null) await turnOf(caller.userId);
      if (ctx.req.socket.destroyed) {
        ctx.respond = false;
        return;
      }
      const call = await readCall(declared, shared, { budget, signals, run }, ctx);
      const value = await run(declared, call);
      if (value !== undefined) ctx.body = value;
      else if ('status' in declared.success) ctx.status = declared.success.status;
    };
    const name: Handler = async (ctx, next) => {
      ctx.state.route = declared.path;
      ctx.state.forBrowsers = declared.forBrowsers === true;
      ctx.state.takesBearer = declared.takesBearer === true;
      await next().catch((error: unknown) => {
        throw namedIn(declared.path, error);
      });
    };
    const guards = declared.access !== 'public' ? [admit] : [];
    const prefix = prefixOf(path);
    const group = routers.get(prefix) ?? {
      router: new Router<State>({ strict: true, sensitive: true }),
      paths: [],
      dialect: declared.dialect,
    };
    group.router.register(path, [declared.method], [name, ...guards, handle]);
    group.paths.push(declared.path);
    routers.set(prefix, group);
  }
  return routers;
}

function permissionOf({ permission, method }: Route): Permission {
  return permission ?? (method === 'get' ? 'read' : 'write');
}

/** Refuses a request that took long if its caller's permission has since ended. */
async function stillMay(services: Services, ctx: Ctx, declared: Route): Promise<void> {
  if (declared.access !== 'public') await requireStill(services, ctx, permissionOf(declared));
}

/** Names a use case's violations as the route does: by a field's first wire name, or by an id in the path. */
function inWireNames(error: Invalid, { path, query, body, dialect }: Route): Invalid {
  if (dialect !== undefined) return error;
  const wireName = (field: string) => {
    const id = field.replace(/Id$/, '_id');
    if (path.includes(`{${id}}`)) return id;
    return (body?.fields[field] ?? query?.fields[field])?.names[0] ?? field;
  };
  const named = error.violations.map(({ field, message }) => ({ field: wireName(field), message }));
  return new Invalid(named, error.limits);
}

/**
 * Passes a request to the route for its path and method, or otherwise to the next handler. Refuses a dialect's request that no route
 * handles.
 */
export function dispatch(routers: Routers): ReturnType<Router<State>['routes']> {
  const handlers = new Map([...routers.values()].map((group) => [group, group.router.routes()]));
  return (ctx, next) => {
    const group = groupOf(routers, ctx.path);
    const handler = group && handlers.get(group);
    if (handler === undefined || group === undefined) return next();
    const { dialect } = group;
    if (dialect === undefined) {
      // A path without ids takes precedence over a path with an id in the same position, whatever the method.
      const own = group.paths.includes(ctx.path) ? methodsOf(group, ctx.path) : null;
      return own === null || own.includes(ctx.method) ? handler(ctx, next) : next();
    }
    ctx.state.dialect = dialect;
    // Clients append paths to base URLs with a trailing slash.
    Object.assign(ctx, { newRouterPath: ctx.path.replaceAll(/\/+/g, '/').replace(/\/$/, '') });
    return handler(ctx, () => refuseUnrouted(routers)(ctx, next));
  };
}

/** Refuses a request that no route handles: 405 if the path has other methods, otherwise 404. */
export function refuseUnrouted(routers: Routers): Handler {
  return async (ctx: Ctx & { newRouterPath?: string }) => {
    const group = groupOf(routers, ctx.path);
    const methods = group === undefined ? [] : methodsOf(group, ctx.newRouterPath ?? ctx.path);
    if (methods.length === 0) throw new NotFound(unknownPath(group));
    ctx.state.route = 'wrong method';
    throw new HttpFault({
      status: 405,
      code: 'method_not_allowed',
      detail: `This path accepts ${methods.join(', ')}`,
      headers: { Allow: methods.join(', ') },
    });
  };
}

/** Returns the methods of a path, whether it matches a route exactly or by ids. */
function methodsOf({ router }: Group, path: string): string[] {
  const layers = router.match(path, 'GET').path;
  const own = layers.filter((layer) => layer.path === path);
  return [...new Set((own.length > 0 ? own : layers).flatMap((layer) => layer.methods))];
}

function unknownPath(group: Group | undefined): string {
  if (group?.dialect === undefined) return 'This path does not exist. /api/openapi.json lists all paths';
  return `In the ${group.dialect.title} API, Sandpost supports only sending: use POST with ${group.paths.join(', ')}`;
}

/** Parts of the router for reading a request and performing operations. */
type Reading = {
  budget: BodyBudget;
  signals: RequestSignals;
  run(declared: Route, call: AnyCall): Promise<unknown>;
};

async function readCall(
  declared: Route,
  shared: Shared,
  { budget, signals, run }: Reading,
  ctx: Ctx & { params?: Record<string, string> },
): Promise<AnyCall> {
  const { services } = shared;
  const { params = {} } = ctx;
  const ids: Record<string, Id> = {};
  for (const [name, text] of Object.entries(declared.dialect ? {} : params)) {
    ids[name] = found(parseId(text));
  }
  const query = declared.anyQuery ? null : readQuery(ctx.querystring, declared.query);
  const bounds = { budget, metrics: services.metrics };
  const body = await readDeclaredBody(declared, bounds, ctx);
  const call: AnyCall = {
    ...shared,
    ...portsOf(services, ctx.state),
    ids,
    params,
    query,
    body,
    caller: ctx.state.caller,
    ctx,
    receive(use) {
      const { most, kind = jsonBody, limit: name = 'http.sendBodyBytes' } = declared.lateBody ?? {};
      const late = { ...bounds, kind, name, ...(most && { most: most(services.config) }) };
      return withBody(ctx, late, async (bytes) => {
        await stillMay(services, ctx, declared);
        return use(given(bytes, kind));
      });
    },
    async perform(operation, { ids = {}, query = null, body = null }) {
      const { caller } = call;
      if (caller === null) throw new Unauthenticated('Operations require an identified caller');
      requirePermission(ctx, caller, permissionOf(operation));
      return run(operation, { ...call, ids, query, body }).catch((error: unknown) => {
        throw namedIn(operation.path, error);
      });
    },
    get signal() {
      return signals.of(ctx);
    },
  };
  return call;
}

async function readDeclaredBody(
  { body: shape, access }: Route,
  bounds: { budget: BodyBudget; metrics: Services['metrics'] },
  ctx: Ctx,
): Promise<unknown> {
  if (shape === undefined) return null;
  const name = access === 'public' ? 'http.publicBodyBytes' : 'http.bodyBytes';
  return withBody(ctx, { ...bounds, name }, (bytes) =>
    shape.read(bytes === null && shape.optional ? {} : parseObject(given(bytes))),
  );
}

function given(
  bytes: Uint8Array<ArrayBuffer> | null,
  { missing }: BodyKind = jsonBody,
): Uint8Array<ArrayBuffer> {
  if (bytes !== null) return bytes;
  if (missing !== null) throw malformed(missing);
  return new Uint8Array();
}
