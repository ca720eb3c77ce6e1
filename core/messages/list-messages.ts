import { invalid, NotFound } from '#core/errors.ts';
import type { Journal } from '#core/events/event.ts';
import type { Id } from '#core/ids.ts';
import type { Mailbox, MailboxStore } from '#core/mailboxes/mailbox.ts';
import type { Page } from '#core/page.ts';
import type { MessageFilter, MessageList } from './message.ts';
import { type Place, type ReadPorts, readMessage } from './read-message.ts';
import { visibilityAt } from './retention.ts';
import { isSearch, type SearchRunner, type SearchTurns } from './search-turns.ts';
import type { Waited, Waits, WaitTerms } from './waits.ts';

/** Which messages count as new: those after a message, after a cursor, or all. */
export type Since = { messageId?: Id; cursor?: number };

type PagePorts = ReadPorts & { searches: SearchTurns };

type ListPorts = PagePorts & { journal: Journal };

/** Who looks: see `SearchTurns`. `asked` is when the question came, by `performance.now()`. */
type Asker = { asked?: number | undefined; signal?: AbortSignal | undefined; look?: boolean };

/**
 * A page of messages, newest first, as it was at `asked`, by `performance.now()`, or later. Throws Invalid for an `after`
 * that never was a message of the owner's.
 */
export async function listMessages(
  ports: ListPorts,
  owner: Id,
  filter: MessageFilter,
  since: Since,
  page: Page,
  asker: Asker = {},
): Promise<MessageList> {
  const after = await startOf(ports, owner, since);
  return readPage(ports, owner, after === null ? filter : { ...filter, after }, page, asker);
}

/**
 * The page as soon as `count` matching messages are there, at the latest after `waitMs` with what there is then; `met`
 * tells which. An aborted `signal` ends the wait early. `anyEvent`: messages may come into the scope by events of other
 * mailboxes. Throws TooManyWaits.
 */
export function waitForMessages(
  ports: ListPorts & { waits: Waits },
  owner: Id,
  { filter, anyEvent = false }: { filter: MessageFilter; anyEvent?: boolean },
  since: Since,
  page: Page,
  terms: WaitTerms,
): Promise<Waited> {
  const start = async () => {
    const after = await startOf(ports, owner, since);
    return { filter: after === null ? filter : { ...filter, after }, anyEvent };
  };
  return ports.waits.wait(owner, start, page, terms);
}

/** A mailbox must be the owner's before its messages are listed: a stranger's is not found, rather than empty. */
export async function requireMailbox(
  mailboxes: MailboxStore,
  owner: Id,
  { accountId, mailboxId }: Place,
  asked?: number,
): Promise<Mailbox> {
  const mailbox = await mailboxes.find(owner, accountId, mailboxId, asked);
  if (mailbox === null) throw new NotFound();
  return mailbox;
}

/** Reads a page; one that has to be searched for takes its turn. Throws TooManySearches, SearchTimeout. */
export function readPage(
  { messages, searches, clock, retentionDays }: PagePorts,
  owner: Id,
  filter: MessageFilter,
  page: Page,
  asker: Asker,
): Promise<MessageList> {
  const visibility = visibilityAt(clock(), retentionDays, asker.asked);
  const search: SearchRunner = (work) => searches.search(owner, filter, asker, work);
  return isSearch(filter, page)
    ? search((terms) => messages.list(owner, filter, page, visibility, (work) => work(terms)))
    : messages.list(owner, filter, page, visibility, search);
}

async function startOf(ports: ListPorts, owner: Id, { messageId, cursor }: Since): Promise<number | null> {
  if (messageId === undefined) return cursor ?? null;
  const found = await readMessage(ports, owner, messageId).catch((error) => {
    if (error instanceof NotFound) return null;
    throw error;
  });
  const number = found?.number ?? (await ports.journal.messageNumber(owner, messageId));
  if (number === null) throw invalid('after', 'is not the id of a message that you have or had');
  return Math.max(number, cursor ?? 0);
}
