import type { Message } from '../client/shapes.ts';

type Told = Pick<Message, 'delivered_to' | 'subject' | 'from'> & {
  codes: Pick<Message['codes'][number], 'value'>[];
  links: Pick<Message['links'][number], 'url' | 'kind'>[];
  attachments: Pick<Message['attachments'][number], 'filename' | 'content_type'>[];
};

type Clause = {
  subject?: { equals: string };
  from?: { equals: string };
  code?: { matches: string };
  link?: { kind: string; host?: string };
  attachment?: { name: string; content_type: string };
};

export type Assertion = { find: { address: string; wait: number }; expect: Clause[] };

/**
 * Returns an assertion (`POST /api/assert`, `sandpost assert`) that both this message and the next of its kind pass: it matches a code by
 * the code's form, and a link by its kind and host.
 */
export function assertionOf({ delivered_to, subject, from, codes, links, attachments }: Told): Assertion {
  const [code] = codes;
  const expect: Clause[] = [
    { subject: { equals: subject } },
    ...(from === null ? [] : [{ from: { equals: from.address } }]),
    ...(code === undefined ? [] : [{ code: { matches: formOf(code.value) } }]),
    ...linkClauses(links),
    ...attachments.flatMap(({ filename, content_type }) =>
      filename === null ? [] : [{ attachment: { name: filename, content_type } }],
    ),
  ];
  return { find: { address: delivered_to, wait: 30 }, expect: expect.slice(0, mostClauses) };
}

/** Maximum number of clauses, because nobody reads more. */
const mostClauses = 20;

/** Returns a pattern that matches similar codes: any digit in place of each digit, and any letter in place of each letter. */
function formOf(code: string): string {
  const runs = code.match(/\d+|[A-Za-z]+|[^\dA-Za-z]+/g) ?? [];
  const forms = runs.map((run) => {
    if (/^\d/.test(run)) return `\\d{${run.length}}`;
    if (/^[A-Z]+$/.test(run)) return `[A-Z]{${run.length}}`;
    if (/^[A-Za-z]/.test(run)) return `[A-Za-z]{${run.length}}`;
    return run.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
  });
  return `^${forms.join('')}$`;
}

/** Returns a clause for the first link of each purpose. */
function linkClauses(links: Told['links']): Clause[] {
  const seen = new Set<string>();
  return links.flatMap(({ url, kind }) => {
    if (kind === 'other' || seen.has(kind) || !URL.canParse(url)) return [];
    seen.add(kind);
    const { host } = new URL(url);
    return [{ link: { kind, ...(host !== '' && { host }) } }];
  });
}
