import type { Id } from '#core/ids.ts';
import type { Visibility } from './message.ts';
import { tagKey } from './tags.ts';

export type TagCount = { name: string; count: number };

export type TagStore = {
  /**
   * Counts the tags, as spelled, of up to `newest` of the newest messages that have tags. Excludes copies in Sent, as lists do. Returns
   * up to `most` tags, most frequent first.
   */
  count(owner: Id, bounds: TagBounds, visibility: Visibility): Promise<TagCount[]>;
};

export type TagBounds = { newest: number; most: number };

/** Merges the counts of tags that differ only in case, under the most frequent spelling. Sorts the tags by count, then by name. */
export function joinTags(counts: TagCount[]): TagCount[] {
  const joined = new Map<string, TagCount>();
  for (const { name, count } of counts.toSorted(byCount)) {
    const known = joined.get(tagKey(name));
    joined.set(tagKey(name), { name: known?.name ?? name, count: (known?.count ?? 0) + count });
  }
  return [...joined.values()].sort(byCount);
}

export function byCount(a: TagCount, b: TagCount): number {
  return b.count - a.count || (a.name < b.name ? -1 : a.name > b.name ? 1 : 0);
}
