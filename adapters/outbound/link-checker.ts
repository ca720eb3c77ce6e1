import { BlockList, isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { DnsError, type Resolver } from '#adapters/dns/dns.ts';
import { TooMany } from '#core/errors.ts';
import { type LinkChecker, type LinkResult, reasonNotRequested } from '#core/extraction/check-links.ts';
import type { Id } from '#core/ids.ts';
import { limits } from '#core/limits.ts';
import { createFairLimiter, type FairLimiter } from '#gate/fair-limiter.ts';
import { Slots } from '#gate/slots.ts';
import type { Metrics } from '#telemetry/metrics.ts';
import { type Head, hostOf, LinkFault, portOf, requestHead, sentenceOf } from './request-head.ts';

/** Addresses that may be requested: all public ones if `isPublic` is set, and those in `networks`. */
type Reach = { isPublic: boolean; networks: BlockList };

/** IPv6 block that contains all global unicast addresses that IANA has allocated (RFC 4291 section 2.4). */
const globalUnicast = new BlockList();
globalUnicast.addSubnet('2000::', 3, 'ipv6');

/** Public addresses at which a cloud answers only its own machines: Azure's. */
const ofClouds = new Set(['168.63.129.16']);

/**
 * Checks whether an IP address may be requested. An address is public if no IANA registry assigns it another use: ranges whose addresses
 * contain an IPv4 address (mapped, NAT64, 6to4, Teredo) are never public, whatever that IPv4 address is.
 */
export function mayReach({ isPublic, networks }: Reach, address: string): boolean {
  const parsed = ipaddr.parse(address);
  const kind = parsed.kind();
  if (networks.check(address, kind)) return true;
  if (!isPublic || parsed.range() !== 'unicast' || ofClouds.has(address)) return false;
  return kind === 'ipv4' || globalUnicast.check(address, kind);
}

type Options = Reach & {
  resolver: Pick<Resolver, 'resolve'>;
  limitReached: Metrics['limitReached'];
  linkMs?: number;
};

/** Ports that may be requested at public hosts. Hosts in the configured networks allow any port. */
const publicPorts = [80, 443];

const { redirects: mostRedirects, checkMs, checks, atOnce, atOncePerUser } = limits.outbound;

/**
 * Requests links: HEAD, then GET if that fails. Checks each redirect like the link itself. Connects only to the address that was checked.
 * Users take turns.
 */
export function createLinkChecker({
  resolver,
  limitReached,
  linkMs = limits.outbound.linkMs,
  ...reach
}: Options): LinkChecker {
  const slots = new Slots<Id>(checks);
  const hosts = new HostTurns();
  const ofUser = createFairLimiter({ placesPerKey: atOncePerUser });
  const inTurn = createFairLimiter({ places: atOnce });

  /** Finds a host's address. All of its DNS addresses must be allowed, so the result does not depend on which one is chosen. */
  async function addressOf(url: URL, waitMs: number): Promise<string> {
    const host = hostOf(url);
    const found =
      isIP(host) > 0 ? [host] : host === 'localhost' ? ['127.0.0.1'] : await resolve(host, waitMs);
    const [first] = found;
    // Names that do not exist get the same sentence as forbidden ones, because internal host names must stay private.
    if (first === undefined || !found.every((address) => mayReach(reach, address)))
      throw new LinkFault("Not requested: the settings allow none of its host's addresses");
    const inside = { ...reach, isPublic: false };
    if (!publicPorts.includes(portOf(url)) && !found.every((address) => mayReach(inside, address)))
      throw new LinkFault(`Not requested: port ${portOf(url)} is not allowed`);
    return first;
  }

  async function resolve(host: string, waitMs: number): Promise<string[]> {
    const types = ['A', 'AAAA'] as const;
    const answers = await Promise.allSettled(types.map((type) => resolver.resolve(host, type, waitMs)));
    const failed = answers.find(({ status, ...rest }) => status === 'rejected' && isTemporary(rest));
    const found = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    if (found.length === 0 && failed !== undefined)
      throw new LinkFault('The DNS lookup for its host received no answer');
    return found;
  }

  async function request(url: URL, leftMs: number, signal: AbortSignal): Promise<Head> {
    const timeout = AbortSignal.timeout(Math.max(1, leftMs));
    const either = AbortSignal.any([signal, timeout]);
    // Ends the wait and frees the place even if the connection or the DNS query never settles.
    const late = new Promise<never>((_, reject) => {
      either.addEventListener('abort', () => reject(either.reason), { once: true });
    });
    const ask = async (): Promise<Head> => {
      const address = await addressOf(url, leftMs);
      const head = await requestHead(url, address, 'HEAD', either).catch((error) => {
        // Some servers do not support HEAD.
        if (either.aborted || !/^(?:ECONNRESET|HPE_\w+)$/.test(error.code)) throw error;
        return null;
      });
      return head !== null && head.status < 400 ? head : await requestHead(url, address, 'GET', either);
    };
    try {
      either.throwIfAborted();
      return await Promise.race([ask(), late]);
    } catch (error) {
      if (!timeout.aborted || signal.aborted) throw error;
      limitReached('outbound.linkMs');
      throw new LinkFault(`No response within ${linkMs / 1000} s`);
    }
  }

  async function follow(user: Id, link: string, until: number, signal: AbortSignal): Promise<LinkResult> {
    const result: LinkResult = { status: null, error: null, redirects: 0, ms: 0 };
    const ask = async (url: URL): Promise<Head> => {
      signal.throwIfAborted();
      if (performance.now() > until) {
        limitReached('outbound.checkMs');
        throw new LinkFault('Not requested: the check took too long');
      }
      const begun = performance.now();
      return request(url, linkMs - result.ms, signal).finally(() => {
        result.ms += Math.round(performance.now() - begun);
      });
    };
    try {
      for (let url = new URL(link); ; result.redirects += 1) {
        requireWeb(url);
        // A request that waits for its user's other requests takes no place at its host, so other users can use the place.
        const head = await ofUser(String(user), () =>
          hosts.inTurn(hostOf(url), user, () => inTurn(String(user), () => ask(url))),
        );
        result.status = head.status;
        const next = redirectOf(head, url);
        if (next === null) return result;
        if (result.redirects >= mostRedirects) throw new LinkFault(`More than ${mostRedirects} redirects`);
        requireWeb(next);
        const why = reasonNotRequested(next.href, { kind: 'other', text: '' });
        if (why !== null) throw new LinkFault(`It redirects to a link that might perform an action. ${why}`);
        url = next;
      }
    } catch (error) {
      signal.throwIfAborted();
      return { ...result, error: sentenceOf(error) };
    }
  }

  return {
    async check(user, urls, signal) {
      const leave = slots.take(user);
      if (leave === null) {
        limitReached('outbound.checks');
        throw new TooMany(`At most ${checks} link checks can run at the same time`, 1000);
      }
      try {
        const until = performance.now() + checkMs;
        return await Promise.all(urls.map((url) => follow(user, url, until, signal)));
      } finally {
        leave();
      }
    },
  };
}

/** Turns of requests to each host: a few at a time, with users in turn. */
class HostTurns {
  /** Hosts with current requests, and the number of these requests. */
  readonly #hosts = new Map<string, { limiter: FairLimiter; requests: number }>();

  async inTurn<T>(host: string, user: Id, work: () => Promise<T>): Promise<T> {
    const known = this.#hosts.get(host);
    const turns = known ?? {
      limiter: createFairLimiter({ places: limits.outbound.atOncePerHost }),
      requests: 0,
    };
    this.#hosts.set(host, turns);
    turns.requests += 1;
    try {
      return await turns.limiter(String(user), work);
    } finally {
      turns.requests -= 1;
      if (turns.requests === 0) this.#hosts.delete(host);
    }
  }
}

function isTemporary(answer: object): boolean {
  const reason: unknown = 'reason' in answer ? answer.reason : null;
  return !(reason instanceof DnsError) || !['ENOTFOUND', 'ENODATA', 'EBADNAME'].includes(reason.code);
}

function requireWeb(url: URL): void {
  if (!/^https?:$/.test(url.protocol)) throw new LinkFault('It redirects to a URL that is not a web link');
}

/** Returns a redirect's target (RFC 9110 section 15.4). Null for an answer that is not a redirect. */
function redirectOf({ status, location }: Head, from: URL): URL | null {
  if (![301, 302, 303, 307, 308].includes(status) || location === null) return null;
  if (!URL.canParse(location, from.href)) throw new LinkFault('It redirects to an invalid link');
  return new URL(location, from.href);
}
