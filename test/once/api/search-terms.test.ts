import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deliver, deliverOne } from '#test/support/program/program-mail.ts';
import { scene } from '#test/support/program/scene.ts';
import { ok } from '#test/support/program/user.ts';

/** Name and ID of each message in the scene. */
const names = new Map<number, string>();

const { program, user } = await scene();
const domain: string = user.domain.domain;
const second = await ok(user.api.post('/api/accounts', { address: `second@${domain}` }));
const qa = user.address;
const bytes = (size: number) =>
  'x'
    .repeat(60)
    .concat('\r\n')
    .repeat(size / 62);
const note = async (name: string, id: Promise<number>) => names.set(await id, name);
await note(
  'welcome',
  deliverOne(program, {
    to: qa.replace('@', '+run7@'),
    from: 'Ann Lée <ann@shop.example>',
    subject: 'Welcome to the Café',
    text: 'Your code is 493817.',
    headers: { 'X-Run': '7 of 9', 'X-Tags': 'smoke, Sign up', 'Message-ID': '<w1@shop.example>' },
    cc: 'Bób Copy <bob@elsewhere.example>',
  }),
);
await note(
  'report',
  deliverOne(program, {
    to: qa,
    from: 'reports@two.example',
    subject: 'Monthly report',
    text: bytes(20_000),
    html: '<p>See <a href="https://two.example/r">the report</a></p>',
    attachments: [{ filename: 'Réport 1.pdf', content: 'x' }],
    headers: { 'X-Run': '8' },
  }),
);
await note(
  'other',
  deliverOne(program, { to: second.address, subject: 'Welcome back', text: 'To the second.' }),
);
const ids = await deliver(program, {
  to: [second.address, qa],
  subject: 'Both',
  text: 'One mail for two.',
});
for (const id of ids) {
  const { account_id } = await ok(user.api.get(`/api/messages/${id}`));
  names.set(id, account_id === second.id ? 'both of second' : 'both of qa');
}
const send = { to: [second.address], subject: 'Sent from here', text: 'x' };
assert.equal((await user.api.post(`/api/accounts/${user.account.id}/messages/send`, send)).status, 204);
for (const path of ['INBOX', 'Sent']) {
  const { items } = await ok(user.api.get(`/api/messages?mailbox=${path}&subject=sent%20from`));
  names.set(items[0].id, path === 'Sent' ? 'copy' : 'sent');
}
const { mailboxes } = await ok(user.api.get(`/api/accounts/${user.account.id}`));
const trash = mailboxes.find(({ path }: { path: string }) => path === 'Trash');
await note('junk', deliverOne(program, { to: qa, subject: 'Thrown away', text: 'Away with it.' }));
const junk = [...names].find(([, name]) => name === 'junk')?.[0];
const inbox = `/api/accounts/${user.account.id}/mailboxes/${user.inbox}/messages`;
await ok(user.api.put(`${inbox}/${junk}/move`, { mailbox_id: trash.id }));
await ok(user.api.patch(`/api/messages/${junk}`, { is_read: true, is_flagged: true, tags: ['Old'] }));

const received = ['welcome', 'report', 'other', 'both of second', 'both of qa', 'sent', 'junk'];
const without = (...left: string[]) => received.filter((name) => !left.includes(name));

/** Queries and the messages that they find. `QA` and `DOMAIN` stand for the user's address and its domain. */
const cases: [q: string, found: string[]][] = [
  ['', received],
  ['welcome', ['welcome', 'other']],
  ['"welcome to"', ['welcome']],
  ['WELCOME cafe', ['welcome']],
  ['welcome -back', ['welcome']],
  ['-welcome', without('welcome', 'other')],
  ['-(welcome OR both)', ['report', 'sent', 'junk']],
  ['welcome OR thrown', ['welcome', 'other', 'junk']],
  ['(welcome -back) OR (thrown away)', ['welcome', 'junk']],
  ['welcome OR', []],
  ['(welcome', []],
  ['from:lee', ['welcome']],
  ['from:ANN@shop', ['welcome']],
  ['-from:shop', without('welcome', 'other', 'both of second', 'both of qa', 'junk')],
  ['to:second', ['other', 'both of second', 'both of qa', 'sent']],
  ['to:+run7@', ['welcome']],
  ['cc:bob', ['welcome']],
  ['cc:"bob copy"', ['welcome']],
  ['cc:ann', []],
  ['bcc:bob', []],
  ['subject:café', ['welcome']],
  ['subject:code', []],
  ['body:493817', ['welcome']],
  ['body:welcome', []],
  ['filename:report', ['report']],
  ['filename:"report 1"', ['report']],
  ['-filename:report', without('report')],
  ['header:x-run', ['welcome', 'report']],
  ['header:X-Run=7', ['welcome']],
  ['header:X-Run="7 of"', ['welcome']],
  ['-header:X-Run', without('welcome', 'report')],
  ['header:X-Run -header:X-Run=8', ['welcome']],
  ['message-id:w1@shop.example', ['welcome']],
  ['message-id:<w1@shop.example>', ['welcome']],
  ['message-id:w1', []],
  ['address:QA', ['report', 'both of qa', 'junk']],
  ['address:QA+RUN', ['welcome']],
  ['address:second@DOMAIN', ['other', 'both of second', 'sent']],
  ['-address:QA', without('report', 'both of qa', 'junk')],
  ['tag:smoke', ['welcome']],
  ['tag:"SIGN UP"', ['welcome']],
  ['tag:sign', []],
  ['tag:old', ['junk']],
  ['-tag:old', without('junk')],
  ['tag:old OR tag:smoke', ['welcome', 'junk']],
  ['in:trash', ['junk']],
  ['in:Sent', ['copy']],
  ['in:sent OR in:trash', ['copy', 'junk']],
  ['-in:trash', without('junk')],
  ['-in:sent', received],
  ['in:nowhere', []],
  ['account:second@DOMAIN', ['other', 'both of second', 'sent']],
  ['account:nobody@DOMAIN', []],
  ['domain:DOMAIN', received],
  ['domain:elsewhere.example', []],
  ['is:read', ['junk']],
  ['is:unread', without('junk')],
  ['-is:read', without('junk')],
  ['is:read is:unread', []],
  ['is:read OR from:two', ['report', 'junk']],
  ['from:two OR tag:smoke', ['welcome', 'report']],
  ['-from:two OR tag:smoke', without('report')],
  ['welcome OR tag:old OR is:flagged', ['welcome', 'other', 'junk']],
  ['from:two OR has:code', ['welcome', 'report']],
  ['larger:10k OR -has:html', received],
  ['(tag:smoke from:ann) OR (has:html larger:10k) OR header:nothing', ['welcome', 'report']],
  ['-(tag:smoke OR from:two)', without('welcome', 'report')],
  ['-(tag:smoke from:ann)', without('welcome')],
  ['address:QA OR cc:bob', ['welcome', 'report', 'both of qa', 'junk']],
  ['is:flagged', ['junk']],
  ['is:unflagged welcome', ['welcome', 'other']],
  ['has:attachment', ['report']],
  ['-has:attachment', without('report')],
  ['has:code', ['welcome']],
  ['has:link', ['report']],
  ['has:html', ['report']],
  ['-has:html has:code', ['welcome']],
  ['has:code OR has:html', ['welcome', 'report']],
  ['has:html OR welcome', ['report', 'welcome', 'other']],
  ['tag:old OR (header:x-run=8 OR provider:resend) OR cc:nobody', ['junk', 'report']],
  ['larger:10k', ['report']],
  ['smaller:10k', without('report')],
  ['after:2020-01-01', received],
  ['before:2020-01-01', []],
  ['newer_than:1h', received],
  ['older_than:1h', []],
  ['dkim:pass', []],
  ['-dkim:pass', received],
  ['audit:passed', received],
  ['-audit:passed', []],
  ['audit:nothing-of-that-name', []],
  ['provider:sendgrid', []],
  ['authenticated:nobody', []],
  ['-provider:sendgrid -authenticated:nobody', received],
  ['is:great', []],
  ['http://nowhere.example', []],
];

test('each term finds what it names, in a list, and with a wait', async () => {
  for (const [template, found] of cases) {
    const q = template
      .replace('QA+RUN', user.address.replace('@', '+Run7@'))
      .replace('QA', user.address.toUpperCase())
      .replace('DOMAIN', domain);
    const list = await ok(user.api.get(`/api/messages?q=${encodeURIComponent(q)}`));
    const shown = list.items.map(({ id }: { id: number }) => names.get(id) ?? id);
    assert.deepEqual(shown.toSorted(), found.toSorted(), q);
    assert.equal(list.pagination.total, found.length, q);
    const waited = await user.api.get(`/api/messages?q=${encodeURIComponent(q)}&wait=0`);
    assert.deepEqual(
      waited.json.items.map(({ id }: { id: number }) => names.get(id) ?? id),
      shown,
      q,
    );
  }
});

test('results of the checks are searched as the message shows them', async () => {
  const { items } = await ok(user.api.get('/api/messages?limit=200'));
  for (const { id } of items) {
    const { spf, dkim, dmarc, arc, audit } = await ok(user.api.get(`/api/messages/${id}`));
    // An unsigned email has the result `none` (RFC 8601 section 2.7.1).
    const signatures = dkim.length === 0 ? [{ result: 'none' }] : dkim;
    const results = { spf: [spf], dmarc: [dmarc], arc: [arc], dkim: signatures };
    const finds = async (q: string) =>
      (await ok(user.api.get(`/api/messages?q=${encodeURIComponent(q)}`))).items.some(
        (item: { id: number }) => item.id === id,
      );
    for (const [field, own] of Object.entries(results)) {
      for (const word of ['none', 'pass', 'fail', 'softfail', 'temperror']) {
        const has = own.some(({ result }: { result: string }) => result === word);
        assert.equal(await finds(`${field}:${word}`), has, `${field}:${word} of ${id}`);
      }
    }
    for (const severity of ['critical', 'warning', 'info'] as const) {
      assert.equal(await finds(`audit:${severity}`), audit.checks[severity].length > 0, severity);
      const [check] = audit.checks[severity];
      if (check !== undefined) assert.ok(await finds(`audit:${check.id}`), check.id);
    }
  }
});

test('parameters are added to q', async () => {
  const shown = async (query: string) => {
    const { items } = await ok(user.api.get(`/api/messages?${query}`));
    return items.map(({ id }: { id: number }) => names.get(id) ?? id).toSorted();
  };
  assert.deepEqual(await shown('tag=SMOKE'), ['welcome']);
  assert.deepEqual(await shown(`address=second@${domain}&q=welcome`), ['other']);
  assert.deepEqual(await shown('tag=smoke&q=-welcome'), []);
  assert.deepEqual(await shown('unread=true&q=is:read'), []);
  assert.deepEqual(await shown('mailbox=Trash&q=in:inbox'), []);
  assert.deepEqual(await shown('subject=welcome&q=back+OR+cafe'), ['other', 'welcome']);
});
