import { signal } from '@preact/signals';
import { directory, reloadDirectory } from '../client/directory.ts';
import { connection, followEvents, onMailEvent } from '../client/events.ts';
import type { MailEvent, MessageSummary } from '../client/shapes.ts';
import { goMail, mailPlace } from '../place.ts';
import { forget } from './deletion.ts';
import {
  changeRow,
  currentRows,
  currentScope,
  listCursor,
  listError,
  loaded,
  onArrival,
  refreshList,
  removeRow,
  takeNew,
} from './list.ts';
import { notifyOf } from './notify.ts';

/** Messages that have just arrived, and are tinted. */
export const arrivals = signal<ReadonlySet<number>>(new Set());

/** Text that screen readers announce when mail comes. */
export const announcement = signal('');

const tintMs = 3000;
/** Shortest time in ms between two readings of the counts. */
const countsPauseMs = 400;
const refreshPauseMs = 250;

/** Updates rows and counts from the events, whichever tab or program caused them. Returns the function that ends this. */
export function goLive(): () => void {
  onArrival(welcome);
  const ends = [
    onMailEvent(take),
    // The list is complete up to its cursor. The stream continues there.
    loaded.subscribe((isLoaded) => {
      if (isLoaded) followEvents(listCursor());
    }),
    connection.subscribe((state) => {
      if (state === 'open' && listError.peek() !== null) refreshList();
    }),
  ];
  return () => {
    for (const end of ends) end();
  };
}

function take(event: MailEvent): void {
  if (event.type === 'resync') {
    refreshList();
    countAgain();
    return;
  }
  const { account, mailbox } = currentScope();
  const here = account === null || event.mailbox_id === mailbox;
  switch (event.type) {
    case 'message.received':
      if (here) takeNew();
      notifyOf(event);
      break;
    case 'message.deleted':
      if (currentRows().has(event.id)) removeRow(event.id);
      else if (here) refreshSoon();
      forget([event.id]);
      if (mailPlace.value.message === event.id) goMail({ message: null, tab: null }, { replace: true });
      break;
    case 'message.updated': {
      const { id, is_read, is_flagged, mailbox_id } = event;
      const row = currentRows().find(id);
      if (row === undefined) {
        if (here) refreshSoon();
      } else if (here) changeRow(id, { is_read, is_flagged, mailbox_id });
      else removeRow(id);
    }
  }
  countAgain();
}

function welcome(items: MessageSummary[]): void {
  const ids = items.map(({ id }) => id);
  arrivals.value = new Set([...arrivals.value, ...ids]);
  setTimeout(() => {
    arrivals.value = new Set([...arrivals.value].filter((id) => !ids.includes(id)));
  }, tintMs);
  const [newest] = items;
  announcement.value =
    items.length === 1 && newest
      ? `New mail from ${newest.from_address}: ${newest.subject}`
      : `${items.length} new messages`;
}

/** Combines calls: runs `call` once, `pauseMs` after the first of them. */
function later(pauseMs: number, call: () => unknown): () => void {
  let asked = false;
  return () => {
    if (asked) return;
    asked = true;
    setTimeout(() => {
      asked = false;
      call();
    }, pauseMs);
  };
}

const refreshSoon = later(refreshPauseMs, refreshList);

/** Reads the counts again soon. */
const countAgain = later(countsPauseMs, () => {
  // A failed reading is made up for by that of the next event.
  if (directory.value !== null) reloadDirectory().catch(() => {});
});
