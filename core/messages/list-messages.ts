import { invalid, NotFound } from '#core/errors.ts';
import type { Journal } from '#core/events/event.ts';
import type { Feed } from '#core/events/feed.ts';
import type { Id } from '#core/ids.ts';
import type { MailboxStore } from '#core/mailboxes/mailbox.ts';
import type { Page, Slice } from '#core/page.ts';
import type { MessageFilter, MessageSummary } from './message.ts';
import { type Place, type ReadPorts, readMessage } from './read-message.ts';
import { visibilityAt } from './retention.ts';

export type MessageList = Slice<MessageSummary> & { cursor: number };

/** Which messages count as new: those after a message, after a cursor, or all. */
export type Since = { messageId?: Id; cursor?: number };

type ListPorts = ReadPorts & { journal: Journal };

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
  asked?: number,
): Promise<MessageList> {
  const after = await startOf(ports, owner, since);
  return read(ports, owner, after === null ? filter : { ...filter, after }, page, asked);
}

/**
 * The page as soon as `count` matching messages are there, at the latest after `waitMs` with what there is then; `met`
 * tells which. An aborted `signal` ends the wait early.
 */
export async function waitForMessages(
  ports: ListPorts & { feed: Feed },
  owner: Id,
  filter: MessageFilter,
  since: Since,
  page: Page,
  { count, waitMs, signal }: { count: number; waitMs: number; signal: AbortSignal },
): Promise<{ list: MessageList; met: boolean }> {
  const start = await startOf(ports, owner, since);
  const wanted = start === null ? filter : { ...filter, after: start };
  const alarm = new Alarm(AbortSignal.any([signal, AbortSignal.timeout(waitMs)]));
  // Followed from before the first look, so that what arrives between the two wakes us.
  const head = (await ports.journal.heads([owner])).get(owner) ?? 0;
  const following = ports.feed.follow(owner, head, {
    onEvents: () => alarm.ring(),
    onGap: () => alarm.ring(),
  });
  try {
    for (;;) {
      const list = await read(ports, owner, wanted, page);
      if (list.total >= count) return { list, met: true };
      if (!(await alarm.rung())) return { list, met: false };
    }
  } finally {
    following.stop();
  }
}

/** A mailbox must be the owner's before its messages are listed: a stranger's is not found, rather than empty. */
export async function requireMailbox(
  mailboxes: MailboxStore,
  owner: Id,
  { accountId, mailboxId }: Place,
  asked?: number,
): Promise<void> {
  if ((await mailboxes.find(owner, accountId, mailboxId, asked)) === null) throw new NotFound();
}

function read(
  ports: ReadPorts,
  owner: Id,
  filter: MessageFilter,
  page: Page,
  asked?: number,
): Promise<MessageList> {
  return ports.messages.list(owner, filter, page, visibilityAt(ports.clock(), ports.retentionDays, asked));
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

/** Remembers rings between two waits; ends with its signal. */
class Alarm {
  readonly #signal: AbortSignal;
  #rang = false;
  #wake: () => void = () => {};

  constructor(signal: AbortSignal) {
    this.#signal = signal;
    signal.addEventListener('abort', () => this.#wake(), { once: true });
  }

  ring(): void {
    this.#rang = true;
    this.#wake();
  }

  /** True after the next ring, or one since the last call; false once the signal is aborted. */
  async rung(): Promise<boolean> {
    if (!this.#rang && !this.#signal.aborted) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    const rang = this.#rang;
    this.#rang = false;
    return rang && !this.#signal.aborted;
  }
}
