import { effect } from '@preact/signals';
import { isUnreachable, retryMs } from '../client/client.ts';
import type { Directory } from '../client/directory.ts';
import type { Events } from '../client/events.ts';
import type { MailEvent } from '../client/shapes.ts';
import type { Notices } from '../notices.ts';
import type { Router } from '../place.ts';
import type { Actions } from './actions.ts';
import type { MailList } from './mail-list.ts';

/** Minimum interval in ms between two reads of the counts. */
const countsPauseMs = 400;
const refreshPauseMs = 250;

/** Creates updates of rows and counts from events, whichever tab or program caused the events. */
export function createLive(
  { reloadDirectory }: Directory,
  { connection, followEvents, onMailEvent }: Events,
  { notifyOf }: Notices,
  { goMail, mailPlace }: Router,
  { list }: MailList,
  { forget }: Actions,
) {
  const refreshSoon = later(refreshPauseMs, () => list.value.refresh());
  /** Reads the counts again soon. */
  const countAgain = later(countsPauseMs, () => {
    // The read after the next event makes up for a failed read.
    reloadDirectory().catch(() => {});
  });

  function take(event: MailEvent): void {
    if (event.type === 'resync') {
      list.value.refresh();
      countAgain();
      return;
    }
    const { scope, rows } = list.value;
    const here = scope.account === null || event.mailbox_id === scope.mailbox;
    switch (event.type) {
      case 'message.received':
        if (here) list.value.takeNew();
        notifyOf(event);
        break;
      case 'message.deleted':
        if (rows.has(event.id)) list.value.remove(event.id);
        else if (here) refreshSoon();
        forget([event.id]);
        if (mailPlace.value.message === event.id) goMail({ message: null, tab: null }, { replace: true });
        break;
      case 'message.updated': {
        const { id, is_read, is_flagged, mailbox_id, ids } = event;
        // A bulk change's event has the flags of one of its messages.
        if (ids !== undefined) {
          if (here || ids.some((one) => rows.has(one))) refreshSoon();
        } else if (!rows.has(id)) {
          if (here) refreshSoon();
        } else if (here) list.value.change(id, { is_read, is_flagged, mailbox_id });
        else list.value.remove(id);
      }
    }
    countAgain();
  }

  /** Starts the updates. Returns a function that stops them. */
  function goLive(): () => void {
    const ends = [
      onMailEvent(take),
      // The list is complete up to its cursor, where the stream continues.
      effect(() => {
        if (list.value.loaded.value) followEvents(list.value.cursor);
      }),
      // A read can fail while the stream survives, and its error can arrive after the stream is open again.
      effect(() => {
        if (connection.value === 'lost' || !isUnreachable(list.value.error.value)) return;
        const timer = setTimeout(() => {
          list.value.refresh();
          countAgain();
        }, retryMs);
        return () => clearTimeout(timer);
      }),
    ];
    return () => {
      for (const end of ends) end();
    };
  }
  return { goLive };
}

/** Combines calls: runs `call` once, `pauseMs` after the first of them. */
function later(pauseMs: number, call: () => unknown): () => void {
  let isDue = false;
  return () => {
    if (isDue) return;
    isDue = true;
    setTimeout(() => {
      isDue = false;
      call();
    }, pauseMs);
  };
}
