import type { DatabaseSync } from 'node:sqlite';
import { limited, type Query, query } from '#adapters/stores/sqlite/workers/query.ts';
import type { Id } from '#core/ids.ts';
import type { Found } from '#core/messages/content.ts';
import { contentOf, fillFor, foundFor } from '#core/messages/mail-record.ts';
import { joinKeys, tagsColumn } from './message-keys.ts';

export type FoundRow = Found & { id: Id };

/** Columns of a row to fill. `tagsBefore` are the tags that the row had when it was read. */
type FilledRow = FoundRow & {
  traits: number;
  keys: string;
  tags: string | null;
  tagsBefore: string | null;
};

/** Reads contents for rows that an earlier version wrote: without a code and link, or without traits, keys and tags. */
export type FoundReads = {
  /** Returns messages' codes and links. Omits messages that are gone. */
  found(ids: Id[]): FoundRow[];
  /** Returns the columns of up to `limit` unfilled rows, or of the first rows that it reads within some milliseconds. */
  unfilled(limit: number): FilledRow[];
};

type ContentRow = { id: Id; json: string | null };
type UnfilledRow = ContentRow & {
  has_html: number;
  copy: number;
  tags: string | null;
  delivered_to: string;
  envelope: string;
};

/** Reads for `sliceMs` at a time, since a content may be long. */
export function foundReader(db: DatabaseSync, sliceMs: number): FoundReads {
  const content = 'LEFT JOIN content c ON c.body_id = m.body_id';
  const byId = query<ContentRow>(db, `SELECT m.id, c.json FROM message m ${content} WHERE m.id = :id`);
  const unfilled: Query<UnfilledRow> = query(
    db,
    `SELECT m.id, c.json, c.html IS NOT NULL AS has_html, m.copy, m.tags, t.delivered_to, t.envelope
     FROM message m INDEXED BY message_untraited JOIN trace t ON t.message_id = m.id ${content}
     WHERE m.traits IS NULL ${limited}`,
  );
  return {
    found: (ids) => ids.map((id) => ({ id, ...foundFor(contentIn(byId.get({ id }) ?? { id, json: null })) })),
    unfilled(limit) {
      const read: FilledRow[] = [];
      const deadline = performance.now() + sliceMs;
      for (const row of unfilled.iterate({ limit })) {
        read.push(filledOf(row));
        if (performance.now() > deadline) break;
      }
      return read;
    },
  };
}

const contentIn = ({ json }: ContentRow) =>
  json === null ? null : contentOf({ json, text: null, html: null });

function filledOf(row: UnfilledRow): FilledRow {
  const message = {
    copy: row.copy === 1,
    deliveredTo: row.delivered_to,
    envelope: JSON.parse(row.envelope),
    tags: row.tags === null ? null : JSON.parse(row.tags),
  };
  const { tags, keys, ...filled } = fillFor(message, contentIn(row), row.has_html === 1);
  return { id: row.id, ...filled, keys: joinKeys(keys), tags: tagsColumn(tags), tagsBefore: row.tags };
}

export type FoundWrites = { fill(rows: FilledRow[]): void };

/** Fills rows. Content never changes, and a row whose tags have changed since it was read is filled the next time. */
export function foundWrites(db: DatabaseSync): FoundWrites {
  const fill = query(
    db,
    `UPDATE message SET main_link = iif(code IS NULL, :mainLink, main_link), code = coalesce(code, :code),
       traits = :traits, keys = :keys, tags = :tags
     WHERE id = :id AND traits IS NULL AND tags IS :tagsBefore`,
  );
  return {
    fill(rows) {
      for (const { code, ...row } of rows) fill.run({ ...row, code: code ?? '' });
    },
  };
}
