import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json } from '#test/support/clients/http.ts';
import { deliverOne } from '#test/support/program/program-mail.ts';
import { scene } from '#test/support/program/scene.ts';
import { ok } from '#test/support/program/user.ts';

const viewer = 'To view the message, please use an HTML compatible email viewer!';
const html =
  '<style>b{}</style><p title="hidden word">Dear <b>Ann</b>,</p><p>Tom &amp; Jerry sent you 3 parcels.</p>';
const mails = {
  both: { text: 'A letter of its own\r\n', html },
  alone: { raw: `Subject: Alone\r\nContent-Type: text/html\r\n\r\n${html}\r\n` },
  stub: { text: viewer, html },
};

const ids: Record<string, number> = {};
const { program, user } = await scene();
await ok(user.api.post('/api/rules', { name: 'Parcels', q: 'body:"3 parcels"', tags: ['parcels'] }));
for (const [name, mail] of Object.entries(mails))
  ids[name] = await deliverOne(program, { to: user.address, ...mail });

const found = async (query: string) => {
  const { items } = await ok(user.api.get(`/api/messages?${query}`));
  return items.map(({ id }: Json) => id).toReversed();
};

/** Searches that find all three emails, because a reader of each sees the words. */
for (const query of [
  ...['q=dear+ann', 'q="dear+ann"', 'q=body:"dear+ann,"', 'text=Dear+Ann', 'text=tom+%26+jerry'],
  ...['q=jerry+-header:X-None', 'text=3+parcels&subject=', 'q=tag:parcels'],
  ...['text=dear+ann&wait=0', 'text=&wait=0', 'q=body:"parcels'],
])
  test(`finds the words of the HTML, with and without a text part: ${query}`, async () => {
    assert.deepEqual(await found(query), [ids.both, ids.alone, ids.stub]);
  });

for (const query of ['text=hidden+word', 'q=body:<b>', 'q=body:amp;', 'text=<p'])
  test(`searches no source of HTML: ${query}`, async () => assert.deepEqual(await found(query), []));

test('finds the words of a text part as before', async () => {
  assert.deepEqual(await found('text=letter+of+its+own'), [ids.both]);
  assert.deepEqual(await found('text=compatible'), [ids.stub]);
});

test('a condition on the text is a near miss by its own name, and an open quote of q does not reach it', async () => {
  const query = `q=%22dear+ann&text=absent&address=${encodeURIComponent(user.address)}&wait=0&explain=1`;
  const { near_misses } = await ok(user.api.get(`/api/messages?${query}`));
  assert.deepEqual(new Set(near_misses.flatMap(({ failed }: Json) => failed)), new Set(['text']));
});

test('a row begins with the words that a reader sees', async () => {
  const { items } = await ok(user.api.get('/api/messages'));
  const intro = 'Dear Ann, Tom & Jerry sent you 3 parcels.';
  const intros = items.map((item: Json) => item.intro);
  assert.deepEqual(intros, [intro, intro, 'A letter of its own']);
});

test('a message has what its HTML adds to its text', async () => {
  const added = 'Dear Ann,\n\nTom & Jerry sent you 3 parcels.';
  for (const id of Object.values(ids)) {
    const { html_text, html_text_truncated } = await ok(user.api.get(`/api/messages/${id}`));
    assert.deepEqual([html_text, html_text_truncated], [added, false]);
  }
});

for (const clause of [
  { text: { matches: 'Dear Ann,\\s+Tom & Jerry' } },
  { text: { contains: '3 parcels' } },
  { html: { contains: 'Dear <b>Ann</b>' } },
])
  test(`asserts ${JSON.stringify(clause)} of each`, async () => {
    const find = { address: user.address, count: 3 };
    const { status, json } = await user.api.post('/api/assert', { find, expect: [clause] });
    assert.equal(status, 200, JSON.stringify(json));
  });

test('asserts nothing of the source of HTML as text', async () => {
  const expect = [{ text: { contains: '<b>' } }];
  const { status } = await user.api.post('/api/assert', { find: { address: user.address }, expect });
  assert.equal(status, 417);
});
