import assert from 'node:assert/strict';
import { test } from 'node:test';
import { badParameter, readPath, recipientOf, unknownParameter } from './command-line.ts';

/** Text after `RCPT TO:`, and the address in it, or null. */
const cases: [text: string, address: string | null][] = [
  ['<qa@app.test>', 'qa@app.test'],
  [' <qa@app.test>', 'qa@app.test'],
  ['<qa@app.test> SIZE=3', 'qa@app.test'],
  ['<>', ''],
  ['<qa.@app.test>', 'qa.@app.test'],
  ['<.qa@app.test>', '.qa@app.test'],
  ['<q..a@app.test>', 'q..a@app.test'],
  ['<..@app.test>', '..@app.test'],
  ['<"a b"@app.test>', '"a b"@app.test'],
  ['<"a@b"@app.test>', '"a@b"@app.test'],
  ['<"a>b"@app.test> NOTIFY=NEVER', '"a>b"@app.test'],
  ['<"a\\"b"@app.test>', '"a\\"b"@app.test'],
  ['<"a"."b"@app.test>', '"a"."b"@app.test'],
  ['<""@app.test>', '""@app.test'],
  ['<qa@my_host.test>', 'qa@my_host.test'],
  ['<qa@my_container>', 'qa@my_container'],
  ['<qa@localhost>', 'qa@localhost'],
  ['<qa@app.test.>', 'qa@app.test.'],
  ['<qa@app..test>', 'qa@app..test'],
  ['<qa@-app.test>', 'qa@-app.test'],
  ['<qa@[192.0.2.1]>', 'qa@[192.0.2.1]'],
  ['<qa@[IPv6:2001:db8::1]>', 'qa@[IPv6:2001:db8::1]'],
  ['<@a.test,@b.test:R@xn--bcher-kva.test>', 'R@xn--bcher-kva.test'],
  ['<@a.test:"a b"@app.test>', '"a b"@app.test'],
  ['<grüße@bücher.test> SMTPUTF8', 'grüße@bücher.test'],
  ['<"grüße an alle"@bücher.test>', '"grüße an alle"@bücher.test'],
  ['<用户@例子.测试>', '用户@例子.测试'],
  ['<postmaster>', 'postmaster'],
  ['<root>', 'root'],
  [`<${'a'.repeat(200)}@app.test>`, `${'a'.repeat(200)}@app.test`],
  [`<${'a'.repeat(312)}@app.test>`, null],
  ['qa@app.test', null],
  ['<qa@app.test', null],
  ['qa@app.test>', null],
  ['<<qa@app.test>>', null],
  ['Ann <qa@app.test>', null],
  ['<Ann <qa@app.test>>', null],
  ['<a b@app.test>', null],
  ['<a@b@app.test>', null],
  ['<"a b@app.test>', null],
  ['<qa@>', null],
  ['<@app.test>', null],
  ['<qa@app.test>SIZE=3', null],
  ['<qa@app.test> ', 'qa@app.test'],
  ['<q\u200ba@app.test>', null],
  ['<"q\u2028a"@app.test>', null],
  ['<q\u0085a@app.test>', null],
];

for (const [text, address] of cases)
  test(`${text.slice(0, 60)}: ${address?.slice(0, 60) ?? 'no path'}`, () =>
    assert.equal(readPath(`RCPT TO:${text}`)?.address ?? null, address));

test('parameters begin behind the path', () =>
  assert.deepEqual(readPath('MAIL FROM: <"a> b"@app.test>  SIZE=3 RET=FULL'), {
    address: '"a> b"@app.test',
    parameters: '  SIZE=3 RET=FULL',
    withoutAddress: 'MAIL FROM:<>  SIZE=3 RET=FULL',
  }));

test('a recipient is read out of what is no path', () => {
  for (const [text, address] of [
    ['<a b@app.test>', 'a b@app.test'],
    ['qa@app.test', 'qa@app.test'],
    ['<Ann <qa@app.test>>', 'Ann <qa@app.test'],
    ['<"a b"@app.test> NOTIFY=NO', '"a b"@app.test'],
  ] as const)
    assert.equal(recipientOf(`RCPT TO:${text}`), address);
});

/** Commands, and the parameter that is not allowed. */
const commands: [command: string, bad: string | null][] = [
  ['MAIL FROM:<s@s.test>', null],
  ['MAIL FROM:<s@s.test> RET=FULL ENVID=QQ+2B314 SIZE=3', null],
  [`MAIL FROM:<s@s.test> ENVID=${'a'.repeat(100)}`, null],
  [`MAIL FROM:<s@s.test> envid=${'a'.repeat(101)}`, 'ENVID'],
  ['MAIL FROM:<s@s.test> ENVID=a+zz', 'ENVID'],
  ['MAIL FROM:<s@s.test> ENVID=a+2b', 'ENVID'],
  ['MAIL FROM:<s@s.test> ENVID=a=b', 'ENVID'],
  ['RCPT TO:<r@r.test> NOTIFY=SUCCESS,DELAY ORCPT=rfc822;a+2Bb@r.test', null],
  ['RCPT TO:<r@r.test> NOTIFY=success,SUCCESS', 'NOTIFY'],
  ['RCPT TO:<r@r.test> ORCPT=rfc822;a+', 'ORCPT'],
  ['RCPT TO:<r@r.test> ORCPT=rfc822;a>b ENVID=+', 'ENVID'],
  [`RCPT TO:<r@r.test> ORCPT=rfc822;${'a'.repeat(493)}`, null],
  [`RCPT TO:<r@r.test> ORCPT=rfc822;${'a'.repeat(494)}`, 'ORCPT'],
];

for (const [command, bad] of commands) {
  test(`${command.slice(0, 70)}: ${bad ?? 'good'}`, () => assert.equal(badParameter(command), bad));
}

/** Commands, and their first parameter from an extension that is not offered. */
const extensions: [command: string, unknown: string | null][] = [
  ['MAIL FROM:<>', null],
  ['MAIL FROM: <s@s.test>  size=3  Body=8BITMIME ', null],
  ['MAIL FROM:<s@s.test> SMTPUTF8 AUTH=<> RET=HDRS ENVID=a REQUIRETLS', null],
  ['mail from:<s@s.test> SIZE=3 HOLDFOR=60 XFOO', 'HOLDFOR'],
  ['MAIL FROM:<s@s.test> XVERP', 'XVERP'],
  ['MAIL FROM:<s@s.test> NOTIFY=NEVER', 'NOTIFY'],
  ['MAIL FROM:<s@s.test> SIZES=3', 'SIZES'],
  ['MAIL FROM:<s@s.test> =3', null],
  ['RCPT TO:<"a SIZE=3"@r.test> notify=NEVER ORCPT=rfc822;a@r.test', null],
  ['RCPT TO:<r@r.test> SIZE=3', 'SIZE'],
  [`RCPT TO:<r@r.test> ${'x'.repeat(900)}=1`, 'X'.repeat(40)],
  ['RCPT TO:<r@r.test', null],
];

for (const [command, unknown] of extensions)
  test(`${command.slice(0, 70)}: ${unknown ?? 'known parameters'}`, () =>
    assert.equal(unknownParameter(command), unknown));
