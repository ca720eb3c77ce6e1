/** Which page of a list is asked for: `page` from 1, `limit` items each. */
export type Page = { page: number; limit: number };

/** One page of a list, and how many items the whole list has. */
export type Slice<T> = { items: T[]; total: number };

/** How many items stand before the page. */
export function offsetOf(page: Page): number {
  return (page.page - 1) * page.limit;
}
