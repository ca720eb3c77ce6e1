import { type Client, isNotFound, messageOf } from '../client/client.ts';
import type { Events } from '../client/events.ts';
import type { Mailbox, Message, MessageSummary } from '../client/shapes.ts';
import { nameOfLink } from '../message/link-names.ts';
import { copy } from '../parts/copy.ts';
import { count } from '../parts/size.ts';
import type { Toasts } from '../parts/toasts.ts';
import type { Router } from '../place.ts';
import type { Bulk, BulkChange } from './bulk.ts';
import type { MailList } from './mail-list.ts';
import type { Selection } from './selection.ts';

/** Fields that an update can change. */
type Change = Partial<Pick<MessageSummary, 'is_read' | 'is_flagged' | 'expires_at'>>;

/** Deletion that can still be undone. */
type Pending = { ids: number[]; timer: ReturnType<typeof setTimeout>; undo(): void };

/** Time in ms during which a deletion can be undone. The API call follows. */
const undoMs = 10_000;
const atOnce = 6;

const messages = ({ length }: number[]) => count(length, 'message');

/** Creates actions on messages. An action applies immediately in the list, and through the API. */
export function createActions(
  { request, rawPath }: Client,
  { connection }: Pick<Events, 'connection'>,
  { goMail, mailPlace }: Pick<Router, 'goMail' | 'mailPlace'>,
  { tell }: Toasts,
  { changeMany, deleteAtEnd }: Bulk,
  { list, hidden, indexOfMessage, messageAt }: MailList,
  { active, clearSelection }: Selection,
) {
  const pending = new Set<Pending>();

  /** Changes messages. If the change of a message is refused, shows the message's previous state again. */
  async function change(ids: number[], update: Change): Promise<void> {
    const before = ids.map((id) => list.value.rows.find(id)).filter((row) => row !== undefined);
    list.value.change(
      before.map(({ id }) => id),
      update,
    );
    const together = ids.length > 1 ? bulkOf(update) : null;
    const failed = together ? await changeMany(ids, together, () => {}) : await changeEach(ids, update);
    const left = new Set(failed);
    for (const row of before) if (left.has(row.id)) list.value.change(row.id, row);
  }

  const changeEach = (ids: number[], update: Change) =>
    runAll(ids, async (id) => {
      const path = `/api/messages/${id}`;
      const { is_read, is_flagged, expires_at } = await request<Message>('PATCH', path, update);
      list.value.change(id, { is_read, is_flagged, expires_at });
    });

  /** Marks messages as read, or as unread if all of them are read. */
  async function toggleRead(ids: number[]): Promise<void> {
    const someUnread = ids.some((id) => list.value.rows.find(id)?.is_read === false);
    await change(ids, { is_read: someUnread });
  }

  async function toggleFlag(ids: number[]): Promise<void> {
    const someUnflagged = ids.some((id) => list.value.rows.find(id)?.is_flagged !== true);
    await change(ids, { is_flagged: someUnflagged });
  }

  /** Marks the unread ones of the messages as read. */
  async function markRead(ids: number[]): Promise<void> {
    const known = list.value.rows.known();
    const read = new Set(known.flatMap(({ id, is_read }) => (is_read ? [id] : [])));
    const unread = ids.filter((id) => !read.has(id));
    await change(unread, { is_read: true });
  }

  /** Moves messages within their account. If the open message leaves the list, opens the next one in its place. */
  async function moveTo(
    ids: number[],
    { id: mailbox, path: name }: Pick<Mailbox, 'id' | 'path'>,
  ): Promise<void> {
    const { account } = list.value.scope;
    if (account !== null) advance(ids);
    await changeMany(ids, { action: 'move', mailbox: name }, (moved) => {
      if (account === null) list.value.change(moved, { mailbox_id: mailbox });
      else list.value.remove(...moved);
    });
  }

  /** Adds a tag to messages, or removes it. */
  async function changeTag(ids: number[], action: 'tag' | 'untag', tag: string): Promise<void> {
    const failed = await changeMany(ids, { action, tag }, (some) => {
      for (const id of some) {
        const others = (list.value.rows.find(id)?.tags ?? []).filter((one) => one !== tag);
        list.value.rows.change(id, { tags: action === 'tag' ? [...others, tag] : others });
      }
      list.value.change([], {});
    });
    const count = messages(ids);
    if (failed.length === 0)
      tell(action === 'tag' ? `Added “${tag}” to ${count}` : `Removed “${tag}” from ${count}`);
  }

  /** Returns a message's row. If the message is open but not in the list, reads it. */
  const summaryOf = async (id: number): Promise<MessageSummary> =>
    list.value.rows.find(id) ?? (await request<Message>('GET', `/api/messages/${id}`));

  /** Copies a message's code, or otherwise its main link, and says which. */
  async function copyOf(id: number): Promise<void> {
    try {
      const { code, main_link, subject } = await summaryOf(id);
      const text = code || main_link;
      if (!text) return void tell('This message has no code or main link');
      const name = code ? `the code ${code}` : `the ${nameOfLink(text, subject).toLowerCase()}`;
      const isCopied = await copy(text, document.querySelector('.mail') ?? document.body);
      tell(isCopied ? `Copied ${name}` : `Not copied: ${name}`);
    } catch (error) {
      tell(messageOf(error));
    }
  }

  /** Deletes messages unless the user undoes it in time. Hides the messages immediately. Does nothing if there is no connection. */
  function remove(ids: number[]): void {
    if (ids.length === 0) return;
    if (connection.value === 'lost') return void tell("Not deleted: can't reach Sandpost");
    advance(ids);
    hidden.value = hidden.value.union(new Set(ids));
    const deletion: Pending = {
      ids,
      timer: setTimeout(() => void carryOut(deletion), undoMs),
      undo() {
        clearTimeout(deletion.timer);
        pending.delete(deletion);
        forget(ids);
        away();
      },
    };
    pending.add(deletion);
    const away = tell(`Deleting ${messages(ids)} in 10 s`, { name: 'Undo (z)', run: deletion.undo }, undoMs);
  }

  /** Undoes the latest deletion that can still be undone. */
  function undo(): void {
    const last = [...pending].at(-1);
    if (last) last.undo();
    else tell('Nothing to undo');
  }

  async function carryOut(deletion: Pending): Promise<void> {
    pending.delete(deletion);
    const gone = (ids: number[]) => {
      list.value.remove(...ids);
      forget(ids);
    };
    const failed =
      deletion.ids.length > 1
        ? await changeMany(deletion.ids, { action: 'delete' }, gone)
        : await runAll(
            deletion.ids,
            async (id) => {
              await request('DELETE', `/api/messages/${id}`);
              gone([id]);
            },
            'Not deleted: ',
          );
    if (failed.length === 0) return;
    forget(failed);
    list.value.refresh();
  }

  /** Stops hiding messages that are deleted, or whose deletion was undone or refused. */
  function forget(ids: number[]): void {
    if (ids.some((id) => hidden.value.has(id))) hidden.value = hidden.value.difference(new Set(ids));
  }

  /** Saves each message as a file, `message-7.eml`. */
  function download(ids: number[]): void {
    for (const id of ids) {
      const link = document.createElement('a');
      link.href = rawPath(id);
      link.download = `message-${id}.eml`;
      link.click();
    }
  }

  /**
   * Advances to the message after those that leave the list. If one of those is open, opens the next message, otherwise only makes it
   * active.
   */
  function advance(ids: number[]): void {
    const leaving = new Set(ids);
    const last = ids.reduce((most, id) => Math.max(most, indexOfMessage(id)), -1);
    let index = last + 1;
    let next = last < 0 ? undefined : messageAt(index);
    while (next !== undefined && leaving.has(next.id)) next = messageAt(++index);
    for (index = last - 1; next === undefined && index >= 0; index--) {
      const earlier = messageAt(index);
      if (earlier !== undefined && !leaving.has(earlier.id)) next = earlier;
    }
    const { message } = mailPlace.value;
    clearSelection();
    active.value = next?.id ?? null;
    if (message !== null && leaving.has(message)) {
      goMail({ message: next?.id ?? null, tab: next ? mailPlace.value.tab : null }, { replace: true });
    }
  }

  /**
   * Runs `act` for each id, several at a time. Shows the last error, and returns the ids for which `act` failed. A 404 is not a failure.
   */
  async function runAll(ids: number[], act: (id: number) => Promise<unknown>, not = ''): Promise<number[]> {
    const queue = [...ids];
    const failed: number[] = [];
    let why = '';
    const worker = async () => {
      for (let id = queue.shift(); id !== undefined; id = queue.shift()) {
        try {
          await act(id);
        } catch (error) {
          if (isNotFound(error)) continue;
          failed.push(id);
          why = messageOf(error);
        }
      }
    };
    await Promise.all(Array.from({ length: Math.min(atOnce, ids.length) }, worker));
    if (failed.length > 0)
      tell(failed.length === 1 ? not + why : `${failed.length} of ${ids.length} failed: ${why}`);
    return failed;
  }

  /** Performs the deletions that can still be undone before the page closes. */
  function deletePending(): void {
    for (const { ids, timer } of pending) {
      clearTimeout(timer);
      if (ids.length > 1) deleteAtEnd(ids);
      else void request('DELETE', `/api/messages/${ids[0]}`, undefined, { keepalive: true }).catch(() => {});
    }
    pending.clear();
  }

  return {
    change,
    toggleRead,
    toggleFlag,
    markRead,
    moveTo,
    changeTag,
    copyOf,
    remove,
    undo,
    forget,
    deletePending,
    download,
  };
}

export type Actions = ReturnType<typeof createActions>;

/** Returns an update as a bulk change's action, or null if no action matches. */
function bulkOf({ is_read, is_flagged }: Change): BulkChange | null {
  if (is_read !== undefined) return { action: is_read ? 'read' : 'unread' };
  return is_flagged === undefined ? null : { action: is_flagged ? 'flag' : 'unflag' };
}
