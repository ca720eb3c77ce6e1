import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json } from '#test/support/clients/http.ts';
import { authPlain } from '#test/support/clients/smtp-auth.ts';
import { SmtpClient } from '#test/support/clients/smtp-client.ts';
import { scene } from '#test/support/program/scene.ts';
import { createTeam, keyOf, type SharedTeam } from '#test/support/program/team.ts';
import { ok } from '#test/support/program/user.ts';
import { until } from '#test/support/runner/until.ts';

const { program, user: ada } = await scene({
  SANDPOST_RATE_LIMIT: '1000000',
  SANDPOST_SMTP_MAX_CONNECTIONS_PER_ADDRESS: '1000',
});

const message = 'Subject: Hello\r\n\r\nHello\r\n';
const from = 's@sender.test';
type Api = SharedTeam['api'];

const failing = async (api: Api, words: object): Promise<number> =>
  (await ok(api.post('/api/failures', words))).id;

/** Returns a rule's count, and the first words of the replies to its attempts. */
async function did(api: Api, id: number): Promise<[number, (string | null)[]]> {
  const { hits, attempts } = await ok(api.get(`/api/failures/${id}`));
  return [hits, attempts.map(({ reply }: Json) => (reply === null ? null : reply.slice(0, 3)))];
}

/** Sends an email over its own connection. Returns the last reply, or '' if the connection ended without one. */
async function send(to: string | string[], { sender = from, raw = message } = {}): Promise<string> {
  const client = await SmtpClient.open(program.smtpPort);
  const reply = await client.send(sender, [to].flat(), raw);
  client.destroy();
  return reply;
}

test('an address fails as its tag says, where its account simulates failures', async () => {
  const { api, account, domain } = await createTeam(program, ada, 'tags');
  const tagged = (tag: string) => send(`qa+${tag}@${domain.domain}`);
  const cases: [tag: string, wanted: RegExp][] = [
    ['fail-550', /^550 5\.7\.1 Refused on purpose$/],
    ['fail-452-4.2.2.run7', /^452 4\.2\.2 Refused on purpose$/],
    ['fail-550-5.7.26', /^550 5\.7\.26 Refused on purpose$/],
    ['fail-data-554', /^554 5\.7\.1 Refused on purpose$/],
    ['fail-drop', /^$/],
    ['fail-421', /^421 4\.7\.1 Refused on purpose$/],
    ['fail-slow1', /^250 2\.6\.0 stored/],
    ['fail-dsn-5.1.1', /^250 2\.6\.0 stored/],
    ['fail-delay-dsn', /^250 2\.6\.0 stored/],
    ['fail-600', /^250 2\.6\.0 stored/],
  ];
  for (const [tag] of cases) assert.match(await tagged(tag), /^250 2\.6\.0 stored/, tag);
  await ok(api.patch(`/api/accounts/${account.id}`, { simulates_failures: true }));
  for (const [tag, wanted] of cases) assert.match(await tagged(tag), wanted, tag);
});

test('a counted address is refused that often to each sender, and then taken', async () => {
  const { api, account, domain } = await createTeam(program, ada, 'counted');
  await ok(api.patch(`/api/accounts/${account.id}`, { simulates_failures: true }));
  const codes = async (tag: string, sender = from) => {
    const replies = [];
    for (const _ of [1, 2, 3, 4])
      replies.push((await send(`qa+${tag}@${domain.domain}`, { sender })).slice(0, 3));
    return replies.join(' ');
  };
  assert.equal(await codes('fail-451x2'), '451 451 250 250');
  assert.equal(await codes('FAIL-451x2'), '250 250 250 250');
  assert.equal(await codes('fail-451x2', 't@sender.test'), '451 451 250 250');
  assert.equal(await codes('fail-451x2.run7'), '451 451 250 250');
  assert.equal(await codes('fail-data-452x3-4.2.2'), '452 452 452 250');
  // Alerts watch the other counter.
  const metrics = await (await fetch(`http://127.0.0.1:${program.opsPorts.smtp}/metrics`)).text();
  assert.match(metrics, /^sandpost_smtp_simulated_replies_total\{command="RCPT",code="451"\} [1-9]/m);
  assert.doesNotMatch(metrics, /^sandpost_smtp_replies_total\{command="RCPT",code="451"\}/m);
  assert.deepEqual((await ok(api.get('/api/failures'))).items, []);
});

test('a rule fails its stage, and tells the attempts with the retry that was taken', async () => {
  const { api, address } = await createTeam(program, ada, 'stages');
  const { key } = await keyOf(program, api, { scope: 'send' });
  const dialogue = async () => {
    const client = await SmtpClient.open(program.smtpPort);
    const auth = await client.command(authPlain('any', key));
    const reply = auth.startsWith('235') ? await client.send(from, [address], message) : auth;
    client.destroy();
    return reply;
  };
  for (const stage of ['auth', 'mail', 'rcpt', 'data', 'end']) {
    const known = stage === 'auth' ? {} : { from: 'S@Sender.test' };
    const id = await failing(api, { stage, match: known, times: 2, reply: '454 4.3.0 Not now' });
    const replies = [];
    for (const _ of [1, 2, 3]) replies.push((await dialogue()).slice(0, 9));
    assert.deepEqual(replies, ['454 4.3.0', '454 4.3.0', '250 2.6.0'], stage);
    assert.deepEqual(await did(api, id), [2, ['454', '454', null]], stage);
    const [attempt] = (await ok(api.get(`/api/failures/${id}`))).attempts;
    assert.deepEqual(
      [attempt.remote_address, attempt.mail_from, attempt.rcpt_to],
      ['127.0.0.1', stage === 'auth' ? null : from, ['auth', 'mail'].includes(stage) ? [] : [address]],
    );
    await ok(api.delete(`/api/failures/${id}`));
  }
  for (const stage of ['auth', 'mail']) await failing(api, { stage });
  assert.match(await send(address), /^250/);
});

test('an attempt that fails without a reply tells its action', async () => {
  const { api, address } = await createTeam(program, ada, 'without');
  for (const action of ['drop', 'reset', 'delay']) {
    const id = await failing(api, { action, times: 1, ...(action === 'delay' && { delay_ms: 1 }) });
    for (const _ of [1, 2]) await send(address);
    const { hits, attempts } = await ok(api.get(`/api/failures/${id}`));
    assert.deepEqual([hits, attempts.map(({ reply }: Json) => reply)], [1, [action, null]]);
    await ok(api.delete(`/api/failures/${id}`));
  }
});

test('refusals tell of each failure whom it met, also where the connection ends', async () => {
  const { api, account, address } = await createTeam(program, ada, 'told');
  const { key } = await keyOf(program, api, { scope: 'send', name: 'app' });
  await ok(api.patch(`/api/accounts/${account.id}`, { simulates_failures: true }));
  const signedInAs = { kind: 'api_key', name: 'app' };
  const failing = address.replace('@', '+fail-drop@');
  const cases: [words: object, to: string, wanted: object][] = [
    [{ stage: 'auth' }, address, { mail_from: null, rcpt_to: [], authenticated_as: signedInAs }],
    [{ stage: 'mail' }, address, { mail_from: from, rcpt_to: [], authenticated_as: signedInAs }],
    [
      { stage: 'mail', reply: '552 5.3.4 Too large' },
      address,
      { reply: '552 5.3.4 Too large', mail_from: from },
    ],
    [{ stage: 'auth', action: 'drop' }, address, { reply: 'Connection closed on purpose' }],
    [
      { stage: 'rcpt', action: 'reset' },
      address,
      { reply: 'Connection reset on purpose', rcpt_to: [address] },
    ],
    [{ stage: 'data', action: 'drop' }, address, { mail_from: from, rcpt_to: [address] }],
    [
      { stage: 'end', action: 'drop' },
      address,
      { reply: 'Connection closed on purpose', rcpt_to: [address] },
    ],
    [{ stage: 'data', times: 1 }, failing, { reply: 'Connection closed on purpose', rcpt_to: [failing] }],
  ];
  let done = 0;
  for (const [words, to, wanted] of cases) {
    const { id, stage } = await ok(api.post('/api/failures', words));
    const client = await SmtpClient.open(program.smtpPort);
    if ((await client.command(authPlain('any', key))).startsWith('235'))
      await client.send(from, [to], message);
    client.destroy();
    await ok(api.delete(`/api/failures/${id}`));
    let items: Json[] = [];
    await until(async () => {
      ({ items } = await ok(api.get('/api/refusals?limit=200')));
      return items.length > done;
    });
    done += 1;
    assert.equal(items.length, done);
    const at = to === failing ? 'rcpt' : stage;
    const failure_id = to === failing ? null : id;
    const whole = { stage: at, reason: 'on-purpose', failure_id, authenticated_as: signedInAs, ...wanted };
    assert.partialDeepStrictEqual(items[0], whole, JSON.stringify(words));
    assert.match(
      items[0].advice,
      to === failing ? /\+fail-drop@\S+ triggers a simulated failure/ : /failure rules/,
    );
  }
});

test('a rule that a process has never read counts for the next command of each connection', async () => {
  const { api, address } = await createTeam(program, ada, 'fresh');
  const client = await SmtpClient.open(program.smtpPort);
  for (const code of ['451', '452', '554']) {
    const id = await failing(api, { reply: `${code} No` });
    assert.equal((await client.send(from, [address], message)).slice(0, 3), code);
    await ok(api.delete(`/api/failures/${id}`));
    assert.match(await client.send(from, [address], message), /^250/);
  }
  client.destroy();
});

test('a reply is sent, listed and told as it is written', async () => {
  const { api, address, name } = await createTeam(program, ada, 'written');
  const reply = '450 Greylisted';
  for (const stage of ['rcpt', 'data', 'end']) {
    const id = await failing(api, { stage, reply, times: 1 });
    assert.equal(await send(address), reply, stage);
    const { attempts } = await ok(api.get(`/api/failures/${id}`));
    const replies = attempts.map((attempt: Json) => attempt.reply);
    assert.deepEqual(replies, [reply]);
  }
  await failing(api, { stage: 'mail', reply, times: 1 });
  const { key } = await keyOf(program, api, { name });
  const client = await SmtpClient.open(program.smtpPort);
  assert.match(await client.command(authPlain('', key)), /^235 /);
  assert.equal(await client.command('MAIL FROM:<s@s.test>'), reply);
  client.destroy();
  await until(async () => (await ok(api.get('/api/refusals'))).items.length === 4);
  const { items } = await ok(api.get('/api/refusals'));
  for (const item of items) assert.equal(item.reply, reply);
});

test('a query refuses the mail that it matches, with the others taken', async () => {
  const { api, address } = await createTeam(program, ada, 'queries');
  const id = await failing(api, {
    stage: 'end',
    match: { q: 'subject:receipt -header:x-run=7' },
    reply: '554 5.6.0 No',
  });
  const texts = ['Subject: A receipt', 'Subject: Hello', 'X-Run: 7\r\nSubject: Receipt'];
  const replies = [];
  for (const head of texts)
    replies.push((await send(address, { raw: `${head}\r\n\r\nHello\r\n` })).slice(0, 3));
  assert.deepEqual(replies, ['554', '250', '250']);
  assert.deepEqual(await did(api, id), [1, ['554']]);
  assert.equal((await ok(api.get('/api/messages'))).items.length, 2);
});

test('a rate lets a number pass in its window', async () => {
  const { api, address } = await createTeam(program, ada, 'rates');
  const id = await failing(api, { rate: { limit: 2, seconds: 86_400 }, reply: '421 4.7.0 Slow down' });
  const replies = [];
  for (const _ of [1, 2, 3, 4]) replies.push((await send(address)).slice(0, 3));
  assert.deepEqual(replies, ['250', '250', '421', '421']);
  assert.deepEqual(await did(api, id), [2, [null, null, '421', '421']]);
});

test('rules of a team refuse its own recipients in a mail of two teams, and nothing else of it', async () => {
  const one = await createTeam(program, ada, 'mixed-one');
  const two = await createTeam(program, ada, 'mixed-two');
  for (const words of [{ stage: 'data' }, { stage: 'end' }, { action: 'drop' }, { action: 'reset' }])
    await failing(two.api, words);
  await failing(two.api, { action: 'delay', delay_ms: 60_000 });
  await failing(two.api, { reply: '421 4.7.0 No' });
  assert.match(await send([one.address, two.address]), /^250 2\.6\.0 stored as \d+,\d+$/);
  const id = await failing(two.api, { reply: '550 5.1.1 No' });
  const client = await SmtpClient.open(program.smtpPort);
  await client.command(`MAIL FROM:<${from}>`);
  const replies = [];
  for (const to of [one.address, two.address])
    replies.push((await client.command(`RCPT TO:<${to}>`)).slice(0, 3));
  assert.deepEqual(replies, ['250', '550']);
  await client.command('DATA');
  assert.match(await client.command(`${message}.`), /^250 2\.6\.0 stored as \d+$/);
  client.destroy();
  assert.deepEqual(await did(two.api, id), [1, ['550']]);
  assert.equal(await send(two.address), '');
});

test('many senders at once are refused exactly as often as a rule says', async () => {
  const { api, address } = await createTeam(program, ada, 'exactly');
  const id = await failing(api, { times: 17 });
  const replies = await Promise.all(Array.from({ length: 50 }, () => send(address)));
  assert.equal(replies.filter((reply) => reply.startsWith('451')).length, 17);
  assert.equal(replies.filter((reply) => reply.startsWith('250')).length, 33);
  const [hits, attempts] = await did(api, id);
  assert.deepEqual([hits, attempts.length], [17, 50]);
});

test('hundreds of senders whom a team delays: 20 wait, and mail of others goes on', async () => {
  const senders = 500;
  const slow = await createTeam(program, ada, 'slow');
  const other = await createTeam(program, ada, 'quick');
  const id = await failing(slow.api, { action: 'delay', delay_ms: 60_000 });
  const clients = await Promise.all(Array.from({ length: senders }, () => SmtpClient.open(program.smtpPort)));
  let answered = 0;
  for (const client of clients) {
    void client.write(`MAIL FROM:<${from}>\r\nRCPT TO:<${slow.address}>\r\n`);
    void client.reply().then(() => client.reply().then((reply) => (answered += reply === '' ? 0 : 1)));
  }
  await until(async () => (await did(slow.api, id))[0] === senders);
  await until(() => answered === senders - 20);
  for (const _ of [1, 2, 3]) assert.match(await send(other.address), /^250/);
  // A rule that ends releases the attempts it delays, and delays no more.
  await ok(slow.api.delete(`/api/failures/${id}`));
  assert.match(await send(slow.address), /^250/);
  assert.equal(answered, senders - 20);
  for (const client of clients) client.destroy();
});
