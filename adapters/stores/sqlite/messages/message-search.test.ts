import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { messageSearch } from '#adapters/stores/sqlite/messages/message-search.ts';
import { connect, prepareFile } from '#adapters/stores/sqlite/schema/file.ts';
import type { MessageFilter } from '#core/messages/message-filter.ts';
import { searching } from '#test/support/stores/searching.ts';

test('a search finds the same in slices as in one, and each slice continues after the last', (t) => {
  const directory = mkdtempSync(path.join(tmpdir(), 'sandpost-search-'));
  const file = path.join(directory, 'sandpost.db');
  prepareFile(file);
  const db = connect(file, 'write');
  t.after(() => {
    db.close();
    rmSync(directory, { recursive: true });
  });
  db.exec(`
    INSERT INTO team (id, name, kind, created_at, head) VALUES (1, 'a@b.test', 'personal', 0, 30000);
    INSERT INTO mailbox (id, owner, account_id, path, path_key, system, created_at) VALUES (1, 1, 1, 'INBOX', 'inbox', 1, 0);
    INSERT INTO message (owner, account_id, mailbox_id, number, copy, received_at, auto_delete, is_read, is_flagged,
      has_attachments, size_bytes, body_id, from_address, subject, intro, to_addresses)
    SELECT 1, 1, 1, value / 4 * 100, 0, 1, 1, 0, 0, 0, 1, 1, '', '', '', '[]' FROM (WITH RECURSIVE n (value) AS (SELECT 4 UNION ALL SELECT value + 1 FROM n WHERE value < 1003) SELECT value FROM n);
    INSERT INTO search (body_id, subject, sender, recipients, text) VALUES (1, '', '', '', 'a')`);
  const visibility = { now: new Date(), receivedAfter: new Date(0) };
  const most = 700;
  // Gives slices no time: each ends when it first reads the clock, at each message, or at some of the light ones.
  const { slice, summaries } = messageSearch(db, -1);
  const inSlices = (filter: MessageFilter) => {
    const ids: number[] = [];
    let [slices, total] = [0, 0];
    for (let from: number | null = null; from !== null || slices === 0; slices += 1) {
      const part = slice(1, filter, visibility, from, most - ids.length);
      assert.equal(part.cursor, 30_000);
      ids.push(...part.ids);
      total += part.total;
      from = part.next;
    }
    return { ids, slices, total };
  };
  const texts = searching({ words: ['a'] });
  const { ids, slices, total } = inSlices(texts);
  assert.ok(slices >= 250, `${slices} slices`);
  db.exec("UPDATE message SET own_recipients = 'a@b.test'");
  const light = inSlices(texts);
  assert.ok(light.slices > 1 && light.slices < 250, `${light.slices} slices`);
  const byIndex = inSlices({});
  assert.ok(byIndex.slices > 1 && byIndex.slices < 250, `${byIndex.slices} slices`);
  assert.equal(total, 1000);
  for (const found of [light, byIndex]) assert.deepEqual([found.ids, found.total], [ids, total]);
  const whole = messageSearch(db, 5000).slice(1, texts, visibility, null, most);
  assert.equal(whole.next, null);
  assert.deepEqual([whole.ids, whole.total], [ids, total]);
  assert.equal(ids.length, most);
  assert.deepEqual(
    summaries(1, [...ids.slice(0, 2), 5000]).map(({ id }) => id),
    ids.slice(0, 2),
  );
});
