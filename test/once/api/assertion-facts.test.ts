import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertionOf } from '#api/web/message/assertion.ts';
import { keyRecord, sign } from '#test/once/mail-auth/lab.ts';
import { startMailProgram } from '#test/support/program/mail-program.ts';
import { deliverOne } from '#test/support/program/program-mail.ts';
import { ok } from '#test/support/program/user.ts';

const mail = await startMailProgram();
const { program, user } = mail;

const assertMail = (body: object) => mail.user.api.post('/api/assert', body);
const client_ip = '203.0.113.7';
const spf = { 'shop.example': { TXT: ['v=spf1 ip4:203.0.113.7 -all'] } };
const dmarc = { '_dmarc.shop.example': { TXT: ['v=DMARC1; p=reject'] } };
const dkim = { 's1._domainkey.shop.example': { TXT: [keyRecord('rsa2048')] } };

test('SPF, DKIM and DMARC are asserted with a client address and records that are not published', async () => {
  const to = mail.user.address.replace('@', '+facts@');
  const raw = await sign(
    `From: Shop <news@shop.example>\r\nTo: ${to}\r\nSubject: Hello\r\nMessage-ID: <1@shop.example>\r\n\r\nA body.\r\n`,
    { key: 'rsa2048', signingDomain: 'shop.example', selector: 's1' },
  );
  const id = await deliverOne(mail.program, { to, from: 'bounce@shop.example', raw });
  const stored = (await mail.user.api.get(`/api/messages/${id}`)).json;
  const find = { address: to };
  const asked = mail.dns.questions.length;
  const cases: [expected: object, facts: object, status: number][] = [
    [
      { spf: 'pass', dkim: 'pass', dmarc: 'pass' },
      { client_ip, records: { ...spf, ...dkim, ...dmarc } },
      200,
    ],
    // The records alone suffice for a signature.
    [{ dkim: 'pass', dmarc: 'pass' }, { records: { ...dkim, ...dmarc } }, 200],
    [{ spf: 'pass', dmarc: 'pass' }, { client_ip, records: { ...spf, ...dmarc } }, 200],
    [{ spf: 'pass' }, { client_ip: '198.51.100.1', records: spf }, 417],
    [{ spf: 'pass' }, { client_ip, mail_from: 'x@other.example', records: spf }, 417],
    [{ dmarc: 'pass' }, { client_ip, helo: 'mta.shop.example', records: dmarc }, 417],
    [{ dmarc: 'pass' }, {}, 417],
  ];
  for (const [authentication, facts, status] of cases) {
    const answer = await assertMail({ find, expect: [{ authentication }], ...facts });
    assert.equal(answer.status, status, JSON.stringify([facts, answer.json]));
  }
  // The audit uses the same facts.
  const audit = { find, expect: [{ audit: { none: 'critical' } }] };
  assert.equal((await assertMail({ ...audit, client_ip: '198.51.100.1', records: spf })).status, 417);
  assert.equal(mail.dns.questions.length, asked, 'the DNS is not asked');
  assert.deepEqual((await mail.user.api.get(`/api/messages/${id}`)).json, stored);
});

test('mail clients pass but for features that are left out, and those that another mail has', async () => {
  const send = (html: string, tag: string) =>
    deliverOne(mail.program, { to: mail.user.address.replace('@', `+${tag}@`), subject: 'x', html });
  const flex = '<div style="display:flex">a</div>';
  const video = '<video src="https://a.test/v.mp4">v</video>';
  const before = await send(flex, 'before');
  await send(`${flex}${video}`, 'gate');
  const clauseOf = async (clients: object) => {
    const find = { address: mail.user.address.replace('@', '+gate@') };
    const { status, json } = await assertMail({ find, expect: [{ clients }] });
    return { status, ...json.clauses?.[0], violations: json.violations };
  };
  const of = ['outlook.windows'];
  const all = await clauseOf({ of, except: ['html-target'] });
  assert.equal(all.status, 417);
  assert.match(all.actual, /css-display-flex \(outlook\.windows\), html-video \(outlook\.windows\)/);
  const slugs: string[] = all.actual.split(', ').map((one: string) => one.split(' ')[0] ?? '');
  const passed = await clauseOf({ of, except: slugs });
  assert.deepEqual([passed.status, passed.actual], [200, 'no unsupported features']);
  const news = await clauseOf({ of, compared_with: { message_id: before } });
  assert.deepEqual(
    [news.status, news.name],
    [417, `outlook.windows shows everything, compared with message ${before}`],
  );
  assert.doesNotMatch(news.actual, /css-display-flex/);
  assert.match(news.actual, /html-video/);
  const raw = `Subject: x\r\nContent-Type: text/html\r\n\r\n${flex}\r\n`;
  const byRaw = await clauseOf({ of, compared_with: { raw } });
  assert.equal(byRaw.actual, news.actual);
  const both = await clauseOf({ of, compared_with: { raw }, except: ['html-video'] });
  assert.equal(both.status, 200, both.actual);
  const invalid: [clients: object, field: string, message: RegExp][] = [
    [{ of }, 'expect.0.clients', /must have at_least, except or compared_with/],
    [{ except: ['css-flexx'] }, 'expect.0.clients.except', /"css-flexx", which is not a caniemail\.com slug/],
    [{ compared_with: { message_id: 999_999 } }, 'expect.0.clients.compared_with', /one of your messages/],
    [{ compared_with: {} }, 'expect.0.clients.compared_with', /must have message_id or raw/],
  ];
  for (const [clients, field, message] of invalid) {
    const { status, violations } = await clauseOf(clients);
    assert.equal(status, 422, JSON.stringify(clients));
    assert.equal(violations[0].field, field);
    assert.match(violations[0].message, message);
  }
});

test('the refusal of a list names the command that evaluates one', async () => {
  const { status, json } = await assertMail([{ find: {}, expect: [] }]);
  assert.deepEqual(
    [status, json.detail],
    [
      400,
      'The body must be a JSON object: to evaluate a list, use `bin/sandpost assert` from the repository',
    ],
  );
});

test('the assertion that the page copies of a message holds of it', async () => {
  const pdf = { filename: 'Invoice.pdf', content: 'x', contentType: 'application/pdf' };
  const id = await deliverOne(program, {
    ...{ to: user.address, subject: 'Welcome "Ada" \\o/' },
    text: 'Your code is 493817. Confirm your address: https://app.test:8443/verify?t=1',
    attachments: [pdf, { ...pdf, filename: `${'x'.repeat(300)}.pdf` }],
  });
  const copied = assertionOf(await ok(user.api.get(`/api/messages/${id}`)));
  const { status, json } = await user.api.post('/api/assert', copied);
  assert.equal(status, 200, JSON.stringify(json));
  assert.equal(json.clauses.length, 6);
});
