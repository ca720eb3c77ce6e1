import { found, invalid, unlessGone } from '#core/errors.ts';
import type { Journal } from '#core/events/event.ts';
import type { Id } from '#core/ids.ts';
import type { Mailbox, MailboxStore } from '#core/mailboxes/mailbox.ts';
import type { Page } from '#core/page.ts';
import type { MessageList, MessageStore } from './message.ts';
import { type MessageFilter, workOf } from './message-filter.ts';
import { type Place, type ReadPorts, readMessage } from './read-message.ts';
import { visibilityAt } from './retention.ts';
import type { SearchRunner, SearchTurns } from './search-turns.ts';
import type { Waited, Waits, WaitTerms } from './waits.ts';

/** Start of the new messages: after a message, after a cursor, or after both. If neither is given, all messages are new. */
export type Since = { messageId?: Id; cursor?: number };

type PagePorts = ReadPorts & { messages: Pick<MessageStore, 'list'>; searches: SearchTurns };

type ListPorts = PagePorts & { journal: Journal };

/**
 * Conditions for a read. Its searches count for `user`, or else for the messages' owner, and end when `signal` is aborted. `look`: the
 * read belongs to a wait, and its searches are never refused.
 */
export type ReadTerms = { user?: Id; signal?: AbortSignal | undefined; look?: boolean };

/**
 * Reads a page of messages, newest first. Throws Invalid if the message `messageId` never belonged to the owner, TooManySearches,
 * SearchTimeout.
 */
export async function listMessages(
  ports: ListPorts,
  owner: Id,
  filter: MessageFilter,
  since: Since,
  page: Page,
  asker: ReadTerms = {},
): Promise<MessageList> {
  const after = await startOf(ports, owner, since);
  return readPage(ports, owner, after === null ? filter : { ...filter, after }, page, asker);
}

/**
 * Reads a page as soon as `count` messages match, or after `waitMs`, or when `signal` is aborted. `met` is true if `count` messages
 * match. `anyEvent`: events in other mailboxes may bring messages into the scope. Throws TooManyWaits.
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

/**
 * Checks that a mailbox belongs to the owner before its messages are listed. Throws NotFound for another owner's mailbox, whose list
 * would otherwise be empty.
 */
export async function requireMailbox(
  mailboxes: Pick<MailboxStore, 'find'>,
  owner: Id,
  { accountId, mailboxId }: Place,
): Promise<Mailbox> {
  return found(await mailboxes.find(owner, accountId, mailboxId));
}

/** Reads a page immediately if that needs little work, and otherwise as a search, in its turn. Throws TooManySearches, SearchTimeout. */
export function readPage(
  { messages, searches, clock, retentionDays }: PagePorts,
  owner: Id,
  filter: MessageFilter,
  page: Page,
  asker: ReadTerms,
): Promise<MessageList> {
  const visibility = visibilityAt(clock(), retentionDays);
  const search: SearchRunner = (work) => searches.search(asker.user ?? owner, filter, asker, work);
  return workOf(filter, page) === 'page'
    ? messages.list(owner, filter, page, visibility, search)
    : search((terms) => messages.list(owner, filter, page, visibility, (work) => work(terms)));
}

/**
 * Returns the event number after which messages count as new, or null if all do. Throws Invalid for a message that never belonged to the
 * owner.
 */
export async function startOf(
  ports: ReadPorts & { journal: Pick<Journal, 'messageNumber'> },
  owner: Id,
  { messageId, cursor }: Since,
): Promise<number | null> {
  if (messageId === undefined) return cursor ?? null;
  const found = await unlessGone(readMessage(ports, owner, messageId));
  const number = found?.number ?? (await ports.journal.messageNumber(owner, messageId));
  if (number === null) throw invalid('after', 'is not the id of one of your current or deleted messages');
  return Math.max(number, cursor ?? 0);
}
