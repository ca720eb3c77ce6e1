import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isLocalMail, problemsOf } from './results.ts';

const check = (id: string) => ({ id, title: id, detail: id });

function mail(
  remoteAddress: string | null,
  spf = 'none',
  info: string[] = [],
): Parameters<typeof isLocalMail>[0] {
  return {
    spf: { result: spf, domain: 'example.com', explanation: null },
    dkim: [],
    dmarc: { result: 'none', domain: null, policy: null, aligned_spf: false, aligned_dkim: false },
    audit: {
      checks: {
        critical: [],
        warning: ['spf', 'dkim', 'dmarc', 'list-unsubscribe'].map(check),
        info: info.map(check),
        passed: [],
      },
      authentication_results: '',
    },
    envelope: { remote_address: remoteAddress },
  } as unknown as Parameters<typeof isLocalMail>[0];
}

const local = ['127.0.0.1', '10.1.0.7', '172.16.0.1', '172.31.9.9', '192.168.1.2', '169.254.1.1', '::1'];
for (const address of [...local, '::ffff:10.0.0.1', 'fd00::1', 'fe80::1']) {
  test(`${address} is local`, () => {
    assert.equal(isLocalMail(mail(address)), true);
    const ids = problemsOf(mail(address)).warning.map(({ id }) => id);
    assert.deepEqual(ids, ['list-unsubscribe']);
  });
}
for (const address of [
  '203.0.113.7',
  '172.32.0.1',
  '100.1.1.1',
  '110.0.0.1',
  '2001:db8::1',
  'fec0::1',
  null,
]) {
  test(`${address} is not local`, () => {
    assert.equal(isLocalMail(mail(address)), false);
    assert.equal(problemsOf(mail(address)).warning.length, 4);
  });
}
test('a result of a local mail is told', () => {
  for (const result of ['pass', 'fail', 'softfail', 'temperror']) {
    assert.equal(isLocalMail(mail('127.0.0.1', result)), false);
  }
});
test('a mail that the API sent is local, wherever the client is', () =>
  assert.equal(isLocalMail(mail('203.0.113.7', 'none', ['submitted'])), true));
