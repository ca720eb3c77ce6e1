import type { AuditChecks } from '#core/messages/content.ts';
import { auditAuthentication } from './authentication.ts';
import type { AuditFacts, MimeFaultKind } from './facts.ts';
import { type Finding, finding, nameReachedLimits } from './finding.ts';
import { auditHeaders } from './headers.ts';

/** Creates a message's audit, with findings sorted by severity. IDs are stable, and unique within one audit. */
export function audit(facts: AuditFacts): AuditChecks {
  const checks: AuditChecks = { critical: [], warning: [], info: [], passed: [] };
  // If a header section could not be read, its fields are not missing.
  const isUnread = facts.parseError !== null && facts.headers.length === 0;
  const headers = isUnread ? [] : auditHeaders(facts);
  const findings = [...auditAuthentication(facts), ...headers, ...auditFormat(facts), ...auditMime(facts)];
  for (const { severity, ...check } of findings) checks[severity].push(check);
  return checks;
}

/** Maximum octets per line (RFC 5322 section 2.1.1). */
const longestLine = 998;
/** Fraction of the size limit above which the audit warns. */
const nearLimit = 0.9;

/** Checks size, lines, octets and MIME structure. */
function auditFormat(facts: AuditFacts): Finding[] {
  const { sizeBytes, maxBytes, bareCr, bareLf, hasHtml, hasText } = facts;
  const share = Math.floor((sizeBytes / maxBytes) * 100);
  const size = `uses ${sizeBytes} of ${maxBytes} bytes (${share}%)`;
  const bare = `the message has ${bareCr} bare CR and ${bareLf} bare LF`;
  return [
    sizeBytes >= nearLimit * maxBytes
      ? finding('warning', 'size', 'Size near the limit', `Make the message smaller: it ${size}.`)
      : finding('passed', 'size', 'Size', `The message ${size}.`),
    bareCr + bareLf > 0
      ? finding('critical', 'line-endings', 'Bare CR or LF', `End every line with CRLF: ${bare}.`)
      : finding('passed', 'line-endings', 'Line endings', 'Every line ends with CRLF.'),
    facts.longestLine > longestLine
      ? finding(
          'warning',
          'line-length',
          'Line too long',
          `Fold or encode lines over ${longestLine} octets: the longest has ${facts.longestLine}.`,
        )
      : finding('passed', 'line-length', 'Line length', `No line exceeds ${longestLine} octets.`),
    auditEightBit(facts),
    hasHtml && !hasText
      ? finding(
          'warning',
          'html-without-text',
          'HTML without text',
          'Add a text/plain alternative to the HTML.',
        )
      : finding(
          'passed',
          'html-without-text',
          'Text part',
          hasText ? 'The message has plain text.' : 'The message has no HTML.',
        ),
    facts.structureLimit !== null
      ? finding(
          'warning',
          'structure',
          'Too many parts',
          `Sandpost shows several parts as one: ${nameReachedLimits([facts.structureLimit])}.`,
        )
      : finding('passed', 'structure', 'Structure', 'Depth and number of parts are within the limits.'),
    auditReading(facts),
  ];
}

/** Checks whether the message was read in full. If not, names the limit that was reached or the format fault. */
function auditReading({ parseError, headerLimit, unchecked, limitsReached }: AuditFacts): Finding {
  const id = 'parse';
  if (parseError === null && headerLimit === null) {
    return finding('passed', id, 'Readable', 'The message was read in full.');
  }
  // If the thread was terminated, it completed neither the checks nor the body.
  const ended = unchecked === undefined ? [] : limitsReached;
  if (parseError !== null && ended.length === 0) {
    const detail = `Correct the format. Only part of the message is readable: ${parseError}.`;
    return finding('critical', id, 'Not readable', detail);
  }
  const detail =
    parseError === null
      ? `Only part of the header section was read: ${nameReachedLimits(headerLimit === null ? [] : [headerLimit])}.`
      : `Only part of the message was read: ${nameReachedLimits(ended)}, because ${parseError}.`;
  return finding('warning', id, 'Not read in full', detail);
}

/** Checks the header's octets. RFC 6532 allows UTF-8 in header fields only if the envelope declared SMTPUTF8. */
function auditEightBit({ eightBitHeader, smtpUtf8 }: AuditFacts): Finding {
  const id = 'eight-bit-header';
  if (eightBitHeader && !smtpUtf8) {
    return finding(
      'warning',
      id,
      '8-bit header',
      'Encode header fields (RFC 2047), or declare SMTPUTF8 in MAIL.',
    );
  }
  const detail = eightBitHeader
    ? 'The header has 8-bit text, and the sender declared SMTPUTF8.'
    : 'The header is plain ASCII.';
  return finding('passed', id, 'Header octets', detail);
}

type Fault = { severity: 'critical' | 'warning'; title: string; detail(example: string): string };

/** Check of the MIME format. `passed` is the finding if nothing is wrong. `faults` are listed most severe first. */
type MimeCheck = {
  id: string;
  passed: { title: string; detail: string };
  faults: Partial<Record<MimeFaultKind, Fault>>;
};

const mimeChecks: MimeCheck[] = [
  {
    id: 'header-end',
    passed: {
      title: 'End of the header',
      detail: 'A blank line separates each header section from its body.',
    },
    faults: {
      'no-blank-line': {
        severity: 'critical',
        title: 'No blank line after the header',
        detail: () =>
          'Insert a blank line between the header and the body: readers may treat the body as part of the header',
      },
    },
  },
  {
    id: 'multipart',
    passed: { title: 'Multiparts', detail: 'Each multipart has its delimiters and at least one part.' },
    faults: {
      'no-boundary': {
        severity: 'critical',
        title: 'Multipart without a boundary',
        detail: (type) => `Add a boundary parameter to ${type}: without it, readers find no parts`,
      },
      'no-delimiter': {
        severity: 'critical',
        title: 'Delimiters missing',
        detail: (boundary) =>
          `Begin each part with the line --${boundary}, as Content-Type says: the message has no such line`,
      },
      'no-part': {
        severity: 'critical',
        title: 'Multipart without a part',
        detail: (boundary) => `Add a part before --${boundary}--: a multipart needs at least one`,
      },
      'not-closed': {
        severity: 'warning',
        title: 'Closing delimiter missing',
        detail: (boundary) =>
          `End the last part with the line --${boundary}--: without it, the message looks truncated`,
      },
    },
  },
  {
    id: 'transfer-encoding',
    passed: { title: 'Transfer encodings', detail: 'Each body matches its Content-Transfer-Encoding field.' },
    faults: {
      'unknown-encoding': {
        severity: 'critical',
        title: 'Unknown transfer encoding',
        detail: (name) =>
          `Use base64, quoted-printable, 8bit or 7bit instead of ${name}: email clients cannot show a body in an unknown encoding`,
      },
      'not-base64': {
        severity: 'critical',
        title: 'Not base64',
        detail: () => 'Encode the whole body in base64: it is declared as base64, but contains other octets',
      },
      'cut-base64': {
        severity: 'warning',
        title: 'Truncated base64',
        detail: () => 'Complete the last group of four base64 characters: its end is missing',
      },
      'broken-quoted-printable': {
        severity: 'warning',
        title: 'Not quoted-printable',
        detail: () => 'Write = as =3D in quoted-printable: two hexadecimal digits must follow any other =',
      },
    },
  },
  {
    id: 'charset',
    passed: { title: 'Characters', detail: 'Each text part is valid in its character set.' },
    faults: {
      undecodable: {
        severity: 'warning',
        title: 'Undecodable octets',
        detail: (name) =>
          `Encode the text as declared: some octets are not valid ${name} and appear as \ufffd`,
      },
      'unknown-charset': {
        severity: 'warning',
        title: 'Unknown character set',
        detail: (name) =>
          `Declare utf-8 instead of ${name}: readers can only guess what an unknown character set means`,
      },
      'undeclared-charset': {
        severity: 'warning',
        title: 'Undeclared character set',
        detail: () => 'Declare the character set: a text part has octets above 127 that are not UTF-8',
      },
    },
  },
];

const longestExample = 60;

/** Checks the MIME format: multiparts, transfer encodings and character sets. */
function auditMime({ faults }: AuditFacts): Finding[] {
  return mimeChecks.map((check) => {
    const { passed } = check;
    if (faults.size === 0) return finding('passed', check.id, passed.title, passed.detail);
    const found = Object.entries(check.faults).flatMap(([kind, fault]) => {
      const example = faults.get(kind as MimeFaultKind);
      return example === undefined ? [] : [{ fault, example: shown(example) }];
    });
    const [first] = found;
    if (first === undefined) return finding('passed', check.id, passed.title, passed.detail);
    const detail = found
      .map(({ fault, example }) => fault.detail(example))
      .map(asClause)
      .join('; ');
    return finding(first.fault.severity, check.id, first.fault.title, `${detail}.`);
  });
}

/** Starts a clause in lower case unless it is a sentence's first. */
function asClause(clause: string, at: number): string {
  return at === 0 ? clause : clause.charAt(0).toLowerCase() + clause.slice(1);
}

/** Formats an example from a message so it fits into a sentence. */
function shown(example: string): string {
  const plain = example.toWellFormed().replace(/[\p{Cc}\p{Cf}]+/gu, ' ');
  return plain.length <= longestExample ? plain : `${plain.slice(0, longestExample)}…`;
}
