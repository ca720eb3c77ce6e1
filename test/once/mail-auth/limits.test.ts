import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CheckBudget } from '#adapters/mail-auth/budget.ts';
import { createAuthenticator } from '#adapters/mail-auth/mail-auth.ts';
import type { Authentication } from '#core/messages/content.ts';
import { durationOf, shortest } from '#test/support/runner/shortest.ts';
import { arrival, openLab, plainMail, sign } from './lab.ts';

const words = ({ spf, dkim, dmarc, arc }: Authentication) =>
  [spf.result, ...dkim.map(({ result }) => result), dmarc.result, arc.result].join(' ');

async function* pieces(mail: string, size: number): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(mail);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

test('mail sent by the API is not checked, and causes no DNS question', async () => {
  await using lab = await openLab();
  const { authentication, signatures } = await lab.check(await sign(plainMail), { submitted: true });
  assert.equal(words(authentication), 'none none none');
  assert.deepEqual([authentication.dkim, signatures, lab.dns.questions], [[], [], []]);
  assert.equal(authentication.header, 'mx.here.test;\r\n none');
});

test('a name that is no token is quoted in the header', async () => {
  await using lab = await openLab();
  const { authentication } = await lab.check(plainMail, { receivedBy: '[::1]' });
  assert.ok(authentication.header.startsWith('"[::1]";\r\n '), authentication.header);
});

test('a mail in pieces of any size is judged as it is in one', async () => {
  await using lab = await openLab();
  const { check, dns } = lab;
  const { authenticate } = createAuthenticator({ dnsServers: [dns.address] });
  for (const mail of [
    plainMail,
    await sign(plainMail),
    'Subject: no body',
    '',
    '\r\nFrom: a@app.test\r\n\r\n',
  ]) {
    const whole = await check(mail);
    for (const size of [1, 7, 100, 10_000]) {
      assert.deepEqual(await authenticate(pieces(mail, size), arrival), whole, `pieces of ${size}`);
    }
  }
});

test('an unsigned mail is read up to the end of its header, and its source is released', async () => {
  await using lab = await openLab();
  let read = 0;
  let released = false;
  async function* endless() {
    try {
      yield Buffer.from(plainMail);
      for (;;) {
        read++;
        yield Buffer.alloc(1024, 'x');
      }
    } finally {
      released = true;
    }
  }
  const { authenticate } = createAuthenticator({ dnsServers: [lab.dns.address] });
  assert.equal((await authenticate(endless(), arrival)).authentication.dmarc.result, 'pass');
  assert.deepEqual([read, released], [0, true]);
});

test('a source that breaks off is an error, not a verdict', async () => {
  await using lab = await openLab();
  const signed = await sign(plainMail);
  async function* broken() {
    yield Buffer.from(signed);
    throw new Error('the store is gone');
  }
  const { authenticate } = createAuthenticator({ dnsServers: [lab.dns.address] });
  await assert.rejects(authenticate(broken(), arrival), /the store is gone/);
});

test('answers are asked for once while they are fresh, negative ones too', async () => {
  await using lab = await openLab();
  const mail = await sign(plainMail, { selector: 'gone' });
  await lab.check(mail);
  const first = lab.dns.questions.length;
  for (let i = 0; i < 5; i++) await lab.check(mail);
  assert.equal(lab.dns.questions.length, first);
  assert.ok(lab.dns.questions.includes('TXT gone._domainkey.app.test'));
  assert.equal(new Set(lab.dns.questions).size, first, 'no question twice');
});

test('a server that is silent costs one mail its wait, and none more than 5 s', async () => {
  const mail = await sign(plainMail);
  const first = await shortest(5000, async () => {
    await using lab = await openLab();
    lab.dns.misbehaviour.set('*', 'silent');
    const check = async () =>
      assert.equal(words((await lab.check(mail)).authentication), 'temperror temperror temperror none');
    const one = await durationOf(check);
    const others = await durationOf(async () => {
      for (let i = 0; i < 20; i++) await check();
    });
    assert.ok(others < 20 * one, 'the others waited too');
    return one;
  });
  assert.ok(first < 5000, `the first took ${first} ms`);
});

test('a server that is gone gives temperror at once', async () => {
  const lab = await openLab();
  await lab.dns.close();
  const mail = await sign(plainMail);
  const took = await shortest(4500, () =>
    durationOf(async () =>
      assert.equal(words((await lab.check(mail)).authentication), 'temperror temperror temperror none'),
    ),
  );
  assert.ok(took < 4500, 'it waited for the time-out');
});

test('names that are never resolved cost a mail 5 s at most, all together', async () => {
  const selectors = ['a', 'b', 'c', 'd'];
  let mail = plainMail;
  for (const selector of selectors) mail = await sign(mail, { selector });
  const took = await shortest(5500, async () => {
    await using lab = await openLab();
    for (const selector of selectors) lab.dns.misbehaviour.set(`${selector}._domainkey.app.test`, 'silent');
    const budget = new CheckBudget(2000);
    const start = performance.now();
    const { authentication } = await lab.check(mail, {}, budget);
    const ms = performance.now() - start;
    assert.ok(authentication.dkim.every(({ result }) => result === 'temperror'));
    assert.equal(authentication.spf.result, 'pass', 'the server answers for other names');
    assert.deepEqual([...budget.reached], ['mail.dnsMs']);
    return ms;
  });
  assert.ok(took > 3000 && took < 5500, `${took} ms`);
});

const floods: [what: string, limit: string, mail: string][] = [
  ['a header of a megabyte', 'mail.signedHeaderBytes', `X: ${'x'.repeat(2 ** 20)}\r\n${plainMail}`],
  ['a hundred thousand folds', 'mail.signedHeaderBytes', `X: ${'x\r\n '.repeat(100_000)}y\r\n${plainMail}`],
  [
    'white space within a tag',
    'mail.signedHeaderSpaces',
    `DKIM-Signature: v${' '.repeat(100_000)}=1; a=rsa-sha256; d=app.test; s=x; h=from; bh=x; b=x\r\n${plainMail}`,
  ],
  [
    'a signature of a thousand names',
    'mail.signatureFieldBytes',
    `DKIM-Signature: v=1; a=rsa-sha256; d=app.test; s=x; h=from${':y'.repeat(10_000)}; bh=x; b=x\r\n${plainMail}`,
  ],
  [
    'a thousand signatures',
    'mail.signatures',
    `${'DKIM-Signature: v=1; a=rsa-sha256; d=app.test; s=x; h=from; bh=x; b=x\r\n'.repeat(1000)}${plainMail}`,
  ],
];
for (const [what, limit, mail] of floods) {
  test(`${what} is not worked through`, async () => {
    await using lab = await openLab();
    const start = process.cpuUsage();
    const budget = new CheckBudget(2000);
    const { authentication } = await lab.check(mail, {}, budget);
    const { user, system } = process.cpuUsage(start);
    assert.deepEqual([...budget.reached], [limit]);
    assert.equal(words(authentication), 'pass policy permerror permerror');
    assert.match(authentication.dkim[0]?.info ?? '', /(?:exceeds|more than) \d+/);
    assert.ok(user + system < 500_000, `${user + system} µs of CPU`);
  });
}

test('a mail asks so many questions, and none of its answers is long', async () => {
  await using lab = await openLab();
  const exchanges = Array.from({ length: 8 }, (_, index) => `m${index}.app.test`);
  const policy = exchanges.map((name) => `mx:${name}`).join(' ');
  const long = new Array<string>(17).fill(' '.repeat(250));
  lab.dns.zones['app.test'] = { TXT: [long, `v=spf1 ${policy} -all`] };
  for (const name of exchanges) {
    const hosts = Array.from({ length: 10 }, (_, index): [number, string] => [index, `h${index}.${name}`]);
    lab.dns.zones[name] = { MX: hosts };
  }
  const budget = new CheckBudget(2000);
  const { authentication } = await lab.check(plainMail, {}, budget);
  assert.equal(authentication.spf.result, 'temperror');
  assert.deepEqual([...budget.reached].sort(), ['mail.dnsQuestions', 'mail.dnsTextBytes']);
});

test('header names that objects know harm nothing', async () => {
  await using lab = await openLab();
  const odd = [
    '__proto__: x',
    'constructor: y',
    'toString: z',
    'DKIM-Signature: v=1; __proto__=1; a=rsa-sha256',
  ];
  const { authentication } = await lab.check(`${odd.join('\r\n')}\r\n${plainMail}`);
  assert.equal(words(authentication), 'pass neutral pass none');
  assert.equal(Object.keys(Object.prototype).length, 0);
});

test('signatures are checked while there is time', async () => {
  await using lab = await openLab();
  const { authenticate } = createAuthenticator({ dnsServers: [lab.dns.address] });
  const costly = `DKIM-Signature: v=1; a=rsa-sha256; d=app.test; s=x; h=from${':y'.repeat(300)}; l=0;\r\n bh=47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=; b=x\r\n`;
  const mail = Buffer.from(`${costly.repeat(20)}${'X: y\r\n'.repeat(1800)}${plainMail}`);
  // Their total time depends on the machine, and falls while the engine compiles.
  const times: number[] = [];
  for (let round = 0; round < 4; round += 1) {
    const before = process.threadCpuUsage();
    await authenticate(mail, arrival, new CheckBudget(60_000));
    const { user, system } = process.threadCpuUsage(before);
    times.push((user + system) / 1000);
  }
  const { authentication } = await authenticate(mail, arrival, new CheckBudget(0.4 * Math.min(...times)));
  const notes = authentication.dkim.map(({ info }) => info?.includes('took too long'));
  assert.deepEqual([notes.length, notes.at(0), notes.at(-1)], [20, false, true]);
});

test('checks that the time does not suffice for give temperror', async () => {
  await using lab = await openLab();
  const { authenticate } = createAuthenticator({ dnsServers: [lab.dns.address] });
  const mail = Buffer.from(await sign(await sign(plainMail)));
  const { authentication, signatures } = await authenticate(mail, arrival, new CheckBudget(-1));
  assert.equal(words(authentication), 'temperror temperror temperror temperror none');
  assert.equal(signatures.length, 2);
  assert.match(authentication.dkim[0]?.info ?? '', /took too long/);
});
