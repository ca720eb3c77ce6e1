import { type BlockList, isIP } from 'node:net';
import type { Handler } from '#api/context.ts';

/** Sets `ctx.ip`: `X-Forwarded-For` is believed as far as trusted proxies wrote it. */
export function clientAddress(trusted: BlockList | null): Handler {
  return async (ctx, next) => {
    ctx.request.ip = addressOf(ctx.req.socket.remoteAddress ?? '', ctx.get('x-forwarded-for'), trusted);
    await next();
  };
}

/** The rightmost address that no trusted proxy has; what is left of it could be anybody's invention. */
export function addressOf(peer: string, forwardedFor: string, trusted: BlockList | null): string {
  const hops = forwardedFor === '' ? [] : forwardedFor.split(',').map((hop) => plain(hop.trim()));
  let address = plain(peer);
  while (trusted !== null && isIP(address) !== 0 && isTrusted(address, trusted)) {
    const before = hops.pop();
    if (before === undefined || isIP(before) === 0) break;
    address = before;
  }
  return address;
}

function isTrusted(address: string, trusted: BlockList): boolean {
  return trusted.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
}

/** An IPv4 address as such: a dual-stack socket shows it as ::ffff:192.0.2.1 (RFC 4291 section 2.5.5.2). */
function plain(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address);
  return mapped?.[1] ?? address;
}
