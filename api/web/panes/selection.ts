import { computed, signal } from '@preact/signals';
import { goMail, mailPlace } from '../place.ts';
import { indexOfMessage, messageAt, shownTotal } from './hidden.ts';

/** The row that keys act on. */
export const active = signal<number | null>(null);

/** The row that becomes the active one as soon as it is known; null: none is awaited. */
export const awaited = signal<number | null>(null);

/** What is selected beside it; `everything`: all that the list holds, known or not. */
export const selected = signal<ReadonlySet<number>>(new Set());
export const everything = signal(false);

/** Where a range with Shift begins. */
let anchor: number | null = null;

/** What an action is done to, unless everything is: the selected messages, else the one that is open or under the keys. */
export const targets = computed<number[]>(() => {
  if (selected.value.size > 0) return [...selected.value];
  const one = mailPlace.value.message ?? active.value;
  return one === null ? [] : [one];
});

export function clearSelection(): void {
  selected.value = new Set();
  everything.value = false;
}

/** Opens a message. `replace`: in place of the one that is open, with no step to go back to. */
export function open(id: number, options?: { replace?: boolean }): void {
  clearSelection();
  active.value = id;
  anchor = id;
  goMail({ message: id }, options);
}

/** Adds the message to the selection, or takes it out. */
export function toggle(id: number): void {
  const next = new Set(selected.value);
  // The message that is open is what one began with.
  if (next.size === 0 && mailPlace.value.message !== null && mailPlace.value.message !== id) {
    next.add(mailPlace.value.message);
  }
  if (!next.delete(id)) next.add(id);
  selected.value = next;
  everything.value = false;
  active.value = id;
  anchor = id;
}

/** Selects all from where the selection began up to this one. */
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

/** Goes `by` rows down (up where negative). An open message gives way to the next; with `extend` the selection grows. */
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
