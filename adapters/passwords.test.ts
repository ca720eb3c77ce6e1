import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPasswords } from './passwords.ts';

const { signIn: passwords, accounts } = createPasswords();

test('verifies a password by its own hash and no other', async () => {
  const hash = await passwords.hash('correct horse', 'a');
  assert.match(hash, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
  assert.equal(await passwords.verify('correct horse', hash, 'a'), true);
  assert.equal(await passwords.verify('correct horsf', hash, 'a'), false);
  assert.notEqual(await passwords.hash('correct horse', 'a'), hash, 'every hash has a salt of its own');
});

test('verifies a hash of the reference implementation', async () => {
  // Hash from src/test.c of phc-winner-argon2.
  const hash = '$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4';
  assert.equal(await passwords.verify('password', hash, 'a'), true);
});

for (const hash of [
  null,
  '',
  'plain',
  '$argon2i$v=19$m=19456,t=2,p=1$c29tZXNhbHQ$AAAAAAAAAAAAAAAAAAAAAA',
  '$',
  // Hash of `password` by the reference implementation, with more memory than the program uses.
  '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc',
]) {
  test(`verifies no password by the hash ${JSON.stringify(hash)}`, async () => {
    assert.equal(await passwords.verify('', hash, 'a'), false);
    assert.equal(await passwords.verify('password', hash, 'a'), false);
  });
}

test('takes the same processor time for a null hash as for a real one', async () => {
  const hash = await passwords.hash('correct horse', 'a');
  const median = async (stored: string | null) => {
    const times: number[] = [];
    for (let i = 0; i < 7; i++) {
      const before = process.cpuUsage();
      await passwords.verify('wrong', stored, 'a');
      const spent = process.cpuUsage(before);
      times.push(spent.user + spent.system);
    }
    return times.sort((a, b) => a - b)[3] ?? 0;
  };
  const ratio = (await median(null)) / (await median(hash));
  assert.ok(ratio > 0.5 && ratio < 2, `the ratio is ${ratio}`);
});

test('ends all of many hashings, although some fail', async () => {
  const hash = await passwords.hash('a', 'a');
  // A hash with parameters that argon2 refuses matches no password.
  const refused = '$argon2id$v=19$m=1,t=1,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc';
  const calls = Array.from({ length: 9 }, (_, i) => passwords.verify('a', i % 3 === 0 ? refused : hash, 'a'));
  const ends = await Promise.allSettled(calls);
  assert.equal(ends.filter((end) => end.status === 'fulfilled' && end.value).length, 6);
});

test('lets a sign-in wait for neither account passwords nor another address', async () => {
  const hash = await passwords.hash('correct horse', 'a');
  const ended: string[] = [];
  const note = (name: string) => () => void ended.push(name);
  const all = [
    ...Array.from({ length: 20 }, () => accounts.hash('a password', '7').then(note('account'))),
    ...Array.from({ length: 20 }, () => passwords.verify('a guess', hash, 'crowd').then(note('crowd'))),
    passwords.verify('correct horse', hash, 'victim').then(note('victim')),
  ];
  await Promise.all(all);
  const before = ended.slice(0, ended.indexOf('victim'));
  assert.ok(before.filter((name) => name === 'crowd').length <= 2, before.join(' '));
  assert.ok(before.filter((name) => name === 'account').length < 10, before.join(' '));
});
