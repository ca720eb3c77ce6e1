import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { NotFound, SearchTimeout, StoreFull, StoreUnavailable } from '#core/errors.ts';
import { connect, prepareFile } from './file.ts';
import { messageSearch } from './message-search.ts';
import { WorkerThread } from './worker-thread.ts';

/** A thread whose methods the test makes up. */
function threadOf(t: TestContext, nouns: string): WorkerThread {
  const directory = mkdtempSync(path.join(tmpdir(), 'sandpost-thread-'));
  const script = path.join(directory, 'worker.ts');
  const from = (name: string) => JSON.stringify(new URL(name, import.meta.url).href);
  writeFileSync(
    script,
    `import { serve } from ${from('./serve.ts')};
     import * as errors from ${from('../../errors.ts')};
     serve(${nouns}, (work) => work(), () => {});`,
  );
  t.after(() => rmSync(directory, { recursive: true }));
  return new WorkerThread(pathToFileURL(script), 'unused');
}

test('errors of the core arrive as what they are', async (t) => {
  const thread = threadOf(t, '{ a: { fail: (name) => { throw new errors[name]("why"); } } }');
  for (const kind of [NotFound, StoreFull, StoreUnavailable, SearchTimeout]) {
    const error = await thread.call('a', 'fail', [kind.name]).catch((reason: unknown) => reason);
    assert.ok(error instanceof kind && error.constructor === kind && error.message === 'why', kind.name);
  }
  await assert.rejects(thread.call('a', 'none', []), /no method a.none/);
  await thread.close();
});

test('a thread that dies fails its calls, and is there again for the next one', async (t) => {
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

test('closing lets a thread finish what it was asked', async (t) => {
  const thread = threadOf(t, '{ a: { echo: (x) => x } }');
  const asked = thread.call('a', 'echo', [1]);
  await thread.close();
  assert.equal(await asked, 1);
  await assert.rejects(thread.call('a', 'echo', [2]), StoreUnavailable);
});

test('a search that takes too long is SearchTimeout, and harms no later one', (t) => {
  const directory = mkdtempSync(path.join(tmpdir(), 'sandpost-search-'));
  const file = path.join(directory, 'sandpost.db');
  prepareFile(file);
  const db = connect(file, 'write');
  t.after(() => {
    db.close();
    rmSync(directory, { recursive: true });
  });
  db.exec(`
    INSERT INTO mailbox (id, owner, account_id, path, path_key, system, created_at) VALUES (1, 1, 1, 'INBOX', 'inbox', 1, 0);
    INSERT INTO message (owner, account_id, mailbox_id, number, copy, received_at, auto_delete, is_read, is_flagged,
      has_attachments, size_bytes, body_id, from_address, subject, intro, to_addresses)
    VALUES (1, 1, 1, 1, 0, 1, 1, 0, 0, 0, 1, 1, '', '', '', '[]')`);
  const arguments_ = [
    1,
    {},
    { page: 1, limit: 50 },
    { now: new Date(), receivedAfter: new Date(0) },
  ] as const;
  const { search } = messageSearch(db, -1);
  for (const _ of [1, 2]) assert.throws(() => search(...arguments_), SearchTimeout);
  assert.equal(messageSearch(db, 5000).search(...arguments_).total, 1);
});
