import type { DatabaseSync } from 'node:sqlite';
import { query } from '#adapters/stores/sqlite/workers/query.ts';
import type { Id } from '#core/ids.ts';
import { retagged, withKeys } from '#core/messages/traits.ts';

/** Joins a message's keys into one string, in which each key stands between two line breaks. Keys contain no line breaks. */
export const joinKeys = (keys: string[]): string => (keys.length === 0 ? '' : `\n${keys.join('\n')}\n`);

/** SQL expression for a message's trace (m), extracted from its keys. NULL if there is no trace. */
export const traceColumn = "substr(m.keys, nullif(instr(m.keys, char(10) || 'x:'), 0) + 3, 32)";

const splitKeys = (text: string): string[] => text.split('\n').filter((key) => key !== '');

/** Returns the value of the column `tags`. NULL means that there are no tags. */
export const tagsColumn = (tags: string[]): string | null =>
  tags.length === 0 ? null : JSON.stringify(tags);

export const readTags = (tags: string | null): string[] => (tags === null ? [] : JSON.parse(tags));

/** Returns the function that writes a message's tags. The traits of an unfilled row stay absent until upkeep fills the row. */
export function tagWriter(db: DatabaseSync): (id: Id, tags: string[]) => void {
  const known = query<{ traits: number | null; keys: string | null }>(
    db,
    'SELECT traits, keys FROM message WHERE id = :id',
  );
  const write = query(db, 'UPDATE message SET tags = :tags, traits = :traits, keys = :keys WHERE id = :id');
  return (id, tags) => {
    const { traits = null, keys = null } = known.get({ id }) ?? {};
    const isFilled = traits !== null && keys !== null;
    const all = isFilled ? retagged(splitKeys(keys), tags) : [];
    write.run({
      id,
      tags: isFilled ? tagsColumn(tags) : JSON.stringify(tags),
      traits: isFilled ? withKeys(traits, all) : null,
      keys: isFilled ? joinKeys(all) : null,
    });
  };
}
