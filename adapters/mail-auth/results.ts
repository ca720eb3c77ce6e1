import { createPublicKey } from 'node:crypto';
import { domainToASCII } from 'node:url';
import type { ARCResult, DKIMResult } from 'mailauth';
import type { evaluateDmarc } from 'mailauth/lib/dmarc/index.js';
import type { AuditFacts } from '#core/audit/facts.ts';
import { type Authentication, type AuthResult, authResults } from '#core/messages/content.ts';
import type { SpfAnswer } from './spf.ts';

export type DmarcEvaluation = Awaited<ReturnType<typeof evaluateDmarc>>;

/** `resinfo` of Authentication-Results (RFC 8601 section 2.2), and the same result as separate fields. */
export type Judged<T> = { row: string; told: T };

export function judgeSpf(result: SpfAnswer, mta: string): Judged<Authentication['spf']> {
  const comment = result.status.comment?.replace(`${mta}: `, '');
  const explanation = [comment, result.explanation].filter((text) => text !== undefined).join(': ');
  const told = {
    result: word(result.status.result),
    domain: result.domain,
    explanation: explanation || null,
  };
  return { row: result.info, told };
}

export type JudgedSignature = Judged<Authentication['dkim'][number]> & {
  facts: AuditFacts['signatures'][number];
};

/** Judges a signature. A signature past its `x=` fails, since it can never verify again. mailauth reports it as neutral. */
export function judgeSignature(found: DKIMResult, dmarc: DmarcEvaluation): JudgedSignature {
  const { status, signingDomain = '' } = found;
  const result = status.comment === 'expired' ? 'fail' : word(status.result);
  const notes = [
    status.comment,
    status.policy?.['dkim-rules']?.replaceAll('-', ' '),
    status.underSized === undefined
      ? undefined
      : `${status.underSized} octets of the body are not signed (l=)`,
    status.testing === true ? 'the key is in testing mode (t=y)' : undefined,
  ];
  const told = {
    result,
    domain: signingDomain || null,
    selector: found.selector || null,
    aligned: isAligned(found, dmarc),
    info: [...new Set(notes.filter((note) => note !== undefined))].join('; ') || null,
  };
  const facts = {
    keyBits: keyBits(found),
    algorithm: found.algo?.toLowerCase() ?? null,
    bodyLength: found.canonBodyLengthLimit ?? null,
  };
  return { row: withWord(found.info, result), told, facts };
}

/** Judges an ARC chain. A chain is a temperror if DNS did not answer. mailauth reports each chain that it cannot verify as failed. */
export function judgeArc(result: ARCResult): Judged<Authentication['arc']> {
  const { status, signature } = result;
  const ofKey = signature !== undefined && signature !== false && signature.status.result === 'temperror';
  const unknown = status.result === 'fail' && (status.comment === undefined || ofKey);
  const judged = unknown ? 'temperror' : word(status.result);
  return { row: withWord(result.info ?? 'arc=none', judged), told: { result: judged } };
}

/**
 * Judges DMARC. A message without exactly one author domain is not evaluated: the result is none if it has no address at all (RFC 7489
 * section 11.2), and permerror if it has several domains or a broken one (RFC 9989 section 5.3.1). A failure becomes a temperror if a
 * mechanism that might have passed has a temperror (RFC 7489 section 6.6.2).
 */
export function judgeDmarc(evaluation: DmarcEvaluation, undecided: boolean): Judged<Authentication['dmarc']> {
  const { response, reason = 'no-author-domain' } = evaluation;
  if (response === false) {
    const result = reason === 'no-author-domain' ? 'none' : 'permerror';
    const told = { result, domain: null, policy: null, alignedSpf: false, alignedDkim: false } as const;
    return { row: `dmarc=${result} (${reason.replaceAll('-', ' ')})`, told };
  }
  const judged = word(response.status.result);
  const result = judged === 'fail' && undecided ? 'temperror' : judged;
  // mailauth omits policy and alignment if it found no policy, whatever its types say.
  const { policy = null, alignment } = response as Partial<typeof response>;
  const told = {
    result,
    domain: response.status.header?.from ?? response.domain,
    policy,
    alignedSpf: alignment?.spf.result !== undefined,
    alignedDkim: alignment?.dkim.result !== undefined,
  };
  return { row: withWord(response.info, result), told };
}

/** Formats an Authentication-Results field without its name (RFC 8601 section 2.2), one result per line. */
export function headerText(receivedBy: string, rows: string[]): string {
  const isToken = /^[!#$%&'*+\-.\w^`{|}~]+$/.test(receivedBy);
  return [isToken ? receivedBy : JSON.stringify(receivedBy), ...rows].join(';\r\n ');
}

/**
 * Checks whether a signature is aligned. If it verifies, DMARC's alignment applies. Otherwise, it is aligned if it would have counted for
 * DMARC.
 */
function isAligned({ status, signingDomain = '' }: DKIMResult, { response, dkimAligned }: DmarcEvaluation) {
  if (response === false) return false;
  const domain = domainToASCII(signingDomain.toLowerCase());
  if (dkimAligned === undefined) return Boolean(status.aligned);
  if (status.result === 'pass') return dkimAligned.has(domain);
  return response.alignment.dkim.strict ? domain === response.status.header?.from : Boolean(status.aligned);
}

/**
 * Returns a key's size in bits. mailauth reports the size of a key that it used. The size of a key that is too short to use comes from
 * the record.
 */
function keyBits({ modulusLength, publicKey, rr }: DKIMResult): number | null {
  if (modulusLength !== undefined) return modulusLength;
  if (publicKey !== undefined) return 256;
  const key = Buffer.from(/(?:^|;)p=([^;]*)/.exec(rr ?? '')?.[1] ?? '', 'base64');
  for (const type of ['spki', 'pkcs1'] as const) {
    try {
      const { asymmetricKeyDetails } = createPublicKey({ key, format: 'der', type });
      return asymmetricKeyDetails?.modulusLength ?? null;
    } catch {
      // The key is of another type.
    }
  }
  return null;
}

function word(result: string): AuthResult {
  return authResults.find((known) => known === result) ?? 'permerror';
}

/** Replaces a row's result: `dkim=neutral (expired)` becomes `dkim=fail (expired)`. */
function withWord(row: string, result: AuthResult): string {
  return row.replace(/^([a-z]+)=[a-z]+/, `$1=${result}`);
}
