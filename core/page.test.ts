import assert from 'node:assert/strict';
import { test } from 'node:test';
import { allOf, pageOf } from './page.ts';

test('all items of a list are read while others are removed', async () => {
  const items = Array.from({ length: 500 }, (_, index) => index);
  const read = await allOf(async (page) => {
    const slice = pageOf(items, page);
    items.shift();
    return slice;
  });
  const isRead = new Set(read);
  const unexpected = items.filter((item) => !isRead.has(item));
  assert.deepEqual(unexpected, []);
});
