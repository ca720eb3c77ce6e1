import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deliverOne } from '#test/support/program/program-mail.ts';
import { scene } from '#test/support/program/scene.ts';
import { idsOf, ok } from '#test/support/program/user.ts';

const { program, user } = await scene();

const explain = (q: string) => user.api.get(`/api/search/explain?q=${encodeURIComponent(q)}`);

test('explain tells the terms of a search and its plain words', async () => {
  const { terms, text, parts } = await ok(
    explain('from:shop -subject:"x y" hello -old "a phrase" header:X-Run larger:2M'),
  );
  const named = [
    { field: 'from', operator: 'contains', value: 'shop', negated: false },
    { field: 'subject', operator: 'contains', value: 'x y', negated: true },
    { field: 'text', operator: 'contains', value: 'old', negated: true },
    { field: 'header', operator: 'exists', value: 'X-Run', negated: false },
    { field: 'larger', operator: 'greater', value: '2M', negated: false },
  ];
  assert.deepEqual([terms, text], [named, 'hello "a phrase"']);
  const written = ['from:shop', '-subject:"x y"', 'hello', '-old', '"a phrase"', 'header:X-Run', 'larger:2M'];
  const queries = parts.map(({ q }: { q: string }) => q);
  assert.deepEqual(queries, written);
  assert.deepEqual(await ok(explain('')), { terms: [], text: '', parts: [] });
  assert.equal((await ok(explain('is:great ('))).text, 'is:great (');
  const quoted = String.raw`"a \"b\"" c`;
  assert.equal((await ok(explain(quoted))).text, quoted);
});

test('explain tells an OR or a group as one part with its terms', async () => {
  const { parts } = await ok(explain('from:a OR shop -(is:read OR -to:b) x'));
  const is = (field: string, operator: string, value: string, negated = false) => ({
    ...{ field, operator, value, negated },
  });
  assert.deepEqual(parts, [
    { q: 'from:a OR shop', terms: [is('from', 'contains', 'a'), is('text', 'contains', 'shop')] },
    { q: '-(is:read OR -to:b)', terms: [is('is', 'equals', 'read', true), is('to', 'contains', 'b')] },
    { q: 'x', terms: [is('text', 'contains', 'x')] },
  ]);
});

test('a search has at most 1,000 characters and 50 terms', async () => {
  for (const [q, status] of [
    ['x'.repeat(1000), 200],
    ['x'.repeat(1001), 422],
    ['is:read '.repeat(50), 200],
    ['(a OR -b) '.repeat(25), 200],
    ['a '.repeat(51), 422],
  ] as const) {
    const { status: answered, json } = await explain(q);
    assert.equal(answered, status, q.slice(0, 20));
    if (status === 422) assert.equal(json.violations[0].field, 'q');
  }
  assert.equal((await user.api.get('/api/search/explain')).status, 422);
});

test('an address is found in both spellings of its domain', async () => {
  const spellings = ['j@bücher.example', 'j@xn--bcher-kva.example', 'J@BÜCHER.example'];
  const ids = [];
  for (const spelled of spellings) {
    const raw = Buffer.from(`From: ${spelled}\r\nTo: ${spelled}\r\nCc: ${spelled}\r\n\r\nHello\r\n`);
    ids.unshift(await deliverOne(program, { to: user.address, raw }));
  }
  for (const spelled of spellings) {
    const value = encodeURIComponent(spelled);
    for (const query of [
      `q=from:${value}`,
      `q=to:${value}`,
      `q=cc:${value}`,
      `from=${value}`,
      `to=${value}`,
    ]) {
      assert.deepEqual(idsOf(await ok(user.api.get(`/api/messages?${query}`))), ids, query);
    }
  }
});
