import type { AuditChecks } from '#core/messages/content.ts';
import { auditAuthentication } from './authentication.ts';
import type { AuditFacts } from './facts.ts';
import { type Finding, finding, nameReachedLimits } from './finding.ts';
import { auditHeaders } from './headers.ts';
import { auditMime } from './mime.ts';

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
