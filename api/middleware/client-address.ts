import { type BlockList, isIP } from 'node:net';
import type { Handler } from '#api/context.ts';
import type { Services } from '#setup/services.ts';

const warnEveryMs = 60_000;

/**
 * Sets `ctx.ip`. Believes `X-Forwarded-For` as far as trusted proxies wrote it. Counts the header from other peers, and logs
 * it once a minute: behind a proxy that is not trusted all clients have one address, and share its limits.
 */
export function clientAddress({
  config: { trustedProxies },
  log,
  metrics,
}: Pick<Services, 'config' | 'log' | 'metrics'>): Handler {
  let warnedAt = Number.NEGATIVE_INFINITY;
  const warn = (peer: string) => {
    metrics.untrustedForwards.inc();
    if (performance.now() - warnedAt < warnEveryMs) return;
    warnedAt = performance.now();
    log.warn(
      { event: 'http.untrusted-proxy', peer },
      'X-Forwarded-For of an untrusted peer is ignored; its clients share one address and its limits; add the peer to SANDPOST_TRUSTED_PROXIES if it is your proxy',
    );
  };
  return (ctx, next) => {
    const peer = plain(ctx.req.socket.remoteAddress ?? '');
    const forwardedFor = ctx.get('x-forwarded-for');
    if (forwardedFor !== '' && !isTrusted(peer, trustedProxies)) warn(peer);
    ctx.request.ip = addressOf(peer, forwardedFor, trustedProxies);
    return next();
  };
}

/** Returns the rightmost address that is not of a trusted proxy. Entries to the left of it may be forged. */
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

/** Returns an IPv4 address in its own form: a dual-stack socket shows it as ::ffff:192.0.2.1 (RFC 4291 section 2.5.5.2). */
function plain(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address);
  return mapped?.[1] ?? address;
}
