import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { openArchiveFolder } from '#adapters/archive-folder.ts';
import { exportArchive } from '#core/archive/export-archive.ts';
import { importArchive } from '#core/archive/import-archive.ts';
import { sentBy } from '#core/delivery/with-senders.ts';
import type { Arrival } from '#core/messages/examine.ts';
import { filterWith } from '#core/messages/message-filter.ts';
import { type KeptLine, keptTranscript, writeTranscript } from '#core/messages/transcript.ts';
import { parseQuery } from '#core/query/parse.ts';
import { stores } from '#test/support/stores/store.ts';
import { mail, recordWith } from './mail.ts';
import { idsOf, messageOf, newAccount, newDomain, newUser, target } from './scene.ts';

const clock = () => new Date();

for (const { name, open } of stores) {
  test(`${name}: an archive has the trace and the sender of a message, and its dialogue without recipients of others`, async (t) => {
    const from = await open();
    t.after(() => from.dispose());
    const owner = await newUser(from.store);
    const domain = await newDomain(from.store, owner, 'app.test');
    const account = await newAccount(from.store, owner, domain.id, 'qa@app.test');
    const line = (text: string, team?: number): KeptLine => ({
      ...{ atMs: 1, from: 'client', line: text },
      ...(team !== undefined && { team }),
    });
    const lines = [
      line('EHLO x'),
      line('RCPT TO:<own@app.test>', owner),
      line('RCPT TO:<b@b.test>', owner + 1),
    ];
    const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
    const words = { transcript: writeTranscript(lines), traceId };
    const sender = { namespace: 'shop', pod: 'web-1', workload: null };
    const [verdict] = await from.store.deliveries.commit([sentBy(mail([target(account)], words), sender)]);
    const id = verdict !== undefined && 'ids' in verdict ? (verdict.ids[0] ?? 0) : 0;
    const shown = keptTranscript(await messageOf(from.store, owner, id), owner);
    assert.deepEqual(
      shown.map((one) => one.line),
      ['EHLO x', 'RCPT TO:<own@app.test>'],
    );
    const folder = mkdtempSync(path.join(tmpdir(), 'sandpost-archive-'));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    const archive = await openArchiveFolder(folder);
    await exportArchive({ ...from.store, clock, retentionDays: 90 }, archive);
    for await (const { transcript } of archive.messages())
      assert.ok(transcript?.includes('own@app.test') && !transcript.includes('b@b.test'), transcript);
    const examiner = {
      examine: async (_source: unknown, { transcript, trace }: Arrival) =>
        recordWith({ ...(transcript && { transcript }), ...trace }),
      close: async () => {},
    };
    const log = { info: () => {}, error: assert.fail };
    const into = await open();
    t.after(() => into.dispose());
    await newUser(into.store, 'somebody@first.test');
    await importArchive({ ...into.store, examiner, log, clock }, archive);
    const moved = await into.store.users.find({ email: 'qa-team@app.test' });
    assert.ok(moved);
    const [place] = await into.store.archive.messages(moved.user.id, {
      after: { number: 0, id: 0 },
      limit: 9,
    });
    const restored = await messageOf(into.store, moved.user.id, place?.id ?? 0);
    assert.deepEqual(keptTranscript(restored, moved.user.id), shown);
    assert.equal(restored.traceId, traceId);
    assert.deepEqual(restored.envelope.sender, sender);
    const found = filterWith({}, parseQuery('pod:web-1'));
    assert.deepEqual(await idsOf(into.store, moved.user.id, found), [restored.id]);
  });
}
