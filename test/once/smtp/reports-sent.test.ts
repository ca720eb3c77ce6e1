import assert from 'node:assert/strict';
import { test } from 'node:test';
import { limits } from '#core/limits.ts';
import type { Json } from '#test/support/clients/http.ts';
import { EventReader } from '#test/support/clients/http-events.ts';
import { onTheWire, SmtpClient } from '#test/support/clients/smtp-client.ts';
import { scene } from '#test/support/program/scene.ts';
import { createTeam, type SharedTeam } from '#test/support/program/team.ts';
import { ok } from '#test/support/program/user.ts';

const { program, user: ada } = await scene();

/** Team whose account `qa@` simulates failures and whose account `app@` sends. */
type Scene = SharedTeam & { sender: string; at: (tag: string) => string };

async function teamScene(name: string, words = {}): Promise<Scene> {
  const team = await createTeam(program, ada, name);
  await ok(team.api.patch(`/api/accounts/${team.account.id}`, { simulates_failures: true }));
  const sender = `app@${team.domain.domain}`;
  await ok(team.api.post('/api/accounts', { address: sender, ...words }));
  return { ...team, sender, at: (tag) => `qa+${tag}@${team.domain.domain}` };
}

const source = 'Message-ID: <1@app.test>\r\nSubject: Hi\r\n\r\nHello\r\n';

/** Sends an email with parameters after the addresses, and returns its first message's ID. */
async function send(from: string, to: string[], text = source): Promise<number> {
  const client = await SmtpClient.open(program.smtpPort);
  const angled = (words: string) => words.replace(/^(\S*)/, '<$1>');
  for (const line of [`MAIL FROM:${angled(from)}`, ...to.map((one) => `RCPT TO:${angled(one)}`), 'DATA'])
    assert.match(await client.command(line), /^(250|354)/, line);
  await client.write(onTheWire(text));
  const reply = await client.reply();
  await client.quit();
  const id = /^250 2\.6\.0 stored as (\d+)(?:,\d+)*$/.exec(reply)?.[1];
  assert.ok(id, reply);
  return Number(id);
}

/** Reads the messages in the sender's account, oldest first. */
async function reportsOf({ api, sender }: Pick<Scene, 'api' | 'sender'>): Promise<Json[]> {
  const { items } = await ok(api.get(`/api/messages?q=account:${sender}`));
  return Promise.all(items.toReversed().map(({ id }: Json) => ok(api.get(`/api/messages/${id}`))));
}

const rawOf = async ({ api }: Scene, { id }: Json) =>
  (await api.get(`/api/messages/${id}/raw`)).body.toString();

const kindsOf = async (team: Scene) => (await reportsOf(team)).map(({ report }) => report?.kind);

test('a mail that fails with a report is stored, and the report is stored with it', async () => {
  const team = await teamScene('failing-one');
  await using stream = await EventReader.open(team.api);
  const id = await send(team.sender, [team.at('fail-dsn-5.1.1')]);
  const frames = await stream.count(2);
  const [report, ...others] = await reportsOf(team);
  assert.deepEqual(others, []);
  assert.deepEqual(
    frames.map(({ data }: Json) => data.id),
    [id, report.id],
  );
  assert.deepEqual(report.report, {
    kind: 'failed',
    recipients: [
      {
        address: team.at('fail-dsn-5.1.1'),
        action: 'failed',
        status: '5.1.1',
        diagnostic: '550 5.1.1 Refused on purpose',
      },
    ],
  });
  assert.deepEqual(
    [report.envelope.mail_from, report.envelope.rcpt_to, report.in_reply_to, report.references],
    ['', [team.sender], '<1@app.test>', ['<1@app.test>']],
  );
  const contentTypes = report.structure.children.map((part: Json) => part.content_type);
  assert.deepEqual(contentTypes, ['text/plain', 'message/delivery-status', 'message/rfc822']);
  assert.match(await rawOf(team, report), /^Auto-Submitted: auto-replied\r$/m);
  assert.deepEqual(report.audit.checks.critical, []);
  const failed = await ok(team.api.get(`/api/messages/${id}`));
  assert.deepEqual([failed.account_id, failed.report], [team.account.id, null]);
});

test('NOTIFY, RET, ENVID and ORCPT are obeyed, whatever octets they have', async () => {
  const team = await teamScene('parameters');
  const to = team.at('fail-dsn-5.2.2');
  const later = team.at('fail-delay-dsn');
  await send(`${team.sender} RET=HDRS ENVID=a+3Db+FFc`, [
    `${to} NOTIFY=FAILURE,DELAY ORCPT=rfc822;old+2Bx+C3+A9@a.test`,
    `${later} NOTIFY=FAILURE`,
    `${team.at('plain')} NOTIFY=SUCCESS,FAILURE`,
    `${team.at('fail-dsn-5.7.1')} NOTIFY=NEVER`,
    `${team.sender} NOTIFY=SUCCESS`,
  ]);
  const [mail, ...reports] = await reportsOf(team);
  assert.equal(mail.report, null);
  assert.deepEqual(
    reports.map(({ report }) => [report.kind, report.recipients.map((one: Json) => one.address)]),
    [
      ['failed', [to]],
      ['delivered', [team.at('plain')]],
    ],
  );
  const raw = await rawOf(team, reports[0]);
  assert.match(raw, /\r\nOriginal-Envelope-Id: a=b\+FFc\r\n/);
  assert.match(
    raw,
    /\r\nOriginal-Recipient: rfc822; old\+x\+C3\+A9@a\.test\r\nFinal-Recipient: rfc822; qa\+/,
  );
  assert.match(raw, /Content-Type: text\/rfc822-headers/);
  assert.doesNotMatch(raw, /Hello/);
});

test('nothing is reported to strangers, to other teams, to the null sender or on a report', async () => {
  const team = await teamScene('unreported');
  const other = await teamScene('unreported-other');
  const to = [team.at('fail-dsn-5.1.1')];
  await send('', to);
  await send('somebody@elsewhere.test', to);
  await send(`nobody@${team.domain.domain}`, to);
  await send(other.sender, to);
  await send(team.sender, to, `Content-Type: multipart/report; boundary=x\r\n${source}`);
  await send(team.sender, to, `Auto-Submitted: auto-replied\r\n${source}`);
  // An email to two teams is reported to its sender only for recipients in the sender's own team.
  await send(other.sender, [...to, other.at('fail-dsn-5.1.2')]);
  assert.deepEqual(await reportsOf(team), []);
  const [report, ...more] = await reportsOf(other);
  assert.deepEqual(more, []);
  const addresses = report.report.recipients.map(({ address }: Json) => address);
  assert.deepEqual(addresses, [other.at('fail-dsn-5.1.2')]);
  assert.ok(!(await rawOf(other, report)).includes(to[0] ?? ''));
});

test('one report has a hundred recipients', async () => {
  const team = await teamScene('hundred');
  const to = Array.from({ length: 100 }, (_, n) => team.at(`fail-dsn-5.1.1.${n}`));
  await send(team.sender, to);
  const [report, ...others] = await reportsOf(team);
  assert.deepEqual(others, []);
  const addresses = report.report.recipients.map(({ address }: Json) => address);
  assert.deepEqual(addresses, to);
});

test('a sender that simulates failures itself gets its report, and that is all', async () => {
  const team = await teamScene('looping');
  const from = team.at('fail-dsn-5.1.1');
  await send(from, [team.at('fail-dsn-5.7.1')]);
  const reports = await reportsOf({ api: team.api, sender: team.address });
  assert.deepEqual(
    reports.map(({ delivered_to, report }) => [delivered_to, report?.kind ?? null]),
    [
      [team.at('fail-dsn-5.7.1'), null],
      [from, 'failed'],
    ],
  );
});

test('a sender whose account has no room loses the report, and not the mail', async () => {
  const team = await teamScene('roomless', { storage_limit: 100 });
  await send(team.sender, [team.at('fail-dsn-5.1.1')]);
  assert.deepEqual(await reportsOf(team), []);
  const { items } = await ok(team.api.get('/api/messages'));
  assert.equal(items.length, 1);
});

test('a large mail returns its header', async () => {
  const team = await teamScene('large');
  for (const size of [limits.reports.returnedBytes, 3_000_000]) {
    await send(team.sender, [team.at('fail-dsn-5.1.1')], `${source}${'line of text\r\n'.repeat(size / 14)}`);
    const raw = await rawOf(team, (await reportsOf(team)).at(-1));
    assert.match(
      raw,
      /Content-Type: text\/rfc822-headers\r\n.*\r\n\r\nMessage-ID: <1@app\.test>\r\nSubject: Hi\r\n/s,
    );
    assert.doesNotMatch(raw, /line of text/);
  }
});

test('failure rules ask for every kind of report, by what a mail says too', async () => {
  const team = await teamScene('kinds');
  const rule = (words: object) => ok(team.api.post('/api/failures', { action: 'dsn', ...words }));
  const kinds = ['failed', 'delayed', 'delivered', 'autoreply', 'complaint'];
  for (const dsn of kinds) await rule({ dsn, match: { address: team.at(dsn) } });
  await send(
    team.sender,
    kinds.map(team.at),
    source.replace('Hi', '=?utf-8?q?Gr=C3=BC=C3=9Fe=0D=0ABcc:_x=40y.test?='),
  );
  const reports = await reportsOf(team);
  assert.deepEqual(reports.map(({ report }) => report.kind).toSorted(), kinds.toSorted());
  const reply = reports.find(({ report }) => report.kind === 'autoreply');
  assert.deepEqual([reply.from.address, reply.subject], [team.at('autoreply'), 'Auto: Grüße Bcc: x@y.test']);
  await rule({ dsn: 'complaint', match: { q: 'subject:newsletter' } });
  await send(team.sender, [team.address], 'Subject: Newsletter\r\n\r\nBuy\r\n');
  await send(team.sender, [team.address], 'Subject: Other\r\n\r\nHello\r\n');
  assert.deepEqual((await kindsOf(team)).slice(kinds.length), ['complaint']);
});

test('an account that simulates nothing reports nothing', async () => {
  const team = await teamScene('ordinary');
  await ok(team.api.patch(`/api/accounts/${team.account.id}`, { simulates_failures: false }));
  await send(team.sender, [`${team.at('fail-dsn-5.1.1')} NOTIFY=SUCCESS,FAILURE`]);
  assert.deepEqual(await reportsOf(team), []);
});

test('a rule sees the recipients of its own team alone, and reports about them to its own senders', async () => {
  const one = await teamScene('apart-one');
  const two = await teamScene('apart-two');
  const rule = { match: { q: 'subject:leak' }, action: 'dsn' };
  const { id } = await ok(one.api.post('/api/failures', rule));
  const text = 'Subject: Leak\r\n\r\nHello\r\n';
  const to = [one.address, two.address];
  const attempts = async ({ api }: Scene, of: number) =>
    (await ok(api.get(`/api/failures/${of}`))).attempts.map(({ rcpt_to }: Json) => rcpt_to);
  await send(two.sender, to, text);
  assert.deepEqual(await attempts(one, id), [[to[0]]]);
  assert.deepEqual([await reportsOf(one), await reportsOf(two)], [[], []]);
  // A rule of the second team applies too, independently.
  const own = await ok(two.api.post('/api/failures', { ...rule, reply: '550 5.2.2 Of the second' }));
  for (const recipients of [to, to.toReversed()]) await send(two.sender, recipients, text);
  assert.deepEqual(await attempts(two, own.id), [[to[1]], [to[1]]]);
  const reports = (await reportsOf(two)).map(({ report }) => report.recipients);
  const told = { action: 'failed', status: '5.2.2', diagnostic: '550 5.2.2 Of the second' };
  assert.deepEqual(reports, Array(2).fill([{ address: to[1], ...told }]));
  assert.deepEqual(await reportsOf(one), []);
});
