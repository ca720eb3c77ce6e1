import type { LimitName } from '#core/limits.ts';
import type { Authentication, AuthResult } from '#core/messages/content.ts';
import type { AuditFacts } from './facts.ts';
import { checkLimits, type Finding, finding, headerLimits, nameReachedLimits } from './finding.ts';

/** Checks SPF, each DKIM signature, DMARC and ARC. For a message sent through the API, returns a single finding instead. */
export function auditAuthentication(facts: AuditFacts): Finding[] {
  if (facts.submitted) {
    const detail =
      'The message was sent through the API and never crossed a network, so SPF, DKIM and DMARC were not checked.';
    return [finding('info', 'submitted', 'Sent through the API', detail)];
  }
  const { spf, dkim, dmarc, arc } = facts.authentication;
  const reached = facts.limitsReached;
  if (facts.unchecked !== undefined) {
    const cause =
      reached.length > 0 ? `${nameReachedLimits(reached)}, because ${facts.unchecked}` : facts.unchecked;
    return unchecked(
      [`SPF ${spf.result}`, 'DKIM not checked', `DMARC ${dmarc.result}`, 'ARC not checked'],
      cause,
    );
  }
  const unknown = whyUnknown(reached);
  const refusals = reached.filter((name) => headerLimits.has(name));
  if (refusals.length > 0) {
    const cause = `${nameReachedLimits(refusals)}, because ${dkim[0]?.info ?? 'the header section is too long'}`;
    const [, ...others] = unchecked(
      ['', `DKIM ${dkim[0]?.result ?? 'policy'}`, `DMARC ${dmarc.result}`, `ARC ${arc.result}`],
      cause,
    );
    return [auditSpf(spf, unknown), ...auditAssumption(facts), ...others];
  }
  const found = [
    auditSpf(spf, unknown),
    ...auditAssumption(facts),
    ...auditSignatures(dkim, unknown),
    ...auditKeys(facts.signatures),
    ...auditDmarc(dmarc, unknown),
    auditArc(arc, unknown),
  ];
  return reached.includes('mail.dnsTextBytes') ? found.map(withoutRecord) : found;
}

type Severity = Finding['severity'];

/** Reports SPF, DKIM, DMARC and ARC as not checked, with one warning each. The sender is not to blame for checks that did not run. */
function unchecked(titles: string[], cause: string): Finding[] {
  const ids = ['spf', 'dkim', 'dmarc', 'arc'];
  return ids.map((id, at) => finding('warning', id, titles[at] ?? id, `Not checked: ${cause}.`));
}

/** Describes a temperror's cause in one sentence. */
function whyUnknown(reached: LimitName[]): string {
  const ours = reached.filter((name) => checkLimits.has(name));
  if (ours.length > 0 && !ours.includes('mail.dnsMs')) return `Unknown: ${nameReachedLimits(ours)}.`;
  const cause = ours.length > 0 ? `: ${nameReachedLimits(ours)}` : '';
  return `DNS did not answer in time${cause}. Send the message again, or check the name servers.`;
}

/** Adds the length limit to a finding. An ignored DNS record looks like one that was never published. */
function withoutRecord(found: Finding): Finding {
  if (found.severity === 'passed' || !/^(?:spf|dkim(?:-\d+)?|dmarc)$/.test(found.id)) return found;
  return {
    ...found,
    detail: `${found.detail} A long record was ignored: ${nameReachedLimits(['mail.dnsTextBytes'])}.`,
  };
}

function auditSpf({ result, domain, explanation }: Authentication['spf'], later: string): Finding {
  if (result === 'none' && domain === null) {
    return finding('info', 'spf', 'SPF none', `SPF was not checked: ${explanation ?? 'no sender is known'}.`);
  }
  const name = domain ?? 'the sender';
  const verdicts: Record<AuthResult, [Severity, string]> = {
    pass: ['passed', `The SPF record for ${name} permits the sending address.`],
    fail: [
      'critical',
      `Add the sending address to the SPF record for ${name}, or send from an address that the record permits.`,
    ],
    softfail: [
      'warning',
      `The SPF record for ${name} only tolerates the sending address. Add the address to the record.`,
    ],
    neutral: [
      'warning',
      `The SPF record for ${name} neither permits nor forbids the sending address. Permit it or forbid it.`,
    ],
    none: ['warning', `Publish an SPF record for ${name}.`],
    policy: ['warning', `Check the SPF record for ${name}.`],
    temperror: ['warning', later],
    permerror: [
      'critical',
      `Correct the SPF record for ${name}: ${explanation ?? 'it cannot be evaluated'}.`,
    ],
  };
  const [severity, detail] = verdicts[result];
  return finding(severity, 'spf', `SPF ${result}`, detail);
}

/** Adds a note that SPF was checked with an address other than the client's. */
function auditAssumption({ assumedClientIp }: AuditFacts): Finding[] {
  if (assumedClientIp === undefined) return [];
  const detail = `SPF was checked as if ${assumedClientIp} had sent this message: the receiving domain assumes that address.`;
  return [finding('info', 'spf-assumed-address', 'SPF with an assumed address', detail)];
}

/** Checks each signature. The findings have the IDs `dkim`, `dkim-2` and so on. */
function auditSignatures(signatures: Authentication['dkim'], later: string): Finding[] {
  if (signatures.length === 0) {
    return [
      finding('warning', 'dkim', 'No DKIM signature', 'Sign outgoing mail with a key for the From domain.'),
    ];
  }
  const verified = signatures.some(({ result, aligned }) => result === 'pass' && aligned);
  return signatures.map(({ result, domain, aligned, info }, index) => {
    const id = index === 0 ? 'dkim' : `dkim-${index + 1}`;
    const title = `DKIM ${result}${domain === null ? '' : ` for ${domain}`}`;
    if (result === 'pass') {
      return aligned
        ? finding('passed', id, title, 'The signature is valid, and its domain matches the From domain.')
        : finding(
            'info',
            id,
            title,
            'The signature is valid for another domain. Sign with a key for the From domain, too.',
          );
    }
    if (result === 'temperror') return finding('warning', id, title, later);
    const reason = info ?? 'it is not valid';
    const detail = `Correct the key, or look for a relay that changes mail after signing. Cause: ${reason}.`;
    // DMARC needs only one valid signature.
    return finding(verified ? 'warning' : 'critical', id, title, detail);
  });
}

function auditKeys(signatures: AuditFacts['signatures']): Finding[] {
  if (signatures.length === 0) return [];
  const bits = signatures.flatMap(({ keyBits, algorithm }) =>
    keyBits === null || algorithm?.startsWith('ed25519') === true ? [] : [keyBits],
  );
  return [
    signatures.some(({ bodyLength }) => bodyLength !== null)
      ? finding(
          'warning',
          'dkim-body-length',
          'DKIM signs only part of the body',
          'Remove l= from the signature: with it, anybody can append to the body.',
        )
      : finding(
          'passed',
          'dkim-body-length',
          'DKIM signs the whole body',
          'No signature has a length tag (l=).',
        ),
    auditKeySize(bits),
    signatures.some(({ algorithm }) => algorithm === 'rsa-sha1')
      ? finding(
          'critical',
          'dkim-algorithm',
          'DKIM with rsa-sha1',
          'Sign with rsa-sha256: RFC 8301 forbids rsa-sha1.',
        )
      : finding('passed', 'dkim-algorithm', 'DKIM algorithm', 'No signature uses rsa-sha1.'),
  ];
}

function auditKeySize(bits: number[]): Finding {
  // Bounded: mailauth limits the signatures that it checks.
  const least = Math.min(...bits);
  const id = 'dkim-key-size';
  if (least < 1024) {
    return finding(
      'critical',
      id,
      'DKIM key too short',
      `Create a 2048-bit key: receivers ignore ${least}-bit keys (RFC 8301).`,
    );
  }
  return least < 2048
    ? finding(
        'info',
        id,
        'Short DKIM key',
        `Create a 2048-bit key at the next rotation: this key has ${least} bits.`,
      )
    : finding('passed', id, 'DKIM key size', 'No key is too short.');
}

function auditDmarc({ result, domain, policy }: Authentication['dmarc'], later: string): Finding[] {
  const name = domain ?? 'the From domain';
  const verdicts: Partial<Record<AuthResult, [Severity, string]>> = {
    pass: ['passed', `SPF or DKIM passes for ${name}.`],
    fail: ['critical', `SPF or DKIM must pass for ${name}. Policy for this mail: ${policy ?? 'unknown'}.`],
    none: ['warning', `Publish a DMARC record at _dmarc.${name}.`],
    permerror: ['critical', 'Write one From field, with addresses from one domain.'],
    temperror: ['warning', later],
  };
  const verdict = verdicts[domain === null && result === 'none' ? 'permerror' : result];
  const [severity, detail] = verdict ?? ['warning', `Check the DMARC record for ${name}.`];
  const found = [finding(severity, 'dmarc', `DMARC ${result}`, detail)];
  if (policy === 'none') {
    const advice = `p=none only monitors. Move ${name} to p=quarantine or p=reject once its reports are clean.`;
    found.push(finding('info', 'dmarc-policy', 'DMARC policy none', advice));
  } else if (policy !== null) {
    found.push(
      finding(
        'passed',
        'dmarc-policy',
        `DMARC policy ${policy}`,
        `${name} asks receivers to ${policy} mail that fails.`,
      ),
    );
  }
  return found;
}

function auditArc({ result }: Authentication['arc'], later: string): Finding {
  if (result === 'none')
    return finding('passed', 'arc', 'No ARC', 'No relay sealed this message. Seals are optional.');
  if (result === 'pass') return finding('passed', 'arc', 'ARC pass', 'All seals are valid.');
  if (result === 'temperror') return finding('warning', 'arc', 'ARC temperror', later);
  return finding('warning', 'arc', `ARC ${result}`, 'Look for a relay that changes mail after sealing.');
}
