import type { IncomingHttpHeaders, Server } from 'node:http';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import Koa from 'koa';
import { limits } from '#core/limits.ts';
import { BodyBudget } from '#gate/body-budget.ts';
import { createFairLimiter, type FairLimiter } from '#gate/fair-limiter.ts';
import { UnreadResponses } from '#gate/unread-responses.ts';
import { withoutBasePath } from '#setup/base-path.ts';
import { listen } from '#setup/listen.ts';
import type { Services } from '#setup/services.ts';
import { serveClients } from './clients/serve-clients.ts';
import { type Handler, partyOf, type State } from './context.ts';
import { CredentialWatch } from './credential-watch.ts';
import { EventStreams } from './event-stream.ts';
import { createHttpServer, isUpgrading } from './http-server.ts';
import { maildevRoutes } from './maildev/routes.ts';
import { mailhogRoutes } from './mailhog/routes.ts';
import { mailpitRoutes } from './mailpit/routes.ts';
import { isEventSocket, mailpitEventRoutes, socketUrl } from './mailpit-events/event-sockets.ts';
import { mcpRoutes } from './mcp/routes.ts';
import { admission, isStillValid, requireNow } from './middleware/admission.ts';
import { arrival, checkHead } from './middleware/arrival.ts';
import { errors } from './middleware/errors.ts';
import { representation } from './middleware/representation.ts';
import { readWebBuild, servePages } from './pages.ts';
import { serveReadiness } from './readiness.ts';
import { createRouters, dispatch, refuseUnrouted } from './router.ts';
import { routes } from './routes/index.ts';
import { serveShares } from './shares/serve-shares.ts';

export type Api = {
  server: Server;
  /** Listens and returns the port. Throws an error that names the setting at fault. */
  listen(): Promise<number>;
  /** Accepts no new connections, and ends streams and waits. Resolves when all pending responses are finished or cut off. */
  close(): Promise<void>;
};

/** Maximum time in ms to finish pending responses when the API stops. The process has 25 s in total. */
const finishWithinMs = 20_000;
/** Time in ms for a request to arrive on a connection that was opened before the API stopped. */
const firstBytesMs = 1_000;

/** Creates the REST API and its pages, on a separate server. */
export function createApi(services: Services): Api {
  const { config, log } = services;
  const closing = new AbortController();
  const answers = new UnreadResponses(services.metrics);
  const credentials = new CredentialWatch(
    (watch) => isStillValid(services, watch),
    (watch) => requireNow(services, watch, 'mail'),
  );
  const streams = new EventStreams(services, credentials);
  const admit = admission(services);
  const budget = new BodyBudget();
  const routers = createRouters(
    [...routes, ...mcpRoutes, ...mailpitRoutes, ...mailpitEventRoutes, ...mailhogRoutes, ...maildevRoutes],
    {
      ...{ services, streams, credentials },
      submissions: submissionSlots(services.metrics),
      bulkChanges: createFairLimiter({ placesPerKey: limits.answers.bulkAtOnce }),
    },
    admit.known,
    budget,
    closing.signal,
  );

  const app = new Koa<State>();
  app.use(arrival(services));
  app.use(async (ctx, next) => {
    await next();
    const unread = !ctx.req.complete && mayBeLong(ctx.req.headers);
    if ((closing.signal.aborted || unread) && !ctx.headerSent) ctx.set('Connection', 'close');
  });
  app.use(errors(services));
  app.use(checkHead(services));
  app.use(boundUnread(answers));
  app.use(serveClients(config));
  app.use(serveShares(services));
  app.use(serveReadiness(services, closing.signal));
  app.use(servePages(readWebBuild(config.basePath), config.basePath));
  app.use(representation(answers, config.baseUrl));
  app.use(dispatch(routers));
  app.use(admit.anybody);
  app.use(refuseUnrouted(routers));
  // Errors that reach Koa itself occurred after the head was sent, or because the client hung up.
  app.on('error', (err) => log.debug({ event: 'http.broken-off', err }, 'a response ended early'));

  const serve = app.callback();
  const server = createHttpServer(
    (request, response) => {
      const url = withoutBasePath(request.url ?? '/', config.basePath);
      request.url = isUpgrading(request) ? socketUrl(url) : url;
      serve(request, response);
    },
    services,
    (url) => isEventSocket(withoutBasePath(url, config.basePath)),
  );
  const closeUnused = unusedConnections(server);
  return {
    server,
    listen: () => listen(server, config.httpHost, config.httpPort, 'SANDPOST_HTTP_PORT'),
    async close() {
      closing.abort();
      streams.close();
      credentials.close();
      await closeServer(server, closeUnused);
    },
  };
}

/** Maximum bytes in memory of a response that is read from the store in pieces. */
const pieceBytes = 524_288;

/** Limits the time of unread responses, and the memory of responses that are read from the store in pieces. */
function boundUnread(answers: UnreadResponses): Handler {
  return async (ctx, next) => {
    await next();
    const { body, res } = ctx;
    if (ctx.respond === false || ctx.method === 'HEAD') return;
    answers.watch(res);
    const party = partyOf(ctx);
    if (body instanceof Readable && party !== null) answers.hold(res, party, pieceBytes);
  };
}

/** Creates the slots for requests that send through a provider API. */
function submissionSlots(metrics: Services['metrics']): FairLimiter {
  return createFairLimiter({
    places: limits.submissions.atOnce,
    placesPerKey: limits.submissions.atOncePerUser,
    waitingPerKey: limits.submissions.waiting,
    onFull: () => metrics.limitReached('submissions.waiting'),
  });
}

/** Checks whether an unread body may be so long that closing the connection is better than receiving the body. */
function mayBeLong(headers: IncomingHttpHeaders): boolean {
  const { 'transfer-encoding': transfer, 'content-length': length } = headers;
  return transfer !== undefined || Number(length ?? 0) > limits.http.bodyBytes;
}

/** Returns a function that closes connections without any bytes, such as a browser opens in advance. Node counts them as busy. */
function unusedConnections(server: Server): () => void {
  const open = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  return () => {
    for (const socket of open) if (socket.bytesRead === 0) socket.destroy();
  };
}

async function closeServer(server: Server, closeUnused: () => void): Promise<void> {
  if (!server.listening) return;
  // Connections that were busy when the server closed stay open unless they are closed explicitly.
  const sweep = setInterval(() => server.closeIdleConnections(), 50);
  const unused = setTimeout(closeUnused, firstBytesMs);
  const deadline = setTimeout(() => server.closeAllConnections(), finishWithinMs);
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
  });
  clearInterval(sweep);
  clearTimeout(unused);
  clearTimeout(deadline);
}
