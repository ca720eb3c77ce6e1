import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TLSSocket } from 'node:tls';
import { createTransport } from 'nodemailer';
import { authPlain, base64, connectFromNewHost } from '#test/support/clients/smtp-auth.ts';
import { SmtpClient } from '#test/support/clients/smtp-client.ts';
import { startMailProgram } from '#test/support/program/mail-program.ts';
import { forAllTests } from '#test/support/program/scene.ts';
import { keyOf } from '#test/support/program/team.ts';
import { ok } from '#test/support/program/user.ts';

const mail = await forAllTests(
  startMailProgram({ SANDPOST_SMTP_TLS: 'self-signed', SANDPOST_SMTPS_PORT: '0' }),
);
const { api, key } = mail.user;
const { smtpPort, smtpsPort } = mail.program;
const password = 'staging mail';
const inbox = `inbox@${mail.user.domain.domain}`;
await ok(api.post('/api/accounts', { address: inbox, password, is_capture: true }));

/** Returns an address for wrong tokens, because failures also count by address. */
const guessed = (name: string) => `${name}@${mail.user.domain.domain}`;

const message = 'Subject: hello\r\n\r\nworld\r\n';
const mechanisms = ['XOAUTH2', 'OAUTHBEARER'] as const;

/** Returns a mechanism's response as clients build it. */
function response(mechanism: (typeof mechanisms)[number], user: string, token: string): string {
  const auth = `auth=Bearer ${token}\x01\x01`;
  return base64(mechanism === 'XOAUTH2' ? `user=${user}\x01${auth}` : `n,a=${user},\x01port=587\x01${auth}`);
}

/** Sends lines, and checks the reply to each. */
async function say(client: SmtpClient, dialogue: [line: string, reply: RegExp][]): Promise<void> {
  for (const [line, reply] of dialogue) assert.match(await client.command(line), reply, line);
}

/** Sends a command that a challenge answers. Returns the challenge's JSON. */
async function errorOf(client: SmtpClient, line: string): Promise<unknown> {
  const reply = await client.command(line);
  assert.match(reply, /^334 [A-Za-z0-9+/]+=*$/, line);
  return JSON.parse(Buffer.from(reply.slice(4), 'base64').toString());
}

const errors = {
  XOAUTH2: { status: '400', schemes: 'Bearer', scope: 'send' },
  OAUTHBEARER: { status: 'invalid_token', schemes: 'bearer', scope: 'send' },
};
const wrong = /^535 5\.7\.8 Wrong user name or password$/;

test('EHLO lists the mechanisms', async () => {
  const client = new SmtpClient(smtpPort);
  await client.reply();
  const extensions = (await client.command('EHLO client.test')).split('\n');
  assert.ok(extensions.includes('250-AUTH PLAIN LOGIN XOAUTH2 OAUTHBEARER'), extensions.join('\n'));
  client.destroy();
});

test('SANDPOST_SMTP_TLS=self-signed offers STARTTLS with a certificate for this host', async () => {
  const client = await (await mail.connect()).startTls();
  assert.ok(client.socket instanceof TLSSocket);
  const { subject, subjectaltname } = client.socket.getPeerCertificate();
  assert.equal(subject.CN, 'localhost');
  assert.equal(subjectaltname, 'DNS:localhost, IP Address:127.0.0.1');
  client.destroy();
});

for (const mechanism of mechanisms) {
  const begin = `AUTH ${mechanism}`;

  test(`${mechanism} takes a password and a key, in one line and in steps`, async () => {
    for (const [user, token] of [
      [inbox, password],
      [inbox.toUpperCase(), password],
      ['apikey', key],
    ] as const) {
      const given = response(mechanism, user, token);
      const dialogues: [string, RegExp][][] = [
        [[`${begin} ${given}`, /^235 2\.7\.0 /]],
        [[`${begin.toLowerCase()} ${given}`, /^235 2\.7\.0 /]],
        [
          [begin, /^334 ?$/],
          [given, /^235 2\.7\.0 /],
        ],
      ];
      for (const dialogue of dialogues) {
        const client = await connectFromNewHost(smtpPort);
        await say(client, [...dialogue, [`${begin} ${given}`, /^503 5\.5\.1/]]);
        const [id] = mail.idsOf(await client.send('s@s.test', ['alice@gmail.com'], message));
        const { envelope } = await ok(api.get(`/api/messages/${id}`));
        assert.equal(envelope.authenticated_as.name, token === key ? 'tests' : inbox);
        client.destroy();
      }
    }
  });

  test(`${mechanism} tells the error of a wrong token before it is refused`, async () => {
    const client = await connectFromNewHost(smtpPort);
    const given = response(mechanism, guessed(mechanism), 'wrong');
    assert.deepEqual(await errorOf(client, `${begin} ${given}`), errors[mechanism]);
    await say(client, [
      ['AQ==', wrong],
      [begin, /^334 ?$/],
    ]);
    assert.deepEqual(await errorOf(client, given), errors[mechanism]);
    await say(client, [['', wrong]]);
    await errorOf(client, `${begin} ${given}`);
    await say(client, [['*', /^501 5\.5\.4 Authentication aborted$/]]);
    await errorOf(client, `${begin} ${given}`);
    await say(client, [
      ['no*base64', /^501 5\.5\.2/],
      ['NOOP', /^250/],
      [authPlain(inbox, 'wrong'), wrong],
      [`${begin} ${response(mechanism, inbox, password)}`, /^235/],
    ]);
    client.destroy();
  });

  test(`${mechanism} refuses what it cannot read as PLAIN does`, async () => {
    const client = await connectFromNewHost(smtpPort);
    const other = mechanism === 'XOAUTH2' ? 'OAUTHBEARER' : 'XOAUTH2';
    const unreadable = [base64('x'), base64('\x01'), base64('\x01\x01'), response(other, inbox, password)];
    unreadable.push(base64(`\0${inbox}\0${password}`), '=', '//8=');
    const malformed = (await client.command('AUTH PLAIN =')).replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
    assert.match(malformed, /^501/);
    for (const bad of unreadable)
      await say(client, [
        [`${begin} ${bad}`, new RegExp(`^${malformed}$`)],
        [begin, /^334 ?$/],
        [bad, new RegExp(`^${malformed}$`)],
      ]);
    await say(client, [
      [`${begin} a b`, /^501 5\.5\.2/],
      [`${begin} no*base64`, /^501 5\.5\.2/],
      [begin, /^334/],
      ['no*base64', /^501 5\.5\.2/],
      [begin, /^334/],
      ['*', /^501 5\.5\.4 Authentication aborted$/],
      ['MAIL FROM:<s@s.test>', /^250/],
      [`${begin} ${response(mechanism, inbox, password)}`, /^503 5\.5\.1/],
      ['RSET', /^250/],
      [`${begin} ${response(mechanism, inbox, password)}`, /^235/],
    ]);
    client.destroy();
    const early = new SmtpClient(smtpPort);
    await early.reply();
    assert.match(await early.command(`${begin} ${response(mechanism, inbox, password)}`), /^503 5\.5\.1/);
    early.destroy();
  });
}

test('wrong tokens count with wrong passwords, and none is taken beyond the bound', async () => {
  const client = await SmtpClient.open(smtpPort, '127.0.3.1');
  for (let failure = 0; failure < 10; failure += 1) {
    const mechanism = mechanisms[failure % 3];
    const user = `u${failure}@x.test`;
    if (mechanism !== undefined)
      await errorOf(client, `AUTH ${mechanism} ${response(mechanism, user, 'wrong')}`);
    await say(client, [[mechanism === undefined ? authPlain(user, 'wrong') : 'AQ==', wrong]]);
  }
  for (const mechanism of mechanisms)
    await say(client, [
      [`AUTH ${mechanism} ${response(mechanism, 'other@x.test', 'wrong')}`, /^454 4\.7\.0 .*in \d+ s$/],
      [`AUTH ${mechanism} ${response(mechanism, inbox, password)}`, /^454 4\.7\.0/],
    ]);
  await say(client, [[`AUTH XOAUTH2 ${response('XOAUTH2', 'apikey', key)}`, /^235/]]);
  client.destroy();
});

test('a key that may not send is told so, in both forms', async () => {
  const { key } = await keyOf(mail.program, api, { scope: 'read' });
  const client = await connectFromNewHost(smtpPort);
  assert.deepEqual(await errorOf(client, `AUTH OAUTHBEARER ${response('OAUTHBEARER', 'a', key)}`), {
    ...errors.OAUTHBEARER,
    status: 'insufficient_scope',
  });
  const reply = await client.command('AQ==');
  assert.match(reply, /^535 5\.7\.8/);
  assert.doesNotMatch(reply, wrong);
  assert.equal(await client.command(authPlain('a', key)), reply);
  client.destroy();
});

test('a token is as long as RFC 4954 lets it be', async () => {
  const client = await connectFromNewHost(smtpPort);
  const token = 't'.repeat(9000);
  const given = response('XOAUTH2', guessed('long'), token);
  await errorOf(client, `AUTH XOAUTH2 ${given}`);
  await say(client, [
    ['AQ==', wrong],
    ['AUTH OAUTHBEARER', /^334/],
    [response('OAUTHBEARER', guessed('long'), token), /^334 /],
    ['AQ==', wrong],
  ]);
  await client.write(`NOOP ${'x'.repeat(3000)}\r\n`);
  assert.match(await client.reply(), /^500 5\.5\.2/);
  await client.closed;
  const other = await connectFromNewHost(smtpPort);
  await other.write(`AUTH XOAUTH2 ${'A'.repeat(12 * 1024)}\r\n`);
  assert.match(await other.reply(), /^500 5\.5\.2/);
  await other.closed;
});

test('the transcript shows the mechanism and the user, and the token nowhere', async () => {
  const client = await connectFromNewHost(smtpPort);
  const tokens = ['first-wrong', 'second-wrong', password];
  await errorOf(client, `AUTH XOAUTH2 ${response('XOAUTH2', guessed('first'), 'first-wrong')}`);
  await client.command('AQ==');
  await client.command('AUTH OAUTHBEARER');
  await errorOf(client, response('OAUTHBEARER', 'a=2Cb', 'second-wrong'));
  await client.command('');
  await client.command(`AUTH XOAUTH2 ${response('XOAUTH2', 'x\x7f1c1 MAIL', 'first-wrong')}`);
  await client.command(`AUTH XOAUTH2 ${response('XOAUTH2', inbox, password)}`);
  const [id] = mail.idsOf(await client.send('s@s.test', ['alice@gmail.com'], message));
  client.destroy();
  const lines = await ok(api.get(`/api/messages/${id}/transcript`));
  const said = lines
    .filter(({ from }: { from: string }) => from === 'client')
    .map(({ line }: { line: string }) => line);
  assert.deepEqual(said.slice(1, -4), [
    `AUTH XOAUTH2 user=${guessed('first')} ***`,
    '***',
    'AUTH OAUTHBEARER',
    'user=a,b ***',
    '***',
    'AUTH XOAUTH2 ***',
    `AUTH XOAUTH2 user=${inbox} ***`,
  ]);
  const text = JSON.stringify([lines, mail.program.log]);
  for (const token of tokens)
    for (const spelling of [token, base64(token), base64(token).slice(4, -4)])
      assert.ok(!text.includes(spelling), spelling);
});

test('the list of refusals has wrong tokens, each once and with its user', async () => {
  const { items: before } = await ok(api.get('/api/refusals?limit=200'));
  const client = await connectFromNewHost(smtpPort);
  await errorOf(client, `AUTH XOAUTH2 ${response('XOAUTH2', guessed('listed'), 'listed-wrong')}`);
  await client.command('AQ==');
  await client.command('QUIT');
  const { items } = await ok(api.get('/api/refusals?limit=200'));
  assert.equal(items.length, before.length + 1);
  assert.deepEqual(
    [items[0].stage, items[0].authenticated_as, items[0].reply],
    ['auth', { kind: 'account', name: guessed('listed') }, '535 5.7.8 Wrong user name or password'],
  );
  assert.ok(!JSON.stringify(items).includes('listed-wrong'));
});

test('a failure rule of the stage auth refuses a right token', async () => {
  const { key } = await keyOf(mail.program, api, { scope: 'send' });
  const cases: [reply: string, isTold: boolean][] = [
    ['535 5.7.8 The token has expired', true],
    ['454 4.7.0 The identity provider does not answer', false],
  ];
  for (const mechanism of mechanisms)
    for (const [reply, isTold] of cases) {
      await ok(api.post('/api/failures', { stage: 'auth', times: 1, reply }));
      const client = await connectFromNewHost(smtpPort);
      const line = `AUTH ${mechanism} ${response(mechanism, 'app', key)}`;
      if (isTold) assert.deepEqual(await errorOf(client, line), errors[mechanism]);
      assert.equal(await client.command(isTold ? 'AQ==' : line), reply);
      assert.match(await client.command('MAIL FROM:<s@s.test>'), /^250/);
      assert.match(await client.command('RCPT TO:<alice@gmail.com>'), /^550/, 'not signed in');
      await client.command('RSET');
      assert.match(await client.command(line), /^235/);
      client.destroy();
    }
});

test('Nodemailer sends by an access token, with STARTTLS and with implicit TLS', async () => {
  for (const port of [smtpPort, smtpsPort]) {
    const transport = (accessToken: string) =>
      createTransport({
        ...{ host: '127.0.0.1', port: Number(port), secure: port === smtpsPort },
        auth: { type: 'OAuth2', user: inbox, accessToken },
        tls: { rejectUnauthorized: false },
      });
    const mailed = { from: 's@s.test', to: 'alice@gmail.com', subject: `token-${port}`, text: 'x' };
    await transport(password).sendMail(mailed);
    const { items } = await ok(api.get(`/api/messages?subject=token-${port}`));
    const { envelope } = await ok(api.get(`/api/messages/${items[0].id}`));
    assert.deepEqual([envelope.authenticated_as.name, envelope.tls], [inbox, true]);
    await assert.rejects(transport('wrong').sendMail(mailed), /535 5\.7\.8/);
  }
});
