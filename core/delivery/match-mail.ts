import type { Id } from '#core/ids.ts';
import type { SearchTexts } from '#core/messages/content.ts';
import { contentOf, plainText, type StoredText } from '#core/messages/mail-record.ts';
import type { Query } from '#core/messages/query.ts';
import { addressKey } from '#core/messages/recipients.ts';
import type { Sender } from '#core/messages/sender.ts';
import { type MailFacts, matches, type SearchedContent } from '#core/query/matches.ts';
import type { PreparedMail, PreparedTarget } from './delivery.ts';

/** One of an email's messages, which queries are compared with. `addresses` are its recipients', in the form of `addressKey`. */
export type MatchedTarget = Pick<PreparedTarget, 'ownRecipients'> & {
  addresses: string[];
  authenticatedAs: string | null;
  sender: Sender | null;
};

/** Queries to compare with an email's messages in one team. Contains plain values, so it can be sent to a thread. */
export type MatchJob = {
  queries: string[];
  mail: Pick<PreparedMail, 'json' | 'sizeBytes'> & {
    search: Omit<SearchTexts, 'text'> & { text: StoredText };
    hasHtml: boolean;
  };
  targets: MatchedTarget[];
};

/** Matches queries with an email in a separate thread. Payers take turns. */
export type MailMatcher = {
  /** For each of the email's messages in one team, returns the indexes of the queries that match it. */
  matches(team: Id, job: MatchJob): Promise<Set<number>[]>;
};

/** Creates a job that matches queries with an email's messages in one team. */
export function matchJob(queries: string[], mail: PreparedMail, own: PreparedTarget[]): MatchJob {
  const { json, sizeBytes, search, html } = mail;
  const targets = own.map(({ ownRecipients, deliveredTo, recipients = [deliveredTo], envelope }) => {
    const { authenticatedAs, sender = null } = envelope;
    const addresses = recipients.map(addressKey);
    return { ownRecipients, addresses, authenticatedAs: authenticatedAs?.name ?? null, sender };
  });
  return { queries, mail: { json, sizeBytes, search, hasHtml: html !== null }, targets };
}

/** Maximum UTF-16 units of an email's text and of its fields, and maximum number of people or files, that queries search. */
const most = { text: 262_144, headers: 131_072, items: 1_000 };

/**
 * For each message of an email, returns the indexes of the queries that match it. `parse` parses a query. Once `isLate` returns true, no
 * more queries match.
 */
export function matchMail(
  { queries, mail, targets }: MatchJob,
  { parse, isLate }: { parse(q: string): Query; isLate(): boolean },
): Set<number>[] {
  const { search, hasHtml, sizeBytes } = mail;
  const content = bounded(contentOf({ json: mail.json, text: null, html: null }));
  const text = plainText(search.text).slice(0, most.text);
  return targets.map(({ ownRecipients, addresses, authenticatedAs, sender }) => {
    const facts: MailFacts = {
      search: { ...search, text, recipients: `${ownRecipients}\n${search.recipients}` },
      ...{ content, hasHtml, sizeBytes, addresses, authenticatedAs, sender },
    };
    const matched = queries.flatMap((q, at) => (!isLate() && matches(parse(q), facts) ? [at] : []));
    return new Set(matched);
  });
}

/** Truncates a hostile email's content, because each search term folds all fields, names and people again. */
function bounded<Content extends SearchedContent>(content: Content): SearchedContent {
  const { headers, cc, bcc, attachments } = content;
  let left = most.headers;
  const within = headers.flatMap(({ name, value }) => {
    if (left <= 0) return [];
    const kept = value.slice(0, left);
    left -= name.length + value.length;
    return [{ name, value: kept }];
  });
  const some = <T>(items: T[]) => items.slice(0, most.items);
  return { ...content, headers: within, cc: some(cc), bcc: some(bcc), attachments: some(attachments) };
}
