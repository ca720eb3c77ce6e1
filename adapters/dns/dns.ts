import { getServers } from 'node:dns';
import type { MxAnswer, MxResolver } from '#core/domains/verdict.ts';
import {
  createUpstream,
  type DnsQuestion,
  type DnsRecords,
  type DnsReply,
  type DnsType,
  isQueryable,
  readRecords,
  troubleSeconds,
  type Upstream,
} from './upstream.ts';

export type Resolver = MxResolver & {
  /** Returns the records of an absolute name, cached or queried. Throws DnsError: ETIMEOUT after `waitMs` at the latest. */
  resolve<T extends DnsType>(name: string, type: T, waitMs?: number): Promise<DnsRecords[T]>;
};

/** Codes of node:dns. ENOTFOUND and ENODATA are definite, EBADNAME is an invalid name, and the others are temporary. */
type DnsErrorCode = Extract<DnsReply, { code: string }>['code'] | 'EBADNAME' | 'ETIMEOUT';

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
/** Timeouts for a server if another one follows, and for the last one. */
const tryMs = 2000;
const lastTryMs = 4000;

/** Reply with its error, which all callers share: a stack trace costs more than a cached answer. */
type Outcome = { reply: Settled; error: DnsError | null };
type Settled = Exclude<DnsReply, { kind: 'truncated' }> | { kind: 'silent'; alive: boolean };

/**
 * Queries `servers` (`host:port`; empty: the system's) in order. Queries the second server after 2 s without an answer; `timeoutMs`
 * bounds both attempts. Caches answers by their TTL, combines equal concurrent queries, and skips a server that is down for 5 s.
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
  const pending = new Map<string, Promise<Outcome>>();

  function query(question: DnsQuestion): Promise<Outcome> {
    const key = `${question.type} ${question.name}`;
    const shared = pending.get(key);
    if (shared !== undefined) return shared;
    const outcome = queryServers(upstreams, question, now() + timeoutMs, now)
      .then((reply) => {
        const settled = { reply, error: reply.kind === 'found' ? null : failure(reply, question) };
        cache.set(key, settled, lifetimeMs(reply), 'octets' in reply ? reply.octets : 0);
        return settled;
      })
      .finally(() => pending.delete(key));
    pending.set(key, outcome);
    return outcome;
  }

  return {
    async resolve(name, type, waitMs) {
      const question = { name: normalize(name), type };
      const cached = cache.get(`${type} ${question.name}`);
      // No invalid name is in the cache.
      if (cached === undefined && !isQueryable(question.name))
        throw new DnsError('EBADNAME', `${name} is not a valid DNS name`);
      const outcome = cached ?? (await within(query(question), waitMs));
      const { reply, error } = outcome;
      if (reply.kind === 'found') return readRecords[type](reply.records);
      throw error;
    },

    async resolveMx(domain) {
      const question = { name: normalize(domain), type: 'MX' } as const;
      if (!isQueryable(question.name)) return { kind: 'none', detail: `${domain} is not a valid DNS name` };
      // Bypasses the cache because a check needs the current answer.
      return toMxAnswer((await query(question)).reply, question.name);
    },
  };
}

/** Tries up to two servers until one returns a definite answer. */
async function queryServers(
  upstreams: Upstream[],
  question: DnsQuestion,
  deadline: number,
  now: () => number,
): Promise<Settled> {
  const tried = new Set<Upstream>();
  let last: Settled = { kind: 'silent', alive: false };
  while (tried.size < 2) {
    const [next, other] = upstreams.filter((upstream) => upstream.isUp() && !tried.has(upstream));
    const ms = Math.min(other === undefined ? lastTryMs : tryMs, deadline - now());
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
  return reply.kind === 'trouble' || reply.alive ? troubleSeconds * 1000 : 0;
}

function failure(reply: Exclude<Settled, { kind: 'found' }>, { name, type }: DnsQuestion): DnsError {
  if (reply.kind === 'silent') return new DnsError('ETIMEOUT', `no answer to the query for ${name} ${type}`);
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
  // An MX that points to the root declares that the domain accepts no mail (RFC 7505).
  const hosts = readRecords.MX(reply.records).filter(({ exchange }) => exchange !== '');
  return hosts.length > 0
    ? { kind: 'hosts', hosts: hosts.sort((a, b) => a.priority - b.priority) }
    : { kind: 'none', detail: `${name} does not accept mail (null MX)` };
}

function normalize(name: string): string {
  const lower = name.toLowerCase();
  return lower.endsWith('.') ? lower.slice(0, -1) : lower;
}

function within<T>(promise: Promise<T>, ms: number | undefined): Promise<T> {
  if (ms === undefined) return promise;
  return new Promise((resolve, reject) => {
    const late = () => reject(new DnsError('ETIMEOUT', 'the DNS lookups timed out'));
    const timer = setTimeout(late, ms);
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/** Estimated memory of an entry in addition to its value. */
const entryOctets = 200;

/** LRU cache with a lifetime for each entry and a memory bound. `now` is a monotonic clock in ms. */
export function createDnsCache<T>(maxOctets: number, now: () => number) {
  type Entry = { value: T; until: number; octets: number };
  const entries = new Map<string, Entry>();
  let total = 0;

  function add(key: string, entry: Entry): void {
    total += entry.octets;
    entries.set(key, entry);
  }

  function remove(key: string): void {
    total -= entries.get(key)?.octets ?? 0;
    entries.delete(key);
  }

  return {
    get(key: string): T | undefined {
      const entry = entries.get(key);
      if (entry === undefined) return undefined;
      remove(key);
      if (entry.until <= now()) return undefined;
      // Moves the entry to the end of the map's order, because eviction starts with the first entries.
      add(key, entry);
      return entry.value;
    },
    /** Stores a value of about `valueOctets`. A lifetime of 0 stores nothing. */
    set(key: string, value: T, lifetimeMs: number, valueOctets: number): void {
      remove(key);
      const octets = entryOctets + valueOctets;
      if (lifetimeMs <= 0 || octets > maxOctets) return;
      add(key, { value, until: now() + lifetimeMs, octets });
      for (const oldest of entries.keys()) {
        if (total <= maxOctets) break;
        remove(oldest);
      }
    },
  };
}
