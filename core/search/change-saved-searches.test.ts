import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Invalid, NotFound } from '#core/errors.ts';
import { addSearch, removeSearch, setSearch } from './change-saved-searches.ts';

const team = { id: 3, name: 'Checkout', kind: 'shared', createdAt: new Date(0) } as const;
const codes = { id: 1, name: 'Codes', q: 'has:code' };
const bounces = { id: 2, name: 'Bounces', q: 'from:mailer-daemon' };
const searches = [codes, bounces];

for (const [why, facts, given, error] of [
  ['of an unknown team', { team: null, searches }, { name: 'New' }, NotFound],
  ['with a name in use, in another case', { team, searches }, { name: 'cODES' }, Invalid],
  ['beyond the quota', { team, searches }, { name: 'New', most: 2 }, Invalid],
] as const) {
  test(`a search ${why} is not added`, () => {
    const args = { team: 3, q: 'x', ...given };
    assert.throws(() => addSearch.plan({ newSearch: 9, ...facts } as never, args), error);
  });
}

test('a search is added, changed and removed', () => {
  const facts = { newSearch: 9, team, searches } as never;
  const added = { id: 9, name: 'New', q: 'x' };
  assert.deepEqual(addSearch.plan(facts, { team: 3, name: 'New', q: 'x', most: 3 }), {
    writes: [{ do: 'put-search', team: 3, search: added }],
    result: added,
  });
  // Its own name in another case is available.
  const renamed = { ...codes, name: 'CODES' };
  assert.deepEqual(setSearch.plan(facts, { team: 3, search: 1, set: { name: 'CODES' } }), {
    writes: [{ do: 'put-search', team: 3, search: renamed }],
    result: renamed,
  });
  assert.deepEqual(removeSearch.plan(facts, { team: 3, search: 2 }), {
    writes: [{ do: 'remove-searches', where: { id: 2 } }],
    result: bounces,
  });
});

test('a search takes no name of another, and one of another team is not found', () => {
  const facts = { searches } as never;
  assert.throws(() => setSearch.plan(facts, { team: 3, search: 1, set: { name: 'bounces' } }), Invalid);
  assert.throws(() => setSearch.plan(facts, { team: 3, search: 7, set: { q: 'x' } }), NotFound);
  assert.throws(() => removeSearch.plan(facts, { team: 3, search: 7 }), NotFound);
});
