import { foldText, needlesOf } from '#core/extraction/search-text.ts';
import type { MessageContent, NamedAddress, SearchTexts } from '#core/messages/content.ts';
import type { Envelope } from '#core/messages/message.ts';
import { fields, type Query, type SearchedPart, type Term, termsOf } from '#core/messages/query.ts';
import { addressKey, recipientsOf } from '#core/messages/recipients.ts';
import { type Sender, senderKeys } from '#core/messages/sender.ts';
import { dkimResults, keyOf } from '#core/messages/traits.ts';
import { withoutBrackets } from './values.ts';

export type SearchedContent = Pick<MessageContent, SearchedPart>;

/**
 * Facts about an email that one of its recipients may see. `search` is folded, and includes the envelope recipients that the recipient
 * may see. `addresses` are the recipients of the account's copy, in the form of `addressKey`. `authenticatedAs` is the name with which
 * the sender signed in.
 */
export type MailFacts = {
  search: SearchTexts;
  content: SearchedContent;
  hasHtml: boolean;
  sizeBytes: number;
  addresses: string[];
  authenticatedAs: string | null;
  sender: Sender | null;
};

/**
 * Returns the facts that terms need if they depend only on a message's content. `search` and `sizeBytes` are empty, because a store
 * compares texts and sizes in its own conditions.
 */
export function contentFacts(
  { copy, deliveredTo, envelope }: { copy: boolean; deliveredTo: string; envelope: Envelope },
  content: SearchedContent,
  hasHtml: boolean,
): MailFacts {
  return {
    search: { subject: '', sender: null, recipients: '', text: '' },
    content,
    hasHtml,
    sizeBytes: 0,
    // Computed on demand: few terms need the addresses, and finding them takes longer than most other comparisons.
    get addresses() {
      return recipientsOf({ copy, deliveredTo, envelope }).map(addressKey);
    },
    authenticatedAs: envelope.authenticatedAs?.name ?? null,
    sender: envelope.sender ?? null,
  };
}

/** Returns the parts of the content that `matches` needs to evaluate a query. */
export function partsFor(query: Query): SearchedPart[] {
  return [...new Set(termsOf(query).flatMap(({ term }) => fields[term.field].parts ?? []))];
}

/** Checks whether `matches` needs the envelope to evaluate a query. */
export function asksEnvelope(query: Query): boolean {
  return termsOf(query).some(({ term }) => fields[term.field].asksEnvelope);
}

/** Checks whether an email matches a query. Terms from `termsOutsideContent` never match. */
export function matches(query: Query, facts: MailFacts): boolean {
  if ('all' in query) return query.all.every((part) => matches(part, facts));
  if ('any' in query) return query.any.some((part) => matches(part, facts));
  if ('not' in query) return !matches(query.not, facts);
  return matchesTerm(query, facts);
}

function matchesTerm(term: Term, facts: MailFacts): boolean {
  const { search, content, sizeBytes, authenticatedAs } = facts;
  const needles = 'part' in term && term.part !== null ? needlesOf(term.part, term.typed) : [];
  const within = (texts: (string | null)[]) =>
    needles.some((needle) => texts.some((text) => text?.includes(needle)));
  switch (term.field) {
    case 'text':
    case 'from':
    case 'to':
    case 'subject':
    case 'body':
      return within((fields[term.field].texts ?? []).map((name) => search[name]));
    case 'cc':
    case 'bcc':
      return within(content[term.field].map(person));
    case 'filename':
      return within(content.attachments.map(({ filename }) => filename && foldText(filename)));
    case 'header':
      return content.headers.some(
        ({ name, value }) =>
          name.toLowerCase() === term.name && (term.part === null || foldText(value).includes(term.part)),
      );
    case 'message-id':
      return content.msgid !== null && withoutBrackets(content.msgid) === term.value;
    case 'trace':
      return content.traceId === term.value;
    case 'namespace':
    case 'pod':
    case 'workload':
      return facts.sender !== null && senderKeys(facts.sender).includes(keyOf(term) ?? '');
    case 'address':
      return facts.addresses.includes(term.value);
    case 'has':
      return hasThing[term.thing](facts);
    case 'larger':
      return sizeBytes > term.bytes;
    case 'smaller':
      return sizeBytes < term.bytes;
    case 'dkim':
      return dkimResults(content.authentication).includes(term.result);
    case 'spf':
    case 'dmarc':
    case 'arc':
      return content.authentication[term.field].result === term.result;
    case 'audit':
      return hasFinding(content.audit, term.value);
    case 'authenticated':
      return authenticatedAs !== null && foldText(authenticatedAs) === term.value;
    case 'provider':
      return content.submission?.provider === term.value;
    default:
      return false;
  }
}

const person = ({ name, address }: NamedAddress) => foldText(`${name} ${address}`);

const hasThing = {
  attachment: ({ content }: MailFacts) => content.attachments.length > 0,
  code: ({ content }: MailFacts) => content.codes.length > 0,
  link: ({ content }: MailFacts) => content.links.length > 0,
  html: ({ hasHtml }: MailFacts) => hasHtml,
};

/** Searches for a check of a given severity, or for a check with a given ID that did not pass. */
function hasFinding(audit: MessageContent['audit'], wanted: string): boolean {
  if (Object.hasOwn(audit, wanted)) return audit[wanted as keyof typeof audit].length > 0;
  return [...audit.critical, ...audit.warning, ...audit.info].some(({ id }) => id === wanted);
}
