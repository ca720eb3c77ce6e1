import { computed, signal } from '@preact/signals';
import { changed, currentRows } from './list.ts';

/** Messages that are shown as deleted while their deletion can still be undone. */
export const hidden = signal<ReadonlySet<number>>(new Set());

/** Positions of hidden messages, ascending. */
const gaps = computed(() => {
  changed.value;
  const rows = currentRows();
  return [...hidden.value]
    .map((id) => rows.indexOf(id))
    .filter((position) => position >= 0)
    .sort((a, b) => a - b);
});

/** Tells whether a message is one of the rows that are shown, or would be if the list were scrolled. */
export function isShown(id: number): boolean {
  changed.value;
  return currentRows().has(id) && !hidden.value.has(id);
}

/** Number of rows that are shown. */
export const shownTotal = computed(() => {
  changed.value;
  return currentRows().total - gaps.value.length;
});

/** Returns the position in the list of the shown row number `index`. */
export function positionOf(index: number): number {
  let position = index;
  for (const gap of gaps.value) if (gap <= position) position++;
  return position;
}

/** Returns the number of the shown row of a message, or -1 if it is hidden or its position is unknown. */
export function indexOfMessage(id: number): number {
  const position = currentRows().indexOf(id);
  if (position < 0 || hidden.value.has(id)) return -1;
  return position - gaps.value.filter((gap) => gap < position).length;
}

export const messageAt = (index: number) =>
  index < 0 || index >= shownTotal.value ? undefined : currentRows().at(positionOf(index));
