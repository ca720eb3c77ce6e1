import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Program, startProgram } from '#test/support/program/program.ts';
import { createUser, ok, type User } from '#test/support/program/user.ts';

let program: Program;
let user: User;
before(async () => {
  program = await startProgram();
  user = await createUser(program);
});
after(() => program.stop());

const explain = (q: string) => user.api.get(`/api/search/explain?q=${encodeURIComponent(q)}`);

test('explain tells the terms of a search and its plain words', async () => {
  assert.deepEqual(
    await ok(explain('from:shop -subject:"x y" hello -old "a phrase" header:X-Run larger:2M')),
    {
      terms: [
        { field: 'from', operator: 'contains', value: 'shop', negated: false },
        { field: 'subject', operator: 'contains', value: 'x y', negated: true },
        { field: 'text', operator: 'contains', value: 'old', negated: true },
        { field: 'header', operator: 'exists', value: 'X-Run', negated: false },
        { field: 'larger', operator: 'greater', value: '2M', negated: false },
      ],
      text: 'hello "a phrase"',
    },
  );
  assert.deepEqual(await ok(explain('')), { terms: [], text: '' });
  assert.deepEqual(await ok(explain('is:great (')), { terms: [], text: 'is:great (' });
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
