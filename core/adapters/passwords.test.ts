import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPasswords } from './passwords.ts';

const passwords = createPasswords();

test('a password is verified by its own hash and no other', async () => {
  const hash = await passwords.hash('correct horse');
  assert.match(hash, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
  assert.equal(await passwords.verify('correct horse', hash), true);
  assert.equal(await passwords.verify('correct horsf', hash), false);
  assert.notEqual(await passwords.hash('correct horse'), hash, 'every hash has a salt of its own');
});

test('a hash that the reference implementation made is understood', async () => {
  // From src/test.c of phc-winner-argon2.
  const hash = '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc';
  assert.equal(await passwords.verify('password', hash), true);
});

for (const hash of [
  null,
  '',
  'plain',
  '$argon2i$v=19$m=19456,t=2,p=1$c29tZXNhbHQ$AAAAAAAAAAAAAAAAAAAAAA',
  '$',
]) {
  test(`no password fits the hash ${JSON.stringify(hash)}`, async () => {
    assert.equal(await passwords.verify('', hash), false);
    assert.equal(await passwords.verify('password', hash), false);
  });
}

test('a null hash costs what a real one costs', async () => {
  const hash = await passwords.hash('correct horse');
  const median = async (stored: string | null) => {
    const times: number[] = [];
    for (let i = 0; i < 7; i++) {
      const before = process.cpuUsage();
      await passwords.verify('wrong', stored);
      const spent = process.cpuUsage(before);
      times.push(spent.user + spent.system);
    }
    return times.sort((a, b) => a - b)[3] ?? 0;
  };
  const ratio = (await median(null)) / (await median(hash));
  assert.ok(ratio > 0.5 && ratio < 2, `the ratio is ${ratio}`);
});

test('many at once all end, whatever fails among them', async () => {
  const hash = await passwords.hash('a');
  // Parameters that argon2 itself refuses must give their turn back.
  const refused = '$argon2id$v=19$m=1,t=1,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc';
  const calls = Array.from({ length: 9 }, (_, i) => passwords.verify('a', i % 3 === 0 ? refused : hash));
  const ends = await Promise.allSettled(calls);
  assert.equal(ends.filter((end) => end.status === 'fulfilled' && end.value).length, 6);
});
