import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RowStore } from '#core/change.ts';
import { Duplicate } from '#core/errors.ts';
import type { UserRecord, UserStore } from './access.ts';
import { type Claims, decideSignIn, type SignInOutcome, signInByProvider } from './sign-in-by-provider.ts';

const record = (id: number, more: Partial<UserRecord> = {}): UserRecord => ({
  user: { id, email: 'ada@corp.test', createdAt: new Date(0) },
  passwordHash: null,
  emailVerified: true,
  disabledAt: null,
  ...more,
});
const claims: Claims = {
  issuer: 'https://login.test',
  subject: 's1',
  email: 'Ada@Corp.test',
  emailVerified: true,
  groups: [],
};
const [one, two] = [record(1), record(2)];
const disabled = record(3, { disabledAt: new Date(0) });

type Known = { known?: UserRecord; namesake?: UserRecord };

const cases: [name: string, Partial<Claims>, Known, SignInOutcome | 'refuse', domains?: string[]][] = [
  ['nobody is known', {}, {}, { create: 'ada@corp.test' }],
  ['the identity is known', {}, { known: one }, { enter: one.user }],
  [
    'the identity is known, and its e-mail now another user’s',
    {},
    { known: one, namesake: two },
    { enter: one.user },
  ],
  ['the e-mail is known', {}, { namesake: two }, { join: two.user }],
  ['the e-mail is not verified', { emailVerified: false }, {}, 'refuse'],
  ['the e-mail of a user is not verified', { emailVerified: false }, { namesake: two }, 'refuse'],
  ['the e-mail of a known identity is not verified', { emailVerified: false }, { known: one }, 'refuse'],
  ['there is no e-mail', { email: null }, {}, 'refuse'],
  ['the e-mail is none', { email: 'ada' }, {}, 'refuse'],
  ['the e-mail is two', { email: 'ada@corp.test@evil.test' }, {}, 'refuse'],
  ['the e-mail has a line break', { email: 'ada@corp.test\n' }, {}, 'refuse'],
  ['the e-mail is too long', { email: `${'a'.repeat(250)}@b.test` }, {}, 'refuse'],
  [
    'the e-mail has a KELVIN SIGN, which is no k',
    { email: '\u212aate@corp.test' },
    { namesake: two },
    'refuse',
  ],
  ['there is no subject', { subject: '' }, {}, 'refuse'],
  ['the subject is too long', { subject: 'x'.repeat(256) }, {}, 'refuse'],
  ['the domain is allowed', {}, {}, { create: 'ada@corp.test' }, ['other.test', 'corp.test']],
  ['the domain is not allowed', {}, {}, 'refuse', ['other.test']],
  ['a name above the domain is allowed', {}, {}, 'refuse', ['test']],
  ['the domain is no longer allowed', {}, { known: one }, 'refuse', ['other.test']],
  ['the user is disabled', {}, { known: disabled }, 'refuse'],
  ['the user with the e-mail is disabled', {}, { namesake: disabled }, 'refuse'],
];
for (const [name, more, { known = null, namesake = null }, wanted, domains = []] of cases) {
  test(name, () => {
    const entrance = decideSignIn({ ...claims, ...more }, domains, known, namesake);
    if (wanted === 'refuse') assert.ok('refuse' in entrance, JSON.stringify(entrance));
    else assert.deepEqual(entrance, wanted);
  });
}

type Made = { change: string; args: object };

/** Store in which `find` finds a user and `change` applies changes. */
function storeOf(find: UserStore['find'], change: (made: Made) => unknown) {
  const rows = {
    change: async ({ name }: { name: string }, args: object) => change({ change: name, args }),
  };
  return {
    rows: rows as unknown as RowStore,
    users: { find } as Partial<UserStore> as UserStore,
    clock: () => new Date(7),
  };
}

const byEmail: UserStore['find'] = async (by) => ('email' in by ? two : null);

test('a user of another subject keeps their e-mail', async () => {
  const ports = storeOf(byEmail, () => {
    throw new Duplicate();
  });
  await assert.rejects(signInByProvider(ports, claims, []), {
    name: 'SignInRefused',
    message: /belongs to a different user/,
  });
});

test('of two first sign-ins at once, the second finds the user of the first', async () => {
  let made = false;
  const ports = storeOf(
    async (by) => (made && 'identity' in by ? one : null),
    (change) => {
      const identity = { issuer: 'https://login.test', subject: 's1' };
      const args = {
        email: 'ada@corp.test',
        passwordHash: null,
        now: new Date(7),
        emailVerified: true,
        identity,
      };
      assert.deepEqual(change, { change: 'addUser', args });
      made = true;
      throw new Duplicate();
    },
  );
  const { holder } = await signInByProvider(ports, claims, []);
  assert.equal(holder.user, one.user);
});

test('an e-mail is searched for as the user who registered it, and never as a letter that looks like it', async () => {
  const searched: string[] = [];
  const ports = storeOf(
    async (by) => {
      if ('email' in by) searched.push(by.email);
      return byEmail(by);
    },
    () => ({ taken: null }),
  );
  await signInByProvider(ports, claims, []);
  await assert.rejects(signInByProvider(ports, { ...claims, email: '\u212aate@corp.test' }, []), {
    message: /contains characters that look like other letters/,
  });
  assert.deepEqual(searched, ['ada@corp.test']);
});
