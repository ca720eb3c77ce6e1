import type { DNSResolver } from 'mailauth';
import { DnsError, type Resolver } from '#adapters/dns/dns.ts';
import { type DnsType, readRecords } from '#adapters/dns/upstream.ts';
import { processorMs } from '#adapters/threads/processor-time.ts';
import { type LimitName, limits } from '#core/limits.ts';

/**
 * Processor time of one email's checks: the lesser of two times that are cheap to read. The first runs from each `mark` to the end of
 * that turn of the event loop, and may include the thread's waits for a processor. The second is the thread's processor time since the
 * email started, and may include work on other mail. Both are at least what the checks took.
 */
export class CheckBudget {
  readonly reached = new Set<LimitName>();
  readonly #limitMs: number;
  readonly #begun = processorMs();
  #elapsedMs = 0;
  #since: number | null = null;

  constructor(limitMs: number) {
    this.#limitMs = limitMs;
  }

  /** Records that work starts in this turn of the event loop. */
  mark(): void {
    if (this.#since !== null) return;
    this.#since = performance.now();
    setImmediate(() => {
      if (this.#since !== null) this.#elapsedMs += performance.now() - this.#since;
      this.#since = null;
    });
  }

  get exhausted(): boolean {
    const running = this.#since === null ? 0 : performance.now() - this.#since;
    return this.#elapsedMs + running > this.#limitMs && processorMs() - this.#begun > this.#limitMs;
  }
}

/**
 * Creates one message's DNS resolver, in the form that mailauth requires. `dnsMs` bounds the time for which queries wait, counting
 * overlaps once. After that time, after `dnsQuestions` queries (RFC 7208 section 11.1), or once the checks' processor time is used up, a
 * query immediately fails with ETIMEOUT.
 */
export function createDnsBudget(resolver: Pick<Resolver, 'resolve'>, checks: CheckBudget): DNSResolver {
  let questions = 0;
  let waiting = 0;
  let since = 0;
  let left = limits.mail.dnsMs;
  const ask = async (name: string, type: string) => {
    if (!isDnsType(type)) throw new DnsError('ENODATA', `Sandpost does not look up ${type} records`);
    if (++questions > limits.mail.dnsQuestions) {
      checks.reached.add('mail.dnsQuestions');
      throw new DnsError('ETIMEOUT', 'too many DNS lookups for one message');
    }
    if (checks.exhausted) throw new DnsError('ETIMEOUT', 'the checks took too long');
    if (waiting++ === 0) since = performance.now();
    try {
      const waitMs = left - (performance.now() - since);
      if (waitMs <= 0) throw new DnsError('ETIMEOUT', 'the DNS lookups timed out');
      const records = await resolver.resolve(name, type, waitMs);
      if (type !== 'TXT') return records;
      const short = (records as string[][]).filter(isShort);
      if (short.length < records.length) checks.reached.add('mail.dnsTextBytes');
      return short;
    } catch (error) {
      // Timers may end slightly early.
      if (performance.now() - since > left - 10) checks.reached.add('mail.dnsMs');
      throw error;
    } finally {
      if (--waiting === 0) left -= performance.now() - since;
      // Counts the work that follows the answer.
      checks.mark();
    }
  };
  // mailauth queries MX records, which its resolver type lacks.
  return ask as DNSResolver;
}

function isDnsType(type: string): type is DnsType {
  return Object.hasOwn(readRecords, type);
}

/** Checks whether a record is within the limit. mailauth takes quadratic time for a record's white space. No key or policy is longer. */
function isShort(texts: string[]): boolean {
  return texts.reduce((sum, text) => sum + text.length, 0) <= limits.mail.dnsTextBytes;
}
