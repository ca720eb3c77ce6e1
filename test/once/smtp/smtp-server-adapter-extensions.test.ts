import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSelfSigned } from '#smtp/certificate.ts';
import { startDialogue } from '#test/support/clients/adapter-dialogue.ts';
import { until } from '#test/support/runner/until.ts';

test('_resetSession: is called by RSET and EHLO, and where a transaction ends', async () => {
  await using it = await startDialogue();
  assert.equal(it.connection.resets, 1);
  await it.client.command('EHLO client.test');
  await it.client.command('RSET');
  it.connection.finishTransaction();
  assert.equal(it.connection.resets, 4);
});

test('handler_EHLO, send: the reply to EHLO has the extensions that are added', async () => {
  await using it = await startDialogue();
  const offers = (await it.client.command('EHLO client.test')).split('\n');
  assert.deepEqual(offers.slice(-2), ['250-CHUNKING', '250 BINARYMIME']);
});

test('handler_BDAT: is called for its command', async () => {
  await using it = await startDialogue();
  await it.client.command('EHLO client.test');
  assert.match(await it.client.command('BDAT 12'), /^250 2\.0\.0 Taken/);
  assert.match(await it.client.command('bdat 7 last'), /^250 /);
  assert.match(await it.client.command('BDAT 7 LASTING'), /^501 /);
  const calls = it.connection.calls.filter((call) => call.includes('chunk'));
  assert.deepEqual(calls, ['chunk of 12', 'chunk of 7, the last', 'bad chunk']);
});

test('_validateMailParams: BINARYMIME is taken, and other bodies as before', async () => {
  await using it = await startDialogue();
  await it.client.command('EHLO client.test');
  assert.match(await it.client.command('MAIL FROM:<s@s.test> BODY=9BIT'), /^501 5\.5\.4/);
  assert.match(await it.client.command('MAIL FROM:<s@s.test> BODY=binaryMIME'), /^250 /);
  assert.equal(it.connection.isBinary, true);
  await it.client.command('RSET');
  assert.match(await it.client.command('MAIL FROM:<s@s.test> BODY=8BITMIME'), /^250 /);
  assert.equal(it.connection.isBinary, false);
});

test('_nextHandler, handler_AUTH: responses are base64, and AUTH is no part of a transaction', async () => {
  const names: string[] = [];
  await using it = await startDialogue({
    disabledCommands: [],
    authMethods: ['PLAIN', 'LOGIN'],
    authOptional: true,
    allowInsecureAuth: true,
    onAuth: ({ username = '' }, _session, done) => {
      names.push(username);
      done(null, { user: username });
    },
  });
  const { client } = it;
  await client.command('EHLO client.test');
  await client.command('MAIL FROM:<s@s.test>');
  assert.match(await client.command('AUTH LOGIN'), /^503 5\.5\.1/);
  await client.command('RSET');
  assert.match(await client.command('AUTH LOGIN b*d'), /^501 5\.5\.2/);
  assert.match(await client.command('AUTH LOGIN'), /^334 /);
  assert.match(await client.command('b*d'), /^501 5\.5\.2/);
  assert.match(await client.command('NOOP'), /^250 /);
  assert.match(await client.command('AUTH LOGIN'), /^334 /);
  assert.match(await client.command('*'), /^501 /);
  assert.match(await client.command('AUTH LOGIN YW5u'), /^334 /);
  assert.match(await client.command('c2VjcmV0'), /^235 /);
  assert.deepEqual([names, it.connection.session.user], [['ann'], 'ann']);
});

test('upgrade, _upgrading, _armTimeout: STARTTLS changes the socket, and ends while it does', async () => {
  const offered = { hideSTARTTLS: false, ...createSelfSigned('mx.test') };
  await using it = await startDialogue(offered);
  await it.client.command('EHLO client.test');
  assert.equal(it.connection.tls, null);
  const client = await it.client.startTls({ servername: 'mx.test' });
  await until(() => !it.connection.isUpgrading);
  assert.deepEqual(it.connection.tls, {
    version: 'TLSv1.3',
    cipher: 'TLS_AES_256_GCM_SHA384',
    serverName: 'mx.test',
  });
  client.destroy();
  await using other = await startDialogue(offered);
  await other.client.command('EHLO client.test');
  assert.match(await other.client.command('STARTTLS'), /^220 /);
  assert.equal(other.connection.isUpgrading, true);
  other.connection.destroy();
  await other.client.closed;
  assert.equal(other.connection.calls.at(-1), 'close');
});
