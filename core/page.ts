/** Requested page of a list. `page` counts from 1. `limit` is the number of items on a page. */
export type Page = { page: number; limit: number };

/** Page of a list, and the number of items in the whole list. */
export type Slice<T> = { items: T[]; total: number };

/** Returns the number of items before the page. */
export function offsetOf(page: Page): number {
  return (page.page - 1) * page.limit;
}
