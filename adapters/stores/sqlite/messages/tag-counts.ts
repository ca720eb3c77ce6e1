import type { DatabaseSync } from 'node:sqlite';
import { isNotDeleted } from '#adapters/stores/sqlite/soft-delete.ts';
import type { Sync } from '#adapters/stores/sqlite/workers/calls.ts';
import { limited, query } from '#adapters/stores/sqlite/workers/query.ts';
import { pathKey } from '#core/mailboxes/mailbox.ts';
import { mostFirst, type TagStore } from '#core/messages/tag-counts.ts';
import { bindVisibility, unexpired } from './message-scope.ts';

export function tagCounts(db: DatabaseSync): Sync<TagStore> {
  const newest = query<{ tags: string }>(
    db,
    `SELECT m.tags FROM (
       SELECT id FROM message INDEXED BY message_tagged WHERE owner = :owner AND tags IS NOT NULL ORDER BY number DESC ${limited}) n
     CROSS JOIN message m ON m.id = n.id CROSS JOIN mailbox b ON b.id = m.mailbox_id
     WHERE b.owner = :owner AND ${isNotDeleted('b')} AND ${unexpired}
       AND NOT (m.copy = 1 AND b.path_key = '${pathKey('Sent')}')`,
  );
  return {
    count(owner, bounds, visibility) {
      const counts = new Map<string, number>();
      const bound = { owner, limit: bounds.newest, ...bindVisibility(visibility) };
      for (const { tags } of newest.iterate(bound)) {
        for (const name of JSON.parse(tags)) counts.set(name, (counts.get(name) ?? 0) + 1);
      }
      const all = [...counts].map(([name, count]) => ({ name, count }));
      return all.sort(mostFirst).slice(0, bounds.most);
    },
  };
}
