import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { messageSearch } from '#adapters/stores/sqlite/messages/message-search.ts';
import { connect, prepareFile } from '#adapters/stores/sqlite/schema/file.ts';
import { NotFound, OverQuota, SearchTimeout, StoreFull, StoreUnavailable } from '#core/errors.ts';
import { WorkerThread } from './worker-thread.ts';

/** Starts a thread whose methods the test defines. */
function threadOf(t: TestContext, nouns: string): WorkerThread {
  const directory = mkdtempSync(path.join(tmpdir(), 'sandpost-thread-'));
  const script = path.join(directory, 'worker.ts');
  const from = (name: string) => JSON.stringify(new URL(name, import.meta.url).href);
  writeFileSync(
    script,
    `import { serve } from ${from('./serve.ts')};
     import * as errors from ${from('../../../../errors.ts')};
     serve(${nouns}, (work) => work(), () => {});`,
  );
  t.after(() => rmSync(directory, { recursive: true }));
  return new WorkerThread(pathToFileURL(script), 'unused');
}

test('errors of the core keep their class', async (t) => {
  const thread = threadOf(t, '{ a: { fail: (name) => { throw new errors[name]("why"); } } }');
  for (const kind of [NotFound, OverQuota, StoreFull, StoreUnavailable, SearchTimeout]) {
    const error = await thread.call('a', 'fail', [kind.name]).catch((reason: unknown) => reason);
    assert.ok(error instanceof kind && error.constructor === kind && error.message === 'why', kind.name);
  }
  await assert.rejects(thread.call('a', 'none', []), /no method a.none/);
  await thread.close();
});

test('a thread that dies fails its calls, and is started anew by the next one', async (t) => {
  const thread = threadOf(
    t,
    '{ a: { die: () => setImmediate(() => { throw new Error("bug"); }) && process.exit(1), echo: (x) => x } }',
  );
  assert.equal(await thread.call('a', 'echo', [1]), 1);
  const lost = [thread.call('a', 'die', []), thread.call('a', 'echo', [2])];
  for (const result of await Promise.allSettled(lost)) {
    assert.ok(result.status === 'rejected' && result.reason instanceof StoreUnavailable);
  }
  assert.equal(await thread.call('a', 'echo', [3]), 3);
  await thread.close();
});

test('closing lets a thread finish its pending calls', async (t) => {
  const thread = threadOf(t, '{ a: { echo: (x) => x } }');
  const asked = thread.call('a', 'echo', [1]);
  await thread.close();
  assert.equal(await asked, 1);
  await assert.rejects(thread.call('a', 'echo', [2]), StoreUnavailable);
});

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
    INSERT INTO team (id, name, kind, created_at, head) VALUES (1, 'a@b.test', 'personal', 0, 1000);
    INSERT INTO mailbox (id, owner, account_id, path, path_key, system, created_at) VALUES (1, 1, 1, 'INBOX', 'inbox', 1, 0);
    INSERT INTO message (owner, account_id, mailbox_id, number, copy, received_at, auto_delete, is_read, is_flagged,
      has_attachments, size_bytes, body_id, from_address, subject, intro, to_addresses)
    SELECT 1, 1, 1, value / 2, 0, 1, 1, 0, 0, 0, 1, 1, '', '', '', '[]' FROM (WITH RECURSIVE n (value) AS (SELECT 2 UNION ALL SELECT value + 1 FROM n WHERE value < 1001) SELECT value FROM n)`);
  const visibility = { now: new Date(), receivedAfter: new Date(0) };
  // Gives slices no time: each ends when it first reads the clock, at each message, or at some of the light ones.
  const { slice, summaries } = messageSearch(db, -1);
  const inSlices = () => {
    const ids: number[] = [];
    let slices = 0;
    for (let from: number | null = null; from !== null || slices === 0; slices += 1) {
      const part = slice(1, {}, visibility, from);
      assert.equal(part.cursor, 1000);
      ids.push(...part.ids);
      from = part.next;
    }
    return { ids, slices };
  };
  const { ids, slices } = inSlices();
  assert.ok(slices >= 500, `${slices} slices`);
  db.exec("UPDATE message SET own_recipients = 'a@b.test'");
  const light = inSlices();
  assert.ok(light.slices > 1 && light.slices < 500, `${light.slices} slices`);
  assert.deepEqual(light.ids, ids);
  const whole = messageSearch(db, 5000).slice(1, {}, visibility, null);
  assert.equal(whole.next, null);
  assert.deepEqual(ids, whole.ids);
  assert.equal(ids.length, 1000);
  assert.deepEqual(
    summaries(1, [...ids.slice(0, 2), 5000]).map(({ id }) => id),
    ids.slice(0, 2),
  );
});
