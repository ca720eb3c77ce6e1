import type { Side } from '#core/comparison/compare-mails.ts';
import { cut } from '#core/comparison/comparison.ts';
import type { AuthResult, LinkKind } from '#core/messages/content.ts';

/** Operators that compare text. `matches` needs a JavaScript regular expression, which gets the flag `u`. */
export const operators = ['equals', 'contains', 'matches'] as const;
type Operator = (typeof operators)[number];

/** Case-sensitive text comparison. */
export type TextTest = { operator: Operator; value: string };

/** Parts of a message that are compared as text. `code` matches any of the message's codes. */
export const textParts = ['subject', 'from', 'text', 'html', 'code'] as const;
export type TextPart = (typeof textParts)[number];

export const authMethods = ['spf', 'dkim', 'dmarc', 'arc'] as const;
export type AuthMethod = (typeof authMethods)[number];

/** Severities of findings, worst first. */
export const severities = ['critical', 'warning', 'info'] as const;
export type Severity = (typeof severities)[number];

/**
 * Condition that a message must satisfy. Null fields match everything. A link, attachment or header field satisfies a clause if it
 * matches all of the clause's fields. In an attachment's `name` and `contentType`, `*` stands for any characters. `worst`: no audit
 * finding may have this severity or a worse one. `of`: families or names of mail clients. Features that are listed in `except`, or that
 * the message in `comparedWith` also uses, do not count.
 */
export type Clause =
  | { on: TextPart; test: TextTest }
  | { on: 'link'; kind: LinkKind | null; host: string | null; test: TextTest | null }
  | { on: 'attachment'; name: string | null; contentType: string | null; sha256: string | null }
  | { on: 'header'; header: string; test: TextTest | null }
  | { on: 'authentication'; results: { method: AuthMethod; result: AuthResult }[] }
  | { on: 'audit'; worst: Severity }
  | {
      on: 'clients';
      /** Minimum score. If null, every client must support every feature. */
      atLeast: number | null;
      of: string[] | null;
      except: string[];
      comparedWith: Side | null;
    };

/** Returns a clause's regular expression, or null. */
export function patternOf(clause: Clause): string | null {
  return 'test' in clause && clause.test?.operator === 'matches' ? clause.test.value : null;
}

/** Result of a clause. `name` is the clause in words. `actual` is null if the message has no such part. */
export type ClauseResult = { name: string; passed: boolean; expected: string; actual: string | null };

/** Maximum characters of a value in a clause's name, and of a value in a result. */
const nameCharacters = 100;
const shownCharacters = 1000;

/** Describes a clause in plain words: `subject contains "Welcome"`. */
export function nameOf(clause: Clause): string {
  switch (clause.on) {
    case 'link':
      return joined(
        'link',
        clause.kind && `of kind ${clause.kind}`,
        clause.host && `to ${clause.host}`,
        clause.test,
      );
    case 'attachment':
      return joined(
        'attachment',
        clause.name && cut(clause.name, nameCharacters),
        clause.contentType && `of type ${clause.contentType}`,
        clause.sha256 && `with SHA-256 ${clause.sha256.slice(0, 12)}…`,
      );
    case 'header':
      return joined('header', clause.header, clause.test ?? 'is present');
    case 'authentication':
      return clause.results.map(({ method, result }) => `${method} is ${result}`).join(', ');
    case 'audit':
      return clause.worst === 'critical'
        ? 'no critical finding'
        : `no finding of severity ${clause.worst} or worse`;
    case 'clients':
      return clientsName(clause);
    default:
      return joined(clause.on, clause.test);
  }
}

function clientsName({ atLeast, of, except, comparedWith }: Extract<Clause, { on: 'clients' }>): string {
  const listed = new Intl.ListFormat('en-GB');
  const clients = of === null ? 'mail clients' : listed.format(of);
  const show = of?.length === 1 && atLeast === null ? 'shows' : 'show';
  const but = except.length === 0 ? '' : ` except ${cut(listed.format(except), nameCharacters)}`;
  const other =
    comparedWith === null
      ? ''
      : `, compared with ${'raw' in comparedWith ? 'another email' : `message ${comparedWith.messageId}`}`;
  const share = atLeast === null ? '' : `at least ${atLeast}% of `;
  return `${share}${clients} ${show} everything${but}${other}`;
}

function joined(...words: (string | TextTest | null)[]): string {
  return words
    .filter((word) => word !== null)
    .map((word) => (typeof word === 'string' ? word : testName(word)))
    .join(' ');
}

function testName({ operator, value }: TextTest): string {
  const shown = cut(value, nameCharacters);
  return operator === 'matches' ? `matches /${shown}/` : `${operator} ${JSON.stringify(shown)}`;
}

/** Truncates a result's text on a character boundary. */
export function shown(text: string): string {
  return cut(text, shownCharacters);
}
