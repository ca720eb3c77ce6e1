import { isIP } from 'node:net';
import type { DNSResolver } from 'mailauth';
import { arc } from 'mailauth/lib/arc/index.js';
import { evaluateDmarc } from 'mailauth/lib/dmarc/index.js';
import { createResolver } from '#adapters/dns/dns.ts';
import type { AuditFacts } from '#core/audit/facts.ts';
import { limits } from '#core/limits.ts';
import type { Authentication } from '#core/messages/content.ts';
import type { Arrival } from '#core/messages/examine.ts';
import { assume } from './assumed-records.ts';
import { CheckBudget, createDnsBudget } from './budget.ts';
import { readVerifiable, verifySignatures } from './dkim.ts';
import { headerText, type Judged, judgeArc, judgeDmarc, judgeSignature, judgeSpf } from './results.ts';
import { verifySpf } from './spf.ts';

export type Authenticated = { authentication: Authentication; signatures: AuditFacts['signatures'] };

export type Authenticator = {
  /**
   * Checks one message. `source` is the message as received. Throws only what `source` throws. A DNS failure is a temperror, as
   * is a check that exceeds the budget.
   */
  authenticate(
    source: Uint8Array | AsyncIterable<Uint8Array>,
    arrival: Arrival,
    budget?: CheckBudget,
  ): Promise<Authenticated>;
};

/**
 * Creates the checks of SPF (RFC 7208), DKIM (RFC 6376, 8301), ARC (RFC 8617) and DMARC (RFC 9989), strictly by these RFCs. `dnsServers`
 * are `host:port`; an empty list means the system's servers. Does not check mail sent through the API. A message's field is trusted only
 * if it is verified.
 */
export function createAuthenticator({ dnsServers }: { dnsServers: string[] }): Authenticator {
  const resolver = createResolver({ servers: dnsServers, timeoutMs: limits.mail.dnsMs });
  return {
    async authenticate(source, arrival, budget = new CheckBudget(limits.mail.signatureMs)) {
      if (arrival.submitted) return unchecked(arrival);
      const { assumed } = arrival;
      const ask = createDnsBudget(assumed === undefined ? resolver : assume(assumed, resolver), budget);
      const [sender, signed] = await Promise.all([
        checkSpf(ask, arrival),
        checkSigned(ask, source, arrival, budget),
      ]);
      return conclude(ask, arrival, sender, signed);
    },
  };
}

const strict = true;
const noSpf = { result: 'none', domain: null, explanation: null } as const;
const noDmarc = { domain: null, policy: null, alignedSpf: false, alignedDkim: false };

function unchecked({ receivedBy }: Arrival): Authenticated {
  const dmarc = { result: 'none', ...noDmarc } as const;
  const header = headerText(receivedBy, ['none']);
  return { authentication: { spf: noSpf, dkim: [], dmarc, arc: { result: 'none' }, header }, signatures: [] };
}

/** Result for a header section designed to exhaust a verifier. Neither its signatures nor its author are checked. */
function refused({ receivedBy }: Arrival, sender: CheckedSender, info: string): Authenticated {
  const dkim = { result: 'policy', domain: null, selector: null, aligned: false, info } as const;
  const dmarc = { result: 'permerror', ...noDmarc } as const;
  const arc = { result: 'permerror' } as const;
  const rows = [`dkim=policy (${info})`, sender.row, 'arc=permerror', 'dmarc=permerror'];
  const header = headerText(receivedBy, rows);
  return {
    authentication: { spf: sender.told, dkim: [dkim], dmarc, arc, header },
    signatures: [{ keyBits: null, algorithm: null, bodyLength: null }],
  };
}

type CheckedSender = Judged<Authentication['spf']>;

async function checkSpf(
  resolver: DNSResolver,
  { mailFrom, helo, remoteAddress, receivedBy, assumedClientIp }: Arrival,
): Promise<CheckedSender> {
  const ip = assumedClientIp ?? remoteAddress;
  if (ip === null || (mailFrom === '' && helo === null)) {
    const missing = ip === null ? 'client address' : 'sender';
    return { row: 'spf=none', told: { ...noSpf, explanation: `no ${missing} is known` } };
  }
  // RFC 5321 section 4.1.3 allows an address instead of a name.
  const name = helo !== null && isIP(helo) > 0 ? `[${helo}]` : (helo ?? '');
  const judged = judgeSpf(
    await verifySpf({ sender: mailFrom, ip, helo: name, mta: receivedBy }, resolver),
    receivedBy,
  );
  if (assumedClientIp === undefined) return judged;
  const { explanation } = judged.told;
  const assumed = `the client address ${ip} is assumed`;
  return {
    ...judged,
    told: { ...judged.told, explanation: explanation ? `${explanation}; ${assumed}` : assumed },
  };
}

async function checkSigned(
  resolver: DNSResolver,
  source: Uint8Array | AsyncIterable<Uint8Array>,
  { mailFrom, remoteAddress, receivedAt }: Arrival,
  budget: CheckBudget,
) {
  const verifiable = await readVerifiable(source);
  if ('refused' in verifiable) {
    budget.reached.add(verifiable.limit);
    return verifiable;
  }
  const options = { resolver, sender: mailFrom, curTime: receivedAt, strict };
  const dkim = await verifySignatures(verifiable, options, budget);
  const ip = remoteAddress === null ? {} : { ip: remoteAddress };
  budget.mark();
  return { dkim, arc: await arc(dkim.arc, { resolver, strict, ...ip }) };
}

async function conclude(
  resolver: DNSResolver,
  arrival: Arrival,
  sender: CheckedSender,
  signed: Awaited<ReturnType<typeof checkSigned>>,
): Promise<Authenticated> {
  if ('refused' in signed) return refused(arrival, sender, signed.refused);
  const { headerFrom, fromFields, results } = signed.dkim;
  const found = results.filter(({ status }) => status.result !== 'none');
  const evaluation = await evaluateDmarc({
    headerFrom,
    fromFields,
    spfDomains: sender.told.result === 'pass' && sender.told.domain !== null ? [sender.told.domain] : [],
    dkimDomains: found
      .filter(({ status }) => status.result === 'pass')
      .map(({ id = '', signingDomain = '', status }) => ({
        id,
        domain: signingDomain,
        aligned: status.aligned ?? false,
        underSized: status.underSized ?? 0,
      })),
    arcResult: signed.arc,
    resolver,
    strict,
  });
  const judged = found.map((signature) => judgeSignature(signature, evaluation));
  const undecided = [sender.told, ...judged.map(({ told }) => told).filter(({ aligned }) => aligned)];
  const dmarc = judgeDmarc(
    evaluation,
    undecided.some(({ result }) => result === 'temperror'),
  );
  const chain = judgeArc(signed.arc);
  const dkimRows = judged.length > 0 ? judged.map(({ row }) => row) : ['dkim=none (message not signed)'];
  return {
    authentication: {
      spf: sender.told,
      dkim: judged.map(({ told }) => told),
      dmarc: dmarc.told,
      arc: chain.told,
      header: headerText(arrival.receivedBy, [...dkimRows, sender.row, chain.row, dmarc.row]),
    },
    signatures: judged.map(({ facts }) => facts),
  };
}
