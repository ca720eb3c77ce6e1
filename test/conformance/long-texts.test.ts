import assert from 'node:assert/strict';
import { deliver, idsOf, messageOf, onEachStore } from './scene.ts';

onEachStore('long texts come back to the character, and are searched', async ({ store, owner, account }) => {
  const text = `First\u0000 line\n${'Grüße 😀 aus Köln\n'.repeat(100_000)}the last`;
  const html = `<p>${text}</p>`;
  const id = await deliver(store, account, { text, html });
  const { content } = await messageOf(store, owner, id);
  assert.ok(content.text === text && content.html === html);
  for (const word of ['first', '😀 aus köln', 'the last']) {
    assert.deepEqual(await idsOf(store, owner, { words: [word] }), [id], word);
  }
});
