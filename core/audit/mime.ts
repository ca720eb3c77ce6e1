import type { AuditFacts, MimeFaultKind } from './facts.ts';
import { type Finding, finding } from './finding.ts';

type Fault = { severity: 'critical' | 'warning'; title: string; detail(example: string): string };

/** Check of the MIME format. `passed` is the finding if nothing is wrong. `faults` are listed most severe first. */
type MimeCheck = {
  id: string;
  passed: { title: string; detail: string };
  faults: Partial<Record<MimeFaultKind, Fault>>;
};

const checks: MimeCheck[] = [
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
export function auditMime({ faults }: AuditFacts): Finding[] {
  return checks.map((check) => {
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
