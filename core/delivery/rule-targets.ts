import type { SearchTexts } from '#core/messages/content.ts';
import { contentOf, plainText, type StoredText } from '#core/messages/mail-record.ts';
import type { Query } from '#core/messages/query.ts';
import { addressKey } from '#core/messages/recipients.ts';
import { type MailFacts, matches, type SearchedContent } from '#core/query/matches.ts';
import type { MailRule } from '#core/rules/mail-rule.ts';
import { type Ruling, rulingOf } from '#core/rules/ruling.ts';
import type { PreparedMail, PreparedTarget } from './delivery.ts';

/** Message of a mail that rules are applied to. `addresses` are those of its recipients, by `addressKey`. */
export type RuledTarget = Pick<PreparedTarget, 'ownRecipients'> & {
  addresses: string[];
  authenticatedAs: string | null;
};

/** Mail with its messages in one team, and the active rules of the team. Plain values, so that it can be sent to a thread. */
export type RuleJob = {
  mail: Pick<PreparedMail, 'json' | 'sizeBytes' | 'receivedAt'> & {
    search: Omit<SearchTexts, 'text'> & { text: StoredText };
    hasHtml: boolean;
  };
  targets: RuledTarget[];
  rules: MailRule[];
};

/** Makes the job of some messages of a mail, of one team. */
export function ruleJob(mail: PreparedMail, own: PreparedTarget[], rules: MailRule[]): RuleJob {
  const { json, sizeBytes, receivedAt, search, html } = mail;
  const targets = own.map(({ ownRecipients, deliveredTo, recipients = [deliveredTo], envelope }) => {
    const authenticatedAs = envelope.authenticatedAs?.name ?? null;
    return { ownRecipients, addresses: recipients.map(addressKey), authenticatedAs };
  });
  return { mail: { json, sizeBytes, receivedAt, search, hasHtml: html !== null }, targets, rules };
}

/** Parts of a mail that rules look in: UTF-16 units of its text and of its fields, and number of its people and files. */
const most = { text: 262_144, headers: 131_072, items: 1_000 };

/**
 * Applies rules to each message of a mail. `parse` reads their queries. Rules for which `isLate` says that there is no time left do
 * not match.
 */
export function ruleTargets(
  { mail, targets, rules }: RuleJob,
  { parse, isLate }: { parse(q: string): Query; isLate(): boolean },
): Ruling[] {
  const { search, hasHtml, sizeBytes, receivedAt } = mail;
  const content = bounded(contentOf({ json: mail.json, text: null, html: null }));
  const text = plainText(search.text).slice(0, most.text);
  return targets.map(({ ownRecipients, addresses, authenticatedAs }) => {
    const facts: MailFacts = {
      search: { ...search, text, recipients: `${ownRecipients}\n${search.recipients}` },
      ...{ content, hasHtml, sizeBytes, addresses, authenticatedAs },
    };
    return rulingOf(rules, ({ q }) => !isLate() && matches(parse(q), facts), receivedAt);
  });
}

/** Leaves out what a hostile mail has too much of: each term folds fields, names and people anew. */
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
