import { getServers } from 'node:dns';
import type { MxAnswer, MxResolver } from '#core/domains/mx-answer.ts';
import { createDnsCache } from './cache.ts';
import { createUpstream, type Upstream } from './upstream.ts';
import {
  type DnsQuestion,
  type DnsRecords,
  type DnsReply,
  type DnsType,
  isAskable,
  readRecords,
} from './wire.ts';

export type Resolver = MxResolver & {
  /** Records of an absolute name, from the cache where it has them. Throws DnsError, ETIMEOUT after `waitMs` at the latest. */
  resolve<T extends DnsType>(name: string, type: T, waitMs?: number): Promise<DnsRecords[T]>;
};

/** The codes that node:dns uses: ENOTFOUND and ENODATA are definite, EBADNAME is no name, all others are trouble. */
export type DnsErrorCode =
  | 'ENOTFOUND'
  | 'ENODATA'
  | 'EBADNAME'
  | 'ESERVFAIL'
  | 'EREFUSED'
  | 'EBADRESP'
  | 'ETIMEOUT';

export class DnsError extends Error {
  override name = 'DnsError';
  readonly code: DnsErrorCode;
  constructor(code: DnsErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

const cacheOctets = 4 * 1024 * 1024;
const longestTtlMs = 3 * 3600_000;
const longestNegativeMs = 300_000;
/** RFC 9520 section 3.2: that a name cannot be resolved is remembered for a short time too. */
const troubleMs = 5000;
const tryMs = 2000;

/** A reply and the error that everybody who asked is thrown: one for all, for its stack costs more than a cached answer. */
type Outcome = { reply: Settled; error: DnsError | null };
type Settled = Exclude<DnsReply, { kind: 'truncated' }> | { kind: 'silent'; alive: boolean };

/**
 * Asks `servers` (`host:port`; none: the system's) in their order: a question goes to a second server, or again to an
 * only one that is slow, when the first gives no answer in 2 s; `timeoutMs` bounds all tries of one question. Answers are
 * cached by their TTL, a question that is under way is not asked twice, and a server that is down is left alone for 5 s.
 */
export function createResolver({
  servers,
  timeoutMs,
  now = () => performance.now(),
}: {
  servers: string[];
  timeoutMs: number;
  now?: () => number;
}): Resolver {
  const upstreams = (servers.length > 0 ? servers : getServers()).map((server) =>
    createUpstream(server, now),
  );
  const cache = createDnsCache<Outcome>(cacheOctets, now);
  const underWay = new Map<string, Promise<Outcome>>();

  function ask(question: DnsQuestion): Promise<Outcome> {
    const key = `${question.type} ${question.name}`;
    const shared = underWay.get(key);
    if (shared !== undefined) return shared;
    const asked = askInTurn(upstreams, question, now() + timeoutMs, now)
      .then((reply) => {
        const outcome = { reply, error: reply.kind === 'found' ? null : failure(reply, question) };
        cache.set(key, outcome, lifetimeMs(reply), 'octets' in reply ? reply.octets : 0);
        return outcome;
      })
      .finally(() => underWay.delete(key));
    underWay.set(key, asked);
    return asked;
  }

  return {
    async resolve(name, type, waitMs) {
      const question = { name: normalize(name), type };
      if (!isAskable(question.name)) throw new DnsError('EBADNAME', `${name} is not a DNS name`);
      const outcome = cache.get(`${type} ${question.name}`) ?? (await within(ask(question), waitMs));
      const { reply, error } = outcome;
      if (reply.kind === 'found') return readRecords[type](reply.records);
      throw error;
    },

    async resolveMx(domain) {
      const question = { name: normalize(domain), type: 'MX' } as const;
      if (!isAskable(question.name)) return { kind: 'none', detail: `${domain} is not a DNS name` };
      // Not from the cache: a check counts what the DNS says now.
      return toMxAnswer((await ask(question)).reply, question.name);
    },
  };
}

async function askInTurn(
  upstreams: Upstream[],
  question: DnsQuestion,
  deadline: number,
  now: () => number,
): Promise<Settled> {
  const tried = new Set<Upstream>();
  let last: Settled = { kind: 'silent', alive: false };
  for (let tries = 0; tries < 2; tries++) {
    const up = upstreams.filter((upstream) => upstream.isUp());
    const again: Upstream | undefined = last.kind === 'silent' ? up[0] : undefined;
    const next: Upstream | undefined = up.find((upstream) => !tried.has(upstream)) ?? again;
    const ms = Math.min(tryMs, deadline - now());
    if (next === undefined || ms <= 0) break;
    tried.add(next);
    const { reply, alive } = await next.ask(question, ms);
    if (reply?.kind === 'found' || reply?.kind === 'none') return reply;
    if (reply?.kind === 'trouble') last = reply;
    else if (last.kind === 'silent') last = { kind: 'silent', alive: last.alive || alive };
  }
  return last;
}

function lifetimeMs(reply: Settled): number {
  if (reply.kind === 'found') return Math.min(reply.ttl * 1000, longestTtlMs);
  if (reply.kind === 'none') return Math.min(reply.ttl * 1000, longestNegativeMs);
  return reply.kind === 'trouble' || reply.alive ? troubleMs : 0;
}

function failure(reply: Exclude<Settled, { kind: 'found' }>, { name, type }: DnsQuestion): DnsError {
  if (reply.kind === 'silent') return new DnsError('ETIMEOUT', `no answer to ${name} ${type}`);
  if (reply.kind === 'trouble')
    return new DnsError(reply.code, `${name} ${type}: the server ${reply.detail}`);
  return new DnsError(reply.code, `${name} has no ${type} record`);
}

function toMxAnswer(reply: Settled, name: string): MxAnswer {
  if (reply.kind === 'silent') return { kind: 'unknown', detail: 'no DNS server answered in time' };
  if (reply.kind === 'trouble') return { kind: 'unknown', detail: `the DNS server ${reply.detail}` };
  if (reply.kind === 'none') {
    const what = reply.code === 'ENOTFOUND' ? 'does not exist' : 'has no MX record';
    return { kind: 'none', detail: `${name} ${what}` };
  }
  // RFC 7505: a single MX that points at the root says that the domain takes no mail.
  const hosts = readRecords.MX(reply.records).filter(({ exchange }) => exchange !== '');
  return hosts.length > 0
    ? { kind: 'hosts', hosts: hosts.sort((a, b) => a.priority - b.priority) }
    : { kind: 'none', detail: `${name} takes no mail (null MX)` };
}

function normalize(name: string): string {
  return name.toLowerCase().replace(/\.$/, '');
}

function within<T>(promise: Promise<T>, ms: number | undefined): Promise<T> {
  if (ms === undefined) return promise;
  return new Promise((resolve, reject) => {
    const late = () => reject(new DnsError('ETIMEOUT', 'the time for DNS is used up'));
    const timer = setTimeout(late, ms);
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
