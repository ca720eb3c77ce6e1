import { randomUUID } from 'node:crypto';
import { type BlockList, isIP } from 'node:net';
import type { Ctx, Handler } from '#api/context.ts';
import { malformed } from '#api/shapes/problem.ts';
import { Unauthenticated } from '#core/errors.ts';
import type { Services } from '#setup/services.ts';
import { programVersion } from '#telemetry/program-version.ts';
import { localOnly, namesThisMachine } from './session-cookie.ts';

const wellFormed = /^[A-Za-z0-9._:-]{1,128}$/;

/**
 * Records a request's arrival time and client address, creates its reader, and assigns its id: a well-formed `X-Request-Id`, or else a
 * new id. Measures and logs the request up to the head of its response.
 */
export function arrival(services: Pick<Services, 'store' | 'config' | 'log' | 'metrics'>): Handler {
  const addressOfClient = clientAddress(services);
  return async (ctx, next) => {
    ctx.state.arrivedAt = performance.now();
    ctx.state.reader = services.store.reader();
    const given = ctx.get('x-request-id');
    ctx.state.requestId = wellFormed.test(given) ? given : randomUUID();
    ctx.state.route = 'none';
    ctx.state.caller = null;
    ctx.set({ 'X-Request-Id': ctx.state.requestId, 'Sandpost-Version': programVersion });
    ctx.request.ip = addressOfClient(ctx);
    await next();
    logAccess(services, ctx);
  };
}

/** Logs a request: reads at level debug, changes and failures (5xx) at level info. */
function logAccess({ log, metrics }: Pick<Services, 'log' | 'metrics'>, ctx: Ctx): void {
  const ms = performance.now() - ctx.state.arrivedAt;
  const { method, status } = ctx;
  const { route, requestId, caller } = ctx.state;
  metrics.httpRequests.observe({ method, route, status }, ms / 1000);
  const quiet = status < 500 && (method === 'GET' || method === 'HEAD');
  log[quiet ? 'debug' : 'info'](
    {
      event: 'http.request',
      method,
      route,
      status,
      ms: Math.round(ms * 10) / 10,
      user: caller?.userId,
      request_id: requestId,
    },
    `${method} ${route} ${status}`,
  );
}

/** Browsers that have seen an https base URL use only https for a year (RFC 6797). Other hosts in the domain are not affected. */
const strictTransport = 'max-age=31536000';

/**
 * Checks a request's head. Sets headers that keep responses from loading anything, from being framed, and from being sniffed as
 * another type. Pages set their own policy.
 *
 * If there is a visitor, refuses every path on a foreign Host, including pages and public routes, because a page that uses DNS
 * rebinding must not learn that Sandpost runs here.
 */
export function checkHead({
  config,
  visitor,
  isOwnHost,
}: Pick<Services, 'config' | 'visitor' | 'isOwnHost'>): Handler {
  const headers = {
    'X-Content-Type-Options': 'nosniff',
    'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
    'Referrer-Policy': 'no-referrer',
    'Cross-Origin-Resource-Policy': 'same-origin',
    ...(config.baseUrl.startsWith('https:') ? { 'Strict-Transport-Security': strictTransport } : {}),
  };
  return (ctx, next) => {
    if (visitor !== null && !namesThisMachine(ctx.get('host'), isOwnHost))
      throw new Unauthenticated(localOnly(isOwnHost));
    ctx.set(headers);
    requireWellFormed(ctx);
    return next();
  };
}

/** Refuses a request that has no Host or several (RFC 9112 section 3.2), or whose target is not a URL. */
function requireWellFormed(ctx: Ctx): void {
  const { httpVersion, headers, rawHeaders } = ctx.req;
  if (httpVersion === '1.1' && headers.host === undefined) throw malformed('The Host header is missing');
  // Node's parsed headers contain only the first Host.
  const hosts = rawHeaders.filter((name, index) => index % 2 === 0 && /^host$/i.test(name));
  if (hosts.length > 1) throw malformed('The Host header is repeated');
  try {
    ctx.path satisfies string;
  } catch {
    throw malformed('The request target is not a URL');
  }
}

const warnEveryMs = 60_000;

/**
 * Returns a function that reads clients' addresses. The function trusts the parts of `X-Forwarded-For` that trusted proxies wrote. It
 * counts requests with the header from other peers and logs one a minute, because all clients behind an untrusted proxy share one address
 * and its limits.
 */
function clientAddress({
  config: { trustedProxies },
  log,
  metrics,
}: Pick<Services, 'config' | 'log' | 'metrics'>): (ctx: Ctx) => string {
  let warnedAt = Number.NEGATIVE_INFINITY;
  const warn = (peer: string) => {
    metrics.untrustedForwards.inc();
    if (performance.now() - warnedAt < warnEveryMs) return;
    warnedAt = performance.now();
    log.warn(
      { event: 'http.untrusted-proxy', peer },
      'ignored X-Forwarded-For from an untrusted peer, so all clients behind the peer share its address and limits; if the peer is your proxy, add it to SANDPOST_TRUSTED_PROXIES',
    );
  };
  return (ctx) => {
    const peer = plain(ctx.req.socket.remoteAddress ?? '');
    const forwardedFor = ctx.get('x-forwarded-for');
    if (forwardedFor !== '' && !isTrusted(peer, trustedProxies)) warn(peer);
    return addressOf(peer, forwardedFor, trustedProxies);
  };
}

/** Returns the rightmost address that does not belong to a trusted proxy. Entries to its left may be forged. */
export function addressOf(peer: string, forwardedFor: string, trusted: BlockList | null): string {
  const hops = forwardedFor === '' ? [] : forwardedFor.split(',').map((hop) => plain(hop.trim()));
  let address = plain(peer);
  while (isTrusted(address, trusted)) {
    const before = hops.pop();
    if (before === undefined || isIP(before) === 0) break;
    address = before;
  }
  return address;
}

export function isTrusted(address: string, trusted: BlockList | null): boolean {
  if (trusted === null || isIP(address) === 0) return false;
  return trusted.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
}

/** Returns an IPv4 address in dotted form: a dual-stack socket shows it as ::ffff:192.0.2.1 (RFC 4291 section 2.5.5.2). */
function plain(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address);
  return mapped?.[1] ?? address;
}
