import { batch, computed, signal } from '@preact/signals';
import type { Client } from '../client/client.ts';
import type { MessageSummary } from '../client/shapes.ts';
import { allMail } from '../place-url.ts';
import { List, type Scope } from './list.ts';

const tintMs = 3000;

/**
 * List that is shown, and the rows of it that are drawn: all but those whose deletion can still be undone. An index counts shown
 * rows, a position counts all rows of the list.
 */
export function createMailList({ request, hasLeft }: Pick<Client, 'request' | 'hasLeft'>) {
  /** Messages that have just arrived, and are tinted. */
  const arrivals = signal<ReadonlySet<number>>(new Set());
  /** Text that screen readers announce when mail comes. */
  const announcement = signal('');
  /** Messages that are shown as deleted while their deletion can still be undone. */
  const hidden = signal<ReadonlySet<number>>(new Set());
  const list = signal(begin(allMail));

  /** Rows of the list. Subscribes to their changes. */
  const rows = () => {
    list.value.changed.value;
    return list.value.rows;
  };

  /** Positions of hidden messages, ascending. */
  const gaps = computed(() =>
    [...hidden.value]
      .map((id) => rows().indexOf(id))
      .filter((position) => position >= 0)
      .sort((a, b) => a - b),
  );

  /** Number of rows that are shown. */
  const shownTotal = computed(() => rows().total - gaps.value.length);

  /** Checks whether a message is one of the rows that are shown, or would be if the list were scrolled. */
  const isShown = (id: number): boolean => rows().has(id) && !hidden.value.has(id);

  /** Returns the position in the list of the shown row number `index`. */
  function positionOf(index: number): number {
    let position = index;
    for (const gap of gaps.value) if (gap <= position) position++;
    return position;
  }

  /** Returns the number of the shown row of a message, or -1 if it is hidden or its position is unknown. */
  function indexOfMessage(id: number): number {
    const position = list.value.rows.indexOf(id);
    if (position < 0 || hidden.value.has(id)) return -1;
    return position - gaps.value.filter((gap) => gap < position).length;
  }

  const messageAt = (index: number) =>
    index < 0 || index >= shownTotal.value ? undefined : list.value.rows.at(positionOf(index));

  function begin(scope: Scope): List {
    return new List(scope, request, welcome);
  }

  function replace(scope: Scope): void {
    list.peek().end();
    list.value = begin(scope);
  }

  /** Shows another list. */
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

  // The next user of this tab never sees the list of the former one, and nobody that of a team they have left.
  hasLeft.subscribe((left) => {
    if (left) replace(list.peek().scope);
  });
  return {
    list,
    showList,
    hidden,
    isShown,
    shownTotal,
    positionOf,
    indexOfMessage,
    messageAt,
    arrivals,
    announcement,
  };
}

export type MailList = ReturnType<typeof createMailList>;
