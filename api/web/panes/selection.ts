import { computed, signal } from '@preact/signals';
import { goMail, mailPlace } from '../place.ts';
import { indexOfMessage, messageAt, shownTotal } from './hidden.ts';

/** Active row: the message that keys act on. */
export const active = signal<number | null>(null);

/** Index of a row that becomes active as soon as it is loaded. Null if none is awaited. */
export const awaited = signal<number | null>(null);

/** Selected messages. `everything` means the whole list, loaded or not. */
export const selected = signal<ReadonlySet<number>>(new Set());
export const everything = signal(false);

/** Message at which a range with Shift begins. */
let anchor: number | null = null;

/** Messages to act on, unless everything is selected: the selected ones, else the open one, else the active one. */
export const targets = computed<number[]>(() => {
  if (selected.value.size > 0) return [...selected.value];
  const one = mailPlace.value.message ?? active.value;
  return one === null ? [] : [one];
});

export function clearSelection(): void {
  selected.value = new Set();
  everything.value = false;
}

/** Opens a message. `replace` leaves no step to go back to. */
export function open(id: number, options?: { replace?: boolean }): void {
  clearSelection();
  active.value = id;
  anchor = id;
  goMail({ message: id }, options);
}

/** Adds the message to the selection, or removes it. */
export function toggle(id: number): void {
  const next = new Set(selected.value);
  // The open message is the first of a selection.
  if (next.size === 0 && mailPlace.value.message !== null && mailPlace.value.message !== id) {
    next.add(mailPlace.value.message);
  }
  if (!next.delete(id)) next.add(id);
  selected.value = next;
  everything.value = false;
  active.value = id;
  anchor = id;
}

/** Selects the messages from the beginning of the selection up to this one. */
export function extendTo(id: number): void {
  const from = indexOfMessage(anchor ?? active.value ?? mailPlace.value.message ?? id);
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
  everything.value = false;
  active.value = id;
}

export function selectEverything(): void {
  if (shownTotal.value > 0) everything.value = true;
}

/** Goes `by` rows down, up if negative. If a message is open, opens the next one. `extend` extends the selection instead. */
export function step(by: number, extend = false): void {
  const begin = active.value ?? mailPlace.value.message;
  const from = begin === null ? -1 : indexOfMessage(begin);
  const index = from < 0 ? (by > 0 ? 0 : shownTotal.value - 1) : from + by;
  const target = Math.max(0, Math.min(shownTotal.value - 1, index));
  const next = messageAt(target);
  awaited.value = next === undefined ? target : null;
  if (next === undefined) return;
  if (extend) extendTo(next.id);
  else if (mailPlace.value.message !== null) open(next.id, { replace: true });
  else {
    clearSelection();
    active.value = next.id;
    anchor = next.id;
  }
}
