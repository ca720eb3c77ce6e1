import { readableText } from '#core/extraction/readable-text.ts';
import type { Attachment, AuditChecks, Link, MessageContent } from '#core/messages/content.ts';
import { dkimResults } from '#core/messages/traits.ts';
import {
  type Clause,
  type ClauseResult,
  nameOf,
  patternOf,
  severities,
  shown,
  type TextPart,
  type TextTest,
} from './clause.ts';

/** Parts of a message that clauses read. `clients` is null if no clause needs it. */
export type AssertedMail = Pick<
  MessageContent,
  | 'subject'
  | 'from'
  | 'text'
  | 'html'
  | 'htmlText'
  | 'codes'
  | 'links'
  | 'headers'
  | 'authentication'
  | 'audit'
> & {
  attachments: Pick<Attachment, 'filename' | 'contentType' | 'sizeBytes' | 'sha256'>[];
  clients: ClientsFound | null;
};

/** Verdict on the selected mail clients. `lacking`: the features that some of these clients do not support, with the clients' names. */
export type ClientsFound = { score: number; lacking: { slug: string; clients: string[] }[] };

/** Searches text for a regular expression. Throws PatternFault. */
export type FindPattern = (pattern: string, texts: string[]) => boolean;

/**
 * Error for a regular expression that could not be evaluated. The error message is a sentence without its subject: `took over 100 ms`.
 */
export class PatternFault extends Error {
  override name = 'PatternFault';
}

type Outcome = { passed: boolean; expected: string; actual: string | null };

/** Evaluates clauses on a message, each independently of the others. */
export function evaluate(clauses: Clause[], mail: AssertedMail, find: FindPattern): ClauseResult[] {
  return clauses.map((clause) => {
    const name = nameOf(clause);
    try {
      const { passed, expected, actual } = outcomeOf(clause, mail, find);
      return { name, passed, expected: shown(expected), actual: actual && shown(actual) };
    } catch (error) {
      if (!(error instanceof PatternFault)) throw error;
      const actual = `The regular expression in the clause "${name}" ${error.message}`;
      return { name, passed: false, expected: shown(patternOf(clause) ?? ''), actual };
    }
  });
}

function outcomeOf(clause: Clause, mail: AssertedMail, find: FindPattern): Outcome {
  switch (clause.on) {
    case 'link':
      return {
        passed: some(
          mail.links.filter((link) => fitsLink(clause, link)),
          ({ url }) => url,
          clause.test,
          find,
        ),
        expected: nameOf(clause),
        actual: listed(mail.links.map(({ kind, url }) => `${kind} ${url}`)),
      };
    case 'attachment':
      return {
        passed: mail.attachments.some((attachment) => fitsAttachment(clause, attachment)),
        expected: nameOf(clause),
        actual: listed(mail.attachments.map(attachmentWords)),
      };
    case 'header': {
      const name = clause.header.toLowerCase();
      const fields = mail.headers.filter((field) => field.name.toLowerCase() === name);
      return {
        passed: some(fields, ({ value }) => value, clause.test, find),
        expected: clause.test?.value ?? clause.header,
        actual: listed(fields.map(({ value }) => value)),
      };
    }
    case 'authentication':
      return authenticated(clause, mail);
    case 'audit':
      return audited(clause, mail.audit);
    case 'clients':
      return shownByClients(clause, mail.clients);
    default: {
      const texts = comparedTexts[clause.on](mail);
      return {
        passed: compare(clause.test, texts, find),
        expected: clause.test.value,
        actual: shownTexts[clause.on]?.(mail) ?? listed(texts),
      };
    }
  }
}

/**
 * Returns the strings of which at least one must satisfy a clause. A sender is compared both as the bare address and with the name. The
 * text is compared both as the text part alone and with what the HTML adds.
 */
const comparedTexts: Record<TextPart, (mail: AssertedMail) => string[]> = {
  subject: ({ subject }) => [subject],
  from: ({ from }) => (from === null ? [] : [from.address, `${from.name} <${from.address}>`]),
  text: (mail) => [...new Set([mail.text, readable(mail)].filter((text) => text !== null))],
  html: ({ html }) => (html === null ? [] : [html]),
  code: ({ codes }) => codes.map(({ value }) => value),
};

/** Strings that a result shows, for parts that it shows differently than they are compared. */
const shownTexts: Partial<Record<TextPart, (mail: AssertedMail) => string | null>> = {
  from: ({ from }) => from && (from.name === '' ? from.address : `${from.name} <${from.address}>`),
  text: readable,
};

/** Returns everything that the email's reader sees. */
function readable({ text, htmlText }: AssertedMail): string | null {
  return readableText(text, htmlText?.added ?? null);
}

function compare({ operator, value }: TextTest, texts: string[], find: FindPattern): boolean {
  // A text part ends with a line break, which nobody includes in the expected text.
  if (operator === 'equals')
    return texts.some((text) => text === value || text.replace(/\r?\n$/, '') === value);
  if (operator === 'contains') return texts.some((text) => text.includes(value));
  return texts.length > 0 && find(value, texts);
}

/** Checks whether a part exists and, if a test is given, whether its text satisfies the test. */
function some<T>(
  things: T[],
  textOf: (thing: T) => string,
  test: TextTest | null,
  find: FindPattern,
): boolean {
  return test === null ? things.length > 0 : compare(test, things.map(textOf), find);
}

function fitsLink({ kind, host }: Extract<Clause, { on: 'link' }>, link: Link): boolean {
  if (kind !== null && link.kind !== kind) return false;
  if (host === null) return true;
  const url = URL.parse(link.url);
  return url !== null && [url.host, url.hostname].includes(host.toLowerCase());
}

function fitsAttachment(
  { name, contentType, sha256 }: Extract<Clause, { on: 'attachment' }>,
  attachment: AssertedMail['attachments'][number],
): boolean {
  return (
    (name === null || fitsWildcard(name, attachment.filename ?? '')) &&
    (contentType === null || fitsWildcard(contentType, attachment.contentType)) &&
    (sha256 === null || attachment.sha256 === sha256.toLowerCase())
  );
}

const attachmentWords = ({ filename, contentType, sizeBytes, sha256 }: AssertedMail['attachments'][number]) =>
  `${filename ?? 'unnamed'} (${contentType}, ${sizeBytes} bytes, SHA-256 ${sha256})`;

function authenticated(
  { results }: Extract<Clause, { on: 'authentication' }>,
  { authentication }: AssertedMail,
): Outcome {
  const found = {
    spf: [authentication.spf.result],
    dkim: dkimResults(authentication),
    dmarc: [authentication.dmarc.result],
    arc: [authentication.arc.result],
  };
  return {
    passed: results.every(({ method, result }) => found[method].includes(result)),
    expected: results.map(({ method, result }) => `${method} ${result}`).join(', '),
    actual: results.map(({ method }) => `${method} ${found[method].join(', ')}`).join(', '),
  };
}

function audited({ worst }: Extract<Clause, { on: 'audit' }>, audit: AuditChecks): Outcome {
  const forbidden = severities.slice(0, severities.indexOf(worst) + 1);
  const found = forbidden.flatMap((severity) => audit[severity].map(({ title }) => `${severity}: ${title}`));
  return {
    passed: found.length === 0,
    expected: `no ${forbidden.join(' or ')} finding`,
    actual: listed(found) ?? 'no such findings',
  };
}

function shownByClients(
  { atLeast }: Extract<Clause, { on: 'clients' }>,
  found: ClientsFound | null,
): Outcome {
  const { score = 0, lacking = [] } = found ?? {};
  const lacks = listed(lacking.map(({ slug, clients }) => `${slug} (${clients.join(', ')})`));
  return {
    passed: found !== null && (atLeast === null ? lacks === null : score >= atLeast),
    expected: atLeast === null ? 'no unsupported features' : `at least ${atLeast}%`,
    actual:
      atLeast === null
        ? (lacks ?? 'no unsupported features')
        : `${score}%${lacks === null ? '' : `: ${lacks}`}`,
  };
}

function listed(texts: string[]): string | null {
  return texts.length === 0 ? null : texts.join(', ');
}

/**
 * Matches the whole of `text` against a pattern in which `*` stands for any characters and `?` for one character. Ignores case. Takes
 * time up to the product of both lengths, because it backtracks only to the last star.
 */
export function fitsWildcard(pattern: string, text: string): boolean {
  const signs = [...pattern.toLowerCase()];
  const given = [...text.toLowerCase()];
  let sign = 0;
  let star = -1;
  let after = 0;
  for (let at = 0; at < given.length; ) {
    if (signs[sign] === '*') {
      star = sign;
      after = at;
      sign += 1;
    } else if (signs[sign] === '?' || signs[sign] === given[at]) {
      sign += 1;
      at += 1;
    } else if (star >= 0) {
      sign = star + 1;
      after += 1;
      at = after;
    } else return false;
  }
  return signs.slice(sign).every((rest) => rest === '*');
}
