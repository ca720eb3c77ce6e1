/** Page of a list that a request asks for. `page` starts at 1. `limit` is the number of items per page. */
export type Page = { page: number; limit: number };

export type Slice<T> = { items: T[]; total: number };

/** Returns the number of items before the page. */
export function offsetOf(page: Page): number {
  return (page.page - 1) * page.limit;
}

/** Returns a page of a list that is in memory. */
export function pageOf<T>(items: T[], page: Page): Slice<T> {
  const offset = offsetOf(page);
  return { items: items.slice(offset, offset + page.limit), total: items.length };
}

/** Reads all items of a list as one page. An item that is removed between two pages would make the second page skip another item. */
export async function allOf<T>(list: (page: Page) => Promise<Slice<T>>): Promise<T[]> {
  return (await list({ page: 1, limit: 2 ** 31 - 1 })).items;
}
