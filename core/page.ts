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

export async function allOf<T>(list: (page: Page) => Promise<Slice<T>>, limit = 200): Promise<T[]> {
  const items: T[] = [];
  for (let page = 1; ; page += 1) {
    const slice = await list({ page, limit });
    for (const one of slice.items) items.push(one);
    if (slice.items.length < limit) return items;
  }
}
