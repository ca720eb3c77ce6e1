import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ApiKey } from '#core/access/access.ts';
import { invalid } from '#core/errors.ts';
import { addresses, at, key, resource, secret, view } from '#test/support/kubernetes/api-key-views.ts';
import { decideApiKey, refusedKey } from './decide.ts';
import type { ApiKeyView } from './view.ts';

const hour = 3_600_000;
/** Time `hours` after the view's. */
const time = (hours: number) => new Date(at.getTime() + hours * hour);
const made = (id: number, hours: number, words: Partial<ApiKey> = {}) =>
  key(id, { createdAt: time(hours), ...words });
const rotating = resource({}, { rotateAfter: '2h' });
const withPrevious = (spec: object) => ({
  ...resource({}, spec),
  status: { observedGeneration: 1, tokenId: 4, previousTokenId: 3 },
});
const previous = { previousTokenId: 3, previousExpiresAt: time(1).toISOString() };

/** State, and the next step or some status fields. */
const cases: [string, Partial<ApiKeyView>, object][] = [
  [
    'a key that is young',
    { resource: rotating, storedKeys: [made(3, -1)] },
    { rotatesAt: time(1).toISOString() },
  ],
  [
    'a key whose time has come',
    { resource: rotating, storedKeys: [made(3, -2)] },
    { do: 'write-secret', value: 'new' },
  ],
  [
    'the next key in the Secret, and not in the store yet',
    { resource: rotating, storedKeys: [made(3, -2)], keyInSecret: 'unknown' },
    { do: 'store-key', powers: { scope: 'full', expiresAt: null } },
  ],
  [
    'both keys in the store',
    { resource: rotating, storedKeys: [made(3, -3), made(4, -1)], keyInSecret: { id: 4 } },
    { do: 'change-key', id: 3, set: { expiresAt: time(1) } },
  ],
  [
    'the end of the earlier key set',
    {
      resource: rotating,
      ...{ storedKeys: [made(3, -3, { expiresAt: time(1) }), made(4, -1)], keyInSecret: { id: 4 } },
    },
    { tokenId: 4, rotatesAt: time(1).toISOString(), ...previous },
  ],
  [
    'an earlier key whose end has come',
    {
      resource: withPrevious({ rotateAfter: '2h' }),
      ...{ storedKeys: [made(3, -4, { expiresAt: at }), made(4, -1)], keyInSecret: { id: 4 } },
    },
    { do: 'revoke-key', id: 3 },
  ],
  [
    'an earlier key, and a scope that has changed',
    {
      resource: withPrevious({ rotateAfter: '2h', scope: 'read' }),
      storedKeys: [made(3, -3, { expiresAt: time(1) }), made(4, -1, { scope: 'read' })],
      keyInSecret: { id: 4 },
    },
    { do: 'change-key', id: 3, set: { scope: 'read' } },
  ],
  [
    'an earlier key, and no rotation any more',
    {
      resource: withPrevious({}),
      ...{ storedKeys: [made(3, -3, { expiresAt: time(1) }), made(4, -1)], keyInSecret: { id: 4 } },
    },
    previous,
  ],
  [
    'an earlier key, and rotations that are rarer',
    {
      resource: withPrevious({ rotateAfter: '9h' }),
      ...{ storedKeys: [made(3, -3, { expiresAt: time(1) }), made(4, -1)], keyInSecret: { id: 4 } },
    },
    previous,
  ],
  [
    'a Secret that was deleted',
    {
      resource: withPrevious({ rotateAfter: '2h' }),
      ...{
        storedKeys: [made(3, -3, { expiresAt: time(1) }), made(4, -1)],
        secret: null,
        keyInSecret: 'malformed',
      },
    },
    { do: 'revoke-key', id: 3 },
  ],
  [
    'a young key, and a Secret with another one',
    { resource: rotating, storedKeys: [made(3, -1)], keyInSecret: 'unknown' },
    { do: 'revoke-key', id: 3 },
  ],
  [
    'a key whose time has come, and a Secret that was broken',
    { resource: rotating, storedKeys: [made(3, -2)], secret: secret(), keyInSecret: 'malformed' },
    { do: 'revoke-key', id: 3 },
  ],
];

/** State after a rotation whose key could not be stored, and the spec since then. */
const interrupted = (spec: object, hours: number): Partial<ApiKeyView> => ({
  resource: {
    ...resource({}, spec),
    status: { observedGeneration: 1, tokenId: 3, rotatesAt: time(0).toISOString() },
  },
  ...{ storedKeys: [made(3, hours)], keyInSecret: 'unknown' },
});
const storing = { do: 'store-key', powers: { scope: 'full', expiresAt: null } };
const second = 1 / 3600;
cases.push(
  [
    'a key whose time has come, and no room for another',
    { resource: rotating, storedKeys: [made(3, -2)], hasRoom: false },
    { tokenId: 3, rotatesAt: at.toISOString() },
  ],
  [
    'a key whose time has come, no room, and other addresses',
    {
      ...{ resource: rotating, storedKeys: [made(3, -2)], hasRoom: false },
      addresses: { ...addresses, SANDPOST_URL: 'http://b' },
    },
    { do: 'write-secret', value: 'same' },
  ],
  ['the next key not stored, and rotations that are rarer', interrupted({ rotateAfter: '9h' }, -2), storing],
  ['the next key not stored, and no rotation any more', interrupted({}, -2), storing],
  [
    'the next key not stored, and a clock 1 s behind',
    { resource: rotating, storedKeys: [made(3, second - 2)], keyInSecret: 'unknown' },
    storing,
  ],
  [
    'the next key stored by a clock 1 s behind',
    { resource: rotating, storedKeys: [made(3, -2), made(4, -second)], keyInSecret: { id: 4 } },
    { do: 'change-key', id: 3, set: { expiresAt: time(2 - second) } },
  ],
  [
    'the next key stored at last, and no rotation any more',
    { ...interrupted({}, -2), storedKeys: [made(3, -2), made(4, 0)], keyInSecret: { id: 4 } },
    { do: 'change-key', id: 3, set: { expiresAt: time(2) } },
  ],
  [
    'the next key not stored, and a template that is wrong',
    interrupted({ template: { A: '{{b}}' } }, -2),
    { tokenId: 3, rotatesAt: at.toISOString(), previousTokenId: undefined },
  ],
);
for (const [state, words, expected] of cases) {
  test(`rotation: ${state}`, () => {
    const step = decideApiKey(view(words));
    if ('do' in expected) assert.deepEqual(step, expected);
    else {
      assert.ok(step.do === 'report', step.do);
      const fields: Record<string, unknown> = step.fields;
      assert.deepEqual(
        Object.fromEntries(Object.keys(expected).map((name) => [name, fields[name]])),
        expected,
      );
      assert.ok((step.requeueAfterMs ?? 0) > 0);
    }
  });
}

test('a refusal keeps what tells of the rotation', () => {
  const refusal = invalid('name', 'the limit is reached');
  const sooner = interrupted({ rotateAfter: '1h' }, -1);
  assert.equal(refusedKey(view(sooner), refusal).fields.rotatesAt, at.toISOString());
  const status = { observedGeneration: 1, tokenId: 3, rotatesAt: time(9).toISOString() };
  const shortened = { ...sooner, resource: { ...resource({}, { rotateAfter: '1h' }), status } };
  assert.equal(refusedKey(view(shortened), refusal).fields.rotatesAt, at.toISOString());
  const { fields, findings } = refusedKey(view(interrupted({}, -2)), refusal);
  assert.deepEqual([fields.tokenId, fields.rotatesAt], [3, at.toISOString()]);
  assert.equal(findings[0]?.reason, 'Refused');
  const later = view({
    resource: withPrevious({ rotateAfter: '2h' }),
    ...{ storedKeys: [made(3, -3, { expiresAt: time(1) }), made(4, -1)], keyInSecret: { id: 4 } },
  });
  const { tokenId, rotatesAt, ...more } = refusedKey(later, refusal).fields;
  const { previousTokenId, previousExpiresAt } = more;
  assert.deepEqual(
    { tokenId, rotatesAt, previousTokenId, previousExpiresAt },
    { tokenId: 4, rotatesAt: time(1).toISOString(), ...previous },
  );
});
