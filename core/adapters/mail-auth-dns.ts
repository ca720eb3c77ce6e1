import type { DNSResolver } from 'mailauth';
import { DnsError, type Resolver } from './dns.ts';
import { type DnsType, readRecords } from './dns-wire.ts';

/** RFC 7208 section 11.1: a hostile record must not make a verifier attack others by its questions. */
const mostQuestions = 40;

/**
 * The DNS of one message in the form that mailauth asks for: all of its questions together may be waited for
 * `budgetMs`, however they overlap; after that, and past 40 questions, each fails with ETIMEOUT at once.
 */
export function createDnsBudget(resolver: Resolver, budgetMs: number): DNSResolver {
  let questions = 0;
  let waiting = 0;
  let since = 0;
  let left = budgetMs;
  const ask = async (name: string, type: string) => {
    if (!isDnsType(type)) throw new DnsError('ENODATA', `${type} is not asked for`);
    if (++questions > mostQuestions) throw new DnsError('ETIMEOUT', 'too many DNS questions for one message');
    if (waiting++ === 0) since = performance.now();
    try {
      const waitMs = left - (performance.now() - since);
      if (waitMs <= 0) throw new DnsError('ETIMEOUT', 'the time for DNS is used up');
      return await resolver.resolve(name, type, waitMs);
    } finally {
      if (--waiting === 0) left -= performance.now() - since;
    }
  };
  // Its type knows no MX, though it asks for them.
  return ask as DNSResolver;
}

function isDnsType(type: string): type is DnsType {
  return Object.hasOwn(readRecords, type);
}
