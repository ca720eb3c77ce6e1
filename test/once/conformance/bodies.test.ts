import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { NotFound } from '#core/errors.ts';
import type { Id } from '#core/ids.ts';
import type { Store } from '#core/store.ts';
import { mail } from './mail.ts';
import { clearAll, deliver, gather, idsOf, now, onEachStore, rawOf, target } from './scene.ts';

/** Returns bytes whose four-byte words are all different. */
function patterned(length: number): Buffer {
  const bytes = Buffer.alloc(length);
  for (let i = 0; i + 4 <= length; i += 4) bytes.writeUInt32BE(i, i);
  return bytes;
}

async function write(store: Store, bytes: Buffer, step = 100_000) {
  const writer = store.deliveries.writeBody();
  for (let at = 0; at < bytes.length; at += step) await writer.write(bytes.subarray(at, at + step));
  return writer.finish();
}

const digest = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

onEachStore('bodies of every length come back byte for byte', async ({ store, owner, account }) => {
  for (const length of [0, 1, 255 * 1024, 256 * 1024, 256 * 1024 + 1, 1_000_003]) {
    const bytes = patterned(length);
    const id = await deliver(store, account, { bytes });
    assert.equal(digest(await rawOf(store, owner, id)), digest(bytes), `${length} bytes`);
  }
});

onEachStore('a large body goes in and comes out in pieces', async ({ store, owner, account }) => {
  const bytes = patterned(3_000_000);
  const { bodyId, raw } = await write(store, bytes);
  assert.equal(raw.sizeBytes, bytes.length);
  assert.equal(digest(await gather(raw.open())), digest(bytes), 'it can be read before its commit');
  const prepared = mail([target(account), target(account, { mailbox: 'Sent' })], { sizeBytes: bytes.length });
  const [verdict] = await store.deliveries.commit([{ ...prepared, body: { bodyId } }]);
  assert.ok(verdict && 'ids' in verdict);
  for (const id of verdict.ids) assert.equal(digest(await rawOf(store, owner, id)), digest(bytes));
  for await (const piece of raw.open()) assert.ok(piece.length <= 512 * 1024, 'never all in memory');
});

onEachStore('any range of a body can be read by itself', async ({ store, owner, account }) => {
  const bytes = patterned(600_000);
  const id = await deliver(store, account, { bytes });
  const raw = await store.messages.raw(owner, id, now());
  assert.equal(raw?.sizeBytes, bytes.length);
  const ranges = [
    [0, 0],
    [0, 1],
    [262_143, 262_145],
    [262_144, 524_288],
    [5, 599_999],
    [599_999, 600_000],
    [600_000, 600_000],
  ];
  for (const [start = 0, end = 0] of ranges) {
    assert.ok(
      raw && (await gather(raw.open({ start, end }))).equals(bytes.subarray(start, end)),
      `${start} to ${end}`,
    );
  }
});

onEachStore('a shared body is removed with its last message', async ({ store, owner, account }) => {
  const bytes = patterned(300_000);
  const prepared = mail([target(account), target(account, { mailbox: 'Sent' })], { bytes });
  const [verdict] = await store.deliveries.commit([prepared]);
  assert.ok(verdict && 'ids' in verdict);
  const [first = 0, second = 0] = verdict.ids;
  const raw = await store.messages.raw(owner, second, now());
  await store.messages.remove(owner, first, now());
  assert.equal(digest(await rawOf(store, owner, second)), digest(bytes));
  assert.ok(raw);
  await store.messages.remove(owner, second, now());
  await assert.rejects(gather(raw.open()), NotFound);
});

onEachStore(
  'a read that a deletion overtakes ends with NotFound, never short',
  async ({ store, owner, domain, account }) => {
    const id = await deliver(store, account, { bytes: patterned(1_000_000) });
    const raw = await store.messages.raw(owner, id, now());
    assert.ok(raw);
    const pieces = raw.open()[Symbol.asyncIterator]();
    assert.equal((await pieces.next()).done, false);
    await store.domains.softDelete(owner, domain.id, new Date());
    await clearAll(store);
    await assert.rejects(async () => {
      while (!(await pieces.next()).done);
    }, NotFound);
  },
);

onEachStore('a writer does not keep the buffer that it was given', async ({ store }) => {
  const writer = store.deliveries.writeBody();
  const buffer = Buffer.alloc(1000);
  for (const fill of [1, 2, 3]) await writer.write(buffer.fill(fill));
  const { raw } = await writer.finish();
  const expected = Buffer.concat([1, 2, 3].map((fill) => Buffer.alloc(1000, fill)));
  assert.ok((await gather(raw.open())).equals(expected));
});

onEachStore('a commit that fails stores nothing of its batch', async ({ store, owner, account }) => {
  const writer = store.deliveries.writeBody();
  const body = await writer.finish();
  await writer.discard();
  const batch = [mail([target(account)]), { ...mail([target(account)]), body }];
  await assert.rejects(store.deliveries.commit(batch));
  assert.deepEqual(await idsOf(store, owner, {}), []);
  assert.deepEqual(await store.journal.heads([owner]), new Map([[owner, 0]]));
});

onEachStore('a body that has messages cannot be discarded', async ({ store, owner, account }) => {
  const writer = store.deliveries.writeBody();
  await writer.write(patterned(600_000));
  const body = await writer.finish();
  const prepared = { ...mail([target(account)], { sizeBytes: 600_000 }), body };
  const [verdict] = await store.deliveries.commit([prepared]);
  assert.ok(verdict && 'ids' in verdict);
  await writer.discard();
  assert.equal(digest(await rawOf(store, owner, verdict.ids[0] ?? 0)), digest(patterned(600_000)));
});

onEachStore('a discarded body is gone, and cannot be committed', async ({ store, account }) => {
  const writer = store.deliveries.writeBody();
  await writer.write(patterned(600_000));
  const { bodyId, raw } = await writer.finish();
  await writer.discard();
  await assert.rejects(gather(raw.open()), NotFound);
  const prepared = { ...mail([target(account)]), body: { bodyId, raw } };
  await assert.rejects(store.deliveries.commit([prepared]));
  const unused = store.deliveries.writeBody();
  await unused.discard();
});

onEachStore(
  'bodies that were never committed are swept when they are old, all others stay',
  async ({ store, owner, account }) => {
    const bodies: { bodyId: Id }[] = [];
    for (let i = 0; i < 3; i += 1) bodies.push(await write(store, patterned(300_000)));
    const { bodyId, raw } = await write(store, patterned(400_000));
    const prepared = { ...mail([target(account)], { sizeBytes: 400_000 }), body: { bodyId, raw } };
    const [verdict] = await store.deliveries.commit([prepared]);
    assert.ok(verdict && 'ids' in verdict);
    const small = await deliver(store, account);
    const soon = new Date(Date.now() + 1000);
    const sweep = async (before: Date, limit: number) =>
      (await store.upkeep({ do: 'remove-orphan-bodies', before }, limit)).more;
    assert.equal(await sweep(new Date(Date.now() - 60_000), 1), false);
    assert.equal(await sweep(soon, 2), true);
    assert.equal(await sweep(soon, 1), true);
    assert.equal(await sweep(soon, 1), false);
    assert.equal((await rawOf(store, owner, verdict.ids[0] ?? 0)).length, 400_000);
    assert.ok((await rawOf(store, owner, small)).length > 0);
  },
);
