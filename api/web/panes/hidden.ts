import { computed, signal } from '@preact/signals';
import { changed, currentRows } from './list.ts';

/** Messages that are deleted as far as one sees, while that can still be undone. */
export const hidden = signal<ReadonlySet<number>>(new Set());

/** Positions that are left out, ascending. */
const gaps = computed(() => {
  changed.value;
  const rows = currentRows();
  return [...hidden.value]
    .map((id) => rows.indexOf(id))
    .filter((position) => position >= 0)
    .sort((a, b) => a - b);
});

/** Rows that are shown. */
export const shownTotal = computed(() => {
  changed.value;
  return currentRows().total - gaps.value.length;
});

/** The position in the list of the row that is shown as number `index`. */
export function positionOf(index: number): number {
  let position = index;
  for (const gap of gaps.value) if (gap <= position) position++;
  return position;
}

/** The other way round; -1 where it is not shown or not known. */
export function indexOfMessage(id: number): number {
  const position = currentRows().indexOf(id);
  if (position < 0 || hidden.value.has(id)) return -1;
  return position - gaps.value.filter((gap) => gap < position).length;
}

export const messageAt = (index: number) =>
  index < 0 || index >= shownTotal.value ? undefined : currentRows().at(positionOf(index));
