import type { DatabaseSync } from 'node:sqlite';
import { limited, type Query, query } from '#adapters/stores/sqlite/workers/query.ts';
import type { Id } from '#core/ids.ts';
import type { Found } from '#core/messages/content.ts';
import { contentOf, foundIn } from '#core/messages/mail-record.ts';

/** Code and link of the content of a message. */
export type FoundRow = Found & { id: Id };

/** Reads of the contents of rows that a version without the columns `code` and `main_link` wrote. */
export type FoundReads = {
  /** Returns the codes and links of messages. Messages that are gone have none. */
  found(ids: Id[]): FoundRow[];
  /** Returns those of at most `limit` unfilled rows, but no more than the first ones after some milliseconds. */
  unfilled(limit: number): FoundRow[];
};

type ContentRow = { id: Id; json: string | null };

/** Reads for `sliceMs` at a time, since a content may be long. */
export function foundReader(db: DatabaseSync, sliceMs: number): FoundReads {
  const rows = 'SELECT m.id, c.json FROM message m';
  const content = 'LEFT JOIN content c ON c.body_id = m.body_id';
  const byId = query<ContentRow>(db, `${rows} ${content} WHERE m.id = :id`);
  const unfilled: Query<ContentRow> = query(
    db,
    `${rows} INDEXED BY message_unfilled ${content} WHERE m.code IS NULL ${limited}`,
  );
  return {
    found: (ids) => ids.map((id) => foundOf(byId.get({ id }) ?? { id, json: null })),
    unfilled(limit) {
      const read: FoundRow[] = [];
      const deadline = performance.now() + sliceMs;
      for (const row of unfilled.iterate({ limit })) {
        read.push(foundOf(row));
        if (performance.now() > deadline) break;
      }
      return read;
    },
  };
}

function foundOf({ id, json }: ContentRow): FoundRow {
  const none = { code: null, mainLink: null };
  return { id, ...(json === null ? none : foundIn(contentOf({ json, text: null, html: null }))) };
}

export type FoundWrites = { fill(rows: FoundRow[]): void };

/** Fills rows. Content never changes, so that it does not matter when it was read. */
export function foundWrites(db: DatabaseSync): FoundWrites {
  const fill = query(
    db,
    'UPDATE message SET code = :code, main_link = :mainLink WHERE id = :id AND code IS NULL',
  );
  return {
    fill(rows) {
      for (const { id, code, mainLink } of rows) fill.run({ id, code: code ?? '', mainLink });
    },
  };
}
