import assert from 'node:assert/strict';
import { limits } from '#core/limits.ts';
import { searching } from '#test/support/stores/searching.ts';
import { deliver, idsOf, messageOf, onEachStore } from './scene.ts';

onEachStore(
  'the first MiB of long texts comes back, in whole characters, and all is searched',
  async ({ store, owner, account }) => {
    const text = `First\u0000 line\n${'Grüße 😀 aus Köln\n'.repeat(100_000)}the last`;
    const html = `<p>${text}</p>`;
    const id = await deliver(store, account, { text, html });
    const { content } = await messageOf(store, owner, id);
    for (const [shown, whole] of [
      [content.text ?? '', text],
      [content.html ?? '', html],
    ]) {
      const bytes = Buffer.byteLength(shown ?? '');
      assert.ok(bytes <= limits.answers.textBytes && bytes > limits.answers.textBytes - 4, `${bytes} bytes`);
      assert.ok(whole?.startsWith(shown ?? ''));
    }
    assert.deepEqual([content.textTruncated, content.htmlTruncated], [true, true]);
    for (const word of ['first', '😀 aus koln', 'the last']) {
      assert.deepEqual(await idsOf(store, owner, searching({ words: [word] })), [id], word);
    }
  },
);

onEachStore(
  'a phrase of up to a thousand characters is found as a whole',
  async ({ store, owner, account }) => {
    // MongoDB stores the text in pieces of 262,144 characters.
    const text = `${'x '.repeat(131_000)}${'p'.repeat(900)} end ${'y '.repeat(100_000)}`;
    const id = await deliver(store, account, { text });
    const phrase = 'p'.repeat(900);
    assert.deepEqual(await idsOf(store, owner, searching({ words: [`${phrase} end`] })), [id]);
    assert.deepEqual(await idsOf(store, owner, searching({ words: [`${phrase} and`] })), []);
  },
);

onEachStore('texts within the bound come back whole', async ({ store, owner, account }) => {
  const text = `\u0001\u0000${'ü'.repeat(limits.answers.textBytes / 2 - 1)}`;
  const id = await deliver(store, account, { text, html: text.slice(1) });
  const { content } = await messageOf(store, owner, id);
  assert.ok(content.text === text && content.html === text.slice(1));
  assert.deepEqual([content.textTruncated, content.htmlTruncated], [false, false]);
});

onEachStore('what the HTML adds to the text comes back, and is searched', async (scene) => {
  const { store, owner, account } = scene;
  const htmlText = { added: `Dear \u0000Ann\n${'x'.repeat(262_000)} end`, truncated: true };
  const html = '<p>Dear <b>Ann</b>';
  const id = await deliver(store, account, { text: 'Use a browser', html, htmlText });
  const bare = await deliver(store, account, { text: 'Dear Bob', html });
  assert.deepEqual((await messageOf(store, owner, id)).content.htmlText, htmlText);
  assert.equal((await messageOf(store, owner, bare)).content.htmlText, undefined);
  const found = (part: string) => idsOf(store, owner, searching({ words: [part] }));
  assert.deepEqual(await found('ann'), [id]);
  assert.deepEqual(await found('x end'), [id]);
  assert.deepEqual(await found('browser'), [id]);
});

onEachStore('lists and the journal have bounded fields, and the message whole ones', async (scene) => {
  const { store, owner, account } = scene;
  const subject = `\u0000${'😀'.repeat(5000)} last`;
  const to = Array.from({ length: 400 }, (_, at) => `${at}${'x'.repeat(400)}@app.test`);
  const id = await deliver(store, account, { subject, to, msgid: `<${'m'.repeat(5000)}>` });
  const message = await messageOf(store, owner, id);
  assert.equal(message.content.subject, subject);
  assert.equal(message.content.to.length, 400);
  assert.equal(message.subject, `\u0000${'😀'.repeat(498)}`);
  assert.equal(message.msgid?.length, limits.answers.subjectCharacters);
  assert.equal(message.toAddresses.length, limits.answers.toAddresses);
  assert.ok(message.toAddresses.every(({ length }) => length === limits.answers.addressCharacters));
  const [event] = await store.journal.read(owner, 0, 10);
  assert.ok(event?.type === 'message.received');
  assert.equal(event.subject, message.subject);
  assert.deepEqual(await idsOf(store, owner, searching({ subject: 'last' })), [id]);
});
