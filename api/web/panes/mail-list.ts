import { batch, computed, signal } from '@preact/signals';
import type { Client } from '../client/client.ts';
import type { MessageSummary } from '../client/shapes.ts';
import type { Appearance } from '../parts/appearance.ts';
import { allMail } from '../place-url.ts';
import { List, type Scope } from './list.ts';

const tintMs = 3000;

/**
 * Creates the current list and its drawn rows: all messages except those whose deletion can still be undone and, in conversation view,
 * those with a newer message of their conversation in the list. An index counts drawn rows, a position counts all messages of the list.
 */
export function createMailList(
  { request, hasLeft }: Pick<Client, 'request' | 'hasLeft'>,
  { conversations }: Pick<Appearance, 'conversations'>,
) {
  /** Messages that have just arrived, which are tinted. */
  const arrivals = signal<ReadonlySet<number>>(new Set());
  /** Text that screen readers announce when mail arrives. */
  const announcement = signal('');
  /** Messages shown as deleted while their deletion can still be undone. */
  const hidden = signal<ReadonlySet<number>>(new Set());
  const list = signal(begin(allMail));

  /** Returns the rows of the list, and subscribes to their changes. */
  const rows = () => {
    list.value.changed.value;
    return list.value.rows;
  };

  /** Positions of hidden messages, ascending. */
  const hiddenGaps = computed(() => {
    const all = rows();
    return [...hidden.value]
      .map((id) => all.indexOf(id))
      .filter((position) => position >= 0)
      .sort((a, b) => a - b);
  });

  /**
   * Conversations in the list by conversation number, each with its known messages that are not hidden, newest first. Empty while the
   * conversation view is off.
   */
  const threads = computed(() => {
    const known = conversations.value === 'yes' ? rows().known() : [];
    return Map.groupBy(
      known.filter(({ id }) => !hidden.value.has(id)),
      conversationOf,
    );
  });

  /** Positions of messages without a row, ascending. */
  const gaps = computed(() => {
    if (threads.value.size === 0) return hiddenGaps.value;
    const all = rows();
    const drawn = new Set([...threads.value.values()].map(([newest]) => newest?.id));
    const found: number[] = [];
    for (let position = 0; position < all.total; position++) {
      const item = all.at(position);
      if (item !== undefined && !drawn.has(item.id)) found.push(position);
    }
    return found;
  });

  /** Number of messages in the list that are not hidden. */
  const shownTotal = computed(() => rows().total - hiddenGaps.value.length);

  /** Number of rows that are drawn if the user scrolls through the whole list. */
  const rowTotal = computed(() => rows().total - gaps.value.length);

  /** Returns the mailbox of each hidden message of the list that is unread. */
  const hiddenUnread = () =>
    [...hidden.value].flatMap((id) => {
      const row = rows().find(id);
      return row?.is_read === false ? row.mailbox_id : [];
    });

  /** Checks whether a message is in the list and not hidden. */
  const isShown = (id: number): boolean => rows().has(id) && !hidden.value.has(id);

  /** Returns the listed messages that a message's row represents, newest first: its conversation, or the message alone. */
  function conversation(id: number): MessageSummary[] {
    const item = rows().find(id);
    if (item === undefined || hidden.value.has(id)) return [];
    return threads.value.get(conversationOf(item)) ?? [item];
  }

  /** Returns the message whose row represents a message. */
  const headOf = (id: number): number => conversation(id)[0]?.id ?? id;

  /** Checks whether a message has its own row, drawn now or once it is scrolled into view. */
  const hasRow = (id: number): boolean => isShown(id) && headOf(id) === id;

  /** Returns the list position of the drawn row with this index. */
  function positionOf(index: number): number {
    let position = index;
    for (const gap of gaps.value) if (gap <= position) position++;
    return position;
  }

  /** Returns the index of the row that represents a message, or -1 if the message is hidden or its position is unknown. */
  function indexOfMessage(id: number): number {
    const position = list.value.rows.indexOf(headOf(id));
    if (position < 0 || hidden.value.has(id)) return -1;
    return position - gaps.value.filter((gap) => gap < position).length;
  }

  const messageAt = (index: number) =>
    index < 0 || index >= rowTotal.value ? undefined : list.value.rows.at(positionOf(index));

  function begin(scope: Scope): List {
    return new List(scope, request, welcome);
  }

  function replace(scope: Scope): void {
    list.peek().end();
    list.value = begin(scope);
  }

  function showList(scope: Scope): void {
    replace(scope);
    list.peek().refresh();
  }

  function welcome(items: MessageSummary[]): void {
    const ids = items.map(({ id }) => id);
    setTimeout(() => {
      arrivals.value = arrivals.value.difference(new Set(ids));
    }, tintMs);
    const [newest] = items;
    batch(() => {
      arrivals.value = arrivals.value.union(new Set(ids));
      announcement.value =
        items.length === 1 && newest
          ? `New mail from ${newest.from_address}: ${newest.subject}`
          : `${items.length} new messages`;
    });
  }

  // The next user of this tab never sees the previous user's list, and users never see a list of a team that they have left.
  hasLeft.subscribe((left) => {
    if (left) replace(list.peek().scope);
  });
  return {
    list,
    hiddenUnread,
    showList,
    hidden,
    isShown,
    hasRow,
    headOf,
    conversation,
    shownTotal,
    rowTotal,
    positionOf,
    indexOfMessage,
    messageAt,
    arrivals,
    announcement,
  };
}

/** Returns a message's conversation number: the id of the conversation's earliest message, whose own row may predate the replies. */
const conversationOf = ({ id, thread_id }: MessageSummary): number => thread_id ?? id;

export type MailList = ReturnType<typeof createMailList>;
