import { batch, computed, signal } from '@preact/signals';
import type { Router } from '../place.ts';
import type { MailList } from './mail-list.ts';

/** Selection of the whole list at the time of selection, without mail that arrives later. */
type Everything = { ids: Promise<number[]>; count: number; isRead: boolean };

/** Creates the active row, selected rows and open message of a list, and the messages to which an action applies. */
export function createSelection(
  { conversation, hasRow, list, indexOfMessage, isShown, messageAt, rowTotal, shownTotal }: MailList,
  { goMail, mailPlace }: Pick<Router, 'goMail' | 'mailPlace'>,
) {
  /** Active row: the message that keys act on while the list is shown. */
  const active = signal<number | null>(null);

  /** Index of a row that becomes active as soon as it is loaded. Null if no row is awaited. */
  const awaited = signal<number | null>(null);

  const selected = signal<ReadonlySet<number>>(new Set());

  /**
   * Selection of the whole list. Null if rows were selected individually. Until all rows are read, `selected` contains the known ones.
   */
  const everything = signal<Everything | null>(null);

  /** Message where a Shift range begins. */
  let anchor: number | null = null;

  /** Active row, if the list shows it. */
  const activeShown = computed(() => (active.value !== null && hasRow(active.value) ? active.value : null));

  /** Open message, and whether it exists. Null until this is known. */
  const read = signal<{ id: number; exists: boolean } | null>(null);

  /** Open message, if it exists. Until it is read, a listed message counts as existing. */
  const openFound = computed(() => {
    const { message } = mailPlace.value;
    if (message === null) return null;
    const exists = read.value?.id === message ? read.value.exists : isShown(message);
    return exists ? message : null;
  });

  /** Message that keys act on while nothing is selected: the open message, otherwise the active row. */
  const current = computed(() => (mailPlace.value.message === null ? activeShown.value : openFound.value));

  /** Number of selected messages, counting all messages of a row that is a conversation. */
  const selectedCount = computed(() =>
    everything.value?.isRead === false ? everything.value.count : selectedShown().length,
  );

  /** Returns the selected messages that the list shows. A selected row includes all messages that it represents. */
  const selectedShown = (): number[] =>
    everything.value === null
      ? [...selected.value].filter(hasRow).flatMap(messagesOf)
      : [...selected.value].filter(isShown);

  const messagesOf = (id: number): number[] => conversation(id).map((item) => item.id);

  /**
   * Returns the ids to which actions apply: the whole list if everything is selected, otherwise the selected messages, otherwise the open
   * message, otherwise the active row. Actions get ids only from here, so they reach only messages that are open or in the list as shown
   * and filtered. Empty if another list is shown before this list has been read.
   */
  async function chosen(): Promise<number[]> {
    const all = everything.value;
    if (all !== null) {
      const ids = new Set(await all.ids);
      return everything.value?.ids === all.ids ? (await readShown()).filter((id) => ids.has(id)) : [];
    }
    if (selectedCount.value > 0) return selectedShown();
    if (current.value === null) return [];
    return mailPlace.value.message === null ? messagesOf(current.value) : [current.value];
  }

  const readShown = async () => (await list.value.readAll()).map(({ id }) => id).filter(isShown);

  /**
   * Returns the ids of the whole list as it is now. Mail that arrives while rows are read is newer than all known mail, so it is
   * excluded.
   */
  async function wholeList(): Promise<number[]> {
    const newest = list.value.rows.known().reduce((most, { id }) => Math.max(most, id), 0);
    return (await readShown()).filter((id) => id <= newest);
  }

  function clearSelection(): void {
    selected.value = new Set();
    everything.value = null;
  }

  /** Clears the selection and the active row before another list is shown. */
  function letGoOfRows(): void {
    clearSelection();
    active.value = null;
    awaited.value = null;
    anchor = null;
  }

  /** Opens a message. `replace` replaces the current history entry. */
  function open(id: number, options?: { replace?: boolean }): void {
    clearSelection();
    active.value = id;
    anchor = id;
    goMail({ message: id }, options);
  }

  /** Adds the message to the selection, or removes it. */
  function toggle(id: number): void {
    const next = new Set(selected.value);
    // The open message is the first message of a selection.
    if (next.size === 0 && mailPlace.value.message !== null && mailPlace.value.message !== id) {
      next.add(mailPlace.value.message);
    }
    if (!next.delete(id)) next.add(id);
    selected.value = next;
    everything.value = null;
    active.value = id;
    anchor = id;
  }

  /** Selects the messages from the selection's start up to this one. */
  function extendTo(id: number): void {
    const from = indexOfMessage(anchor ?? activeShown.value ?? mailPlace.value.message ?? id);
    const to = indexOfMessage(id);
    if (from < 0 || to < 0) {
      toggle(id);
      return;
    }
    const ids = Array.from(
      { length: Math.abs(to - from) + 1 },
      (_, offset) => messageAt(Math.min(from, to) + offset)?.id,
    );
    selected.value = new Set(ids.filter((known) => known !== undefined));
    everything.value = null;
    active.value = id;
  }

  function selectEverything(): void {
    if (shownTotal.value === 0) return;
    const all: Everything = { ids: wholeList(), count: shownTotal.value, isRead: false };
    const known = list.value.rows.known().map(({ id }) => id);
    batch(() => {
      everything.value = all;
      selected.value = new Set(known.filter(isShown));
    });
    void all.ids.then((ids) => {
      if (everything.value !== all) return;
      batch(() => {
        everything.value = { ...all, isRead: true };
        selected.value = new Set(ids);
      });
    });
  }

  /**
   * Moves `by` rows down, or up if `by` is negative. If a message is open, opens the message in that row. While rows are selected, only
   * the active row moves, so further rows can be added. `extend` extends the selection instead.
   */
  function step(by: number, extend = false): void {
    const begin = activeShown.value ?? mailPlace.value.message;
    const from = begin === null ? -1 : indexOfMessage(begin);
    const index = from < 0 ? (by > 0 ? 0 : rowTotal.value - 1) : from + by;
    const target = Math.max(0, Math.min(rowTotal.value - 1, index));
    const next = messageAt(target);
    awaited.value = next === undefined ? target : null;
    if (next === undefined) return;
    if (extend) extendTo(next.id);
    else if (mailPlace.value.message !== null && selectedCount.value === 0) open(next.id, { replace: true });
    else {
      active.value = next.id;
      anchor = next.id;
    }
  }
  return {
    active,
    awaited,
    selected,
    everything,
    activeShown,
    read,
    openFound,
    current,
    selectedCount,
    chosen,
    wholeList,
    clearSelection,
    letGoOfRows,
    open,
    toggle,
    extendTo,
    selectEverything,
    step,
  };
}

export type Selection = ReturnType<typeof createSelection>;
