import assert from 'node:assert/strict';
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { connect as connectTls, createSecureContext, TLSSocket } from 'node:tls';
import { createSelfSigned } from '#smtp/certificate.ts';
import type { Json } from '#test/support/clients/http.ts';
import { authPlain } from '#test/support/clients/smtp-auth.ts';
import { SmtpClient } from '#test/support/clients/smtp-client.ts';
import { type MailProgram, startMailProgram } from '#test/support/program/mail-program.ts';
import { outputOf } from '#test/support/program/program-output.ts';
import { configOf, listen, memoryServices } from '#test/support/program/smtp-services.ts';
import { ok } from '#test/support/program/user.ts';
import { until } from '#test/support/runner/until.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'sandpost-tls-'));
const certFile = path.join(folder, 'tls.crt');
const keyFile = path.join(folder, 'tls.key');
const write = ({ cert, key }: { cert: string; key: string }) => {
  writeFileSync(certFile, cert);
  writeFileSync(keyFile, key);
};
const files = { SANDPOST_SMTP_TLS_CERT_FILE: certFile, SANDPOST_SMTP_TLS_KEY_FILE: keyFile };

let mail: MailProgram;
before(async () => {
  write(createSelfSigned('mx.test'));
  mail = await startMailProgram({ ...files, SANDPOST_SMTPS_PORT: '0' });
});
after(async () => {
  await mail.stop();
  rmSync(folder, { recursive: true });
});

const message = 'Subject: hello\r\n\r\nworld\r\n';

async function envelopeOf(client: SmtpClient) {
  const [id] = mail.idsOf(await client.send('s@s.test', [mail.user.address], message));
  return (await ok(mail.user.api.get(`/api/messages/${id}`))).envelope;
}

const certificateOf = ({ socket }: SmtpClient): string => {
  assert.ok(socket instanceof TLSSocket);
  return socket.getPeerCertificate().fingerprint256;
};

test('STARTTLS begins a session anew, and the envelope tells how a mail came', async () => {
  const plain = await mail.connect();
  const offers = await plain.command('EHLO client.test');
  assert.match(offers, /^250[- ]STARTTLS$/m);
  const client = await plain.startTls({ servername: 'mx.test' });
  assert.match(await client.command('MAIL FROM:<s@s.test>'), /^503 5\.5\.1/);
  const again = await client.command('EHLO client.test');
  assert.doesNotMatch(again, /STARTTLS/);
  assert.match(again, /AUTH PLAIN LOGIN/);
  assert.match(await client.command('STARTTLS'), /^503 5\.5\.1/);
  const envelope = await envelopeOf(client);
  assert.equal(envelope.tls, true);
  assert.deepEqual(envelope.tls_info, {
    version: 'TLSv1.3',
    cipher: 'TLS_AES_256_GCM_SHA384',
    server_name: 'mx.test',
  });
  client.destroy();
});

test('the transcript tells of STARTTLS, with what was said before and behind it', async () => {
  const client = await (await mail.connect()).startTls();
  await client.command('EHLO inner.test');
  await client.command('EHLO again.test');
  const [id] = mail.idsOf(await client.send('s@s.test', [mail.user.address], message));
  client.destroy();
  const lines: Json[] = await ok(mail.user.api.get(`/api/messages/${id}/transcript`));
  const said = lines.map(({ line }) => line).filter((line) => /^(EHLO|STARTTLS)|Ready/.test(line));
  const before = ['EHLO client.test', 'STARTTLS', '220 2.0.0 Ready to start TLS'];
  assert.deepEqual(said, [...before, 'EHLO again.test']);
});

test('a client that goes away within a message is the only one that notices', async () => {
  const lost = () =>
    mail.program.log.filter(({ reply }) => String(reply).includes('lost during DATA')).length;
  const before = lost();
  const begins = ['DATA\r\nSubject: lost', 'BDAT 5\r\nhello', 'BDAT 50\r\nhello'];
  for (const begin of begins) {
    for (const end of ['end', 'destroy'] as const) {
      for (const client of [
        await (await mail.connect()).startTls(),
        await SmtpClient.openTls(mail.program.smtpsPort),
      ]) {
        await client.command('EHLO client.test');
        await client.command('MAIL FROM:<s@s.test>');
        await client.command(`RCPT TO:<${mail.user.address}>`);
        await client.write(`${begin}`);
        if (!begin.startsWith('BDAT 50')) await client.reply();
        client.socket[end]();
        await client.closed;
      }
    }
  }
  await until(() => lost() === before + 12);
  (await SmtpClient.openTls(mail.program.smtpsPort)).destroy();
});

test('commands that come with the handshake are answered', async () => {
  for (let round = 0; round < 10; round += 1) {
    const socket = connectTls({ port: mail.program.smtpsPort, host: '127.0.0.1', rejectUnauthorized: false });
    socket.write('EHLO early.test\r\nQUIT\r\n');
    const client = new SmtpClient(socket);
    const replies = [await client.reply(), await client.reply(), await client.reply()];
    assert.deepEqual(
      replies.map((reply) => reply.slice(0, 3)),
      ['220', '250', '221'],
    );
    client.destroy();
  }
});

test('a plain session has no TLS session in its envelope', async () => {
  const client = await mail.connect();
  const { tls, tls_info } = await envelopeOf(client);
  assert.deepEqual([tls, tls_info], [false, null]);
  client.destroy();
});

test('implicit TLS, also an older one without a name', async () => {
  const client = await SmtpClient.openTls(mail.program.smtpsPort, { maxVersion: 'TLSv1.2' });
  const { tls_info } = await envelopeOf(client);
  assert.equal(tls_info.version, 'TLSv1.2');
  assert.equal(tls_info.server_name, null);
  client.destroy();
});

test('plain text behind STARTTLS is discarded', async () => {
  const plain = await mail.connect();
  const client = await plain.startTls({}, 'EHLO injected.test\r\nMAIL FROM:<injected@s.test>\r\n');
  assert.match(await client.command('MAIL FROM:<s@s.test>'), /^503 5\.5\.1 .*HELO/);
  await client.command('EHLO client.test');
  assert.match(await client.command(`RCPT TO:<${mail.user.address}>`), /^503 5\.5\.1/);
  assert.equal((await envelopeOf(client)).mail_from, 's@s.test');
  client.destroy();
});

test('who signed in before STARTTLS is not signed in after it', async () => {
  const plain = await mail.connect();
  assert.match(await plain.command(authPlain('apikey', mail.user.key)), /^235/);
  const client = await plain.startTls();
  await client.command('EHLO client.test');
  assert.equal((await envelopeOf(client)).authenticated_as, null);
  assert.match(await client.command(authPlain('apikey', mail.user.key)), /^235/);
  assert.equal((await envelopeOf(client)).authenticated_as.name, 'tests');
  client.destroy();
});

test('a session is resumed', async () => {
  const first = await SmtpClient.openTls(mail.program.smtpsPort, { maxVersion: 'TLSv1.2' });
  assert.ok(first.socket instanceof TLSSocket);
  const session = first.socket.getSession();
  assert.ok(session);
  await first.quit();
  const second = await SmtpClient.openTls(mail.program.smtpsPort, { maxVersion: 'TLSv1.2', session });
  assert.ok(second.socket instanceof TLSSocket);
  assert.equal(second.socket.isSessionReused(), true);
  second.destroy();
});

test('what is no TLS ends its connection alone', async () => {
  const plain = await mail.connect();
  await plain.command('STARTTLS');
  await plain.write('EHLO client.test\r\n');
  await plain.closed;
  const early = connect({ port: mail.program.smtpsPort, host: '127.0.0.1' });
  early.write('EHLO client.test\r\n');
  early.resume();
  await once(early, 'close');
  (await SmtpClient.openTls(mail.program.smtpsPort)).destroy();
});

test('files that change are read again, and those that cannot be used are not', async () => {
  const fingerprint = async () => {
    const client = await SmtpClient.openTls(mail.program.smtpsPort);
    const found = certificateOf(client);
    client.destroy();
    return found;
  };
  const first = await fingerprint();
  const open = await SmtpClient.openTls(mail.program.smtpsPort);
  writeFileSync(keyFile, '');
  const told = () => mail.program.log.filter(({ msg }) => String(msg).includes('keeping the old one')).length;
  await until(() => told() === 1);
  assert.equal(await fingerprint(), first);
  write(createSelfSigned('next.test'));
  await until(async () => (await fingerprint()) !== first);
  const upgraded = await (await mail.connect()).startTls();
  assert.equal(certificateOf(upgraded), await fingerprint());
  assert.equal((await envelopeOf(open)).tls, true);
  rmSync(keyFile);
  await until(() => told() === 2);
  assert.equal(certificateOf(upgraded), await fingerprint());
  write(createSelfSigned('last.test'));
  upgraded.destroy();
  open.destroy();
});

test('an expired certificate is served, and told', async () => {
  const yearAgo = new Date(Date.now() - 400 * 86_400_000);
  write(createSelfSigned('old.test', yearAgo));
  await until(() => mail.program.log.some(({ msg }) => String(msg).includes('has expired')));
  const metrics = await (await fetch(`http://127.0.0.1:${mail.program.opsPorts.smtp}/metrics`)).text();
  const [, seconds = '0'] = /^sandpost_smtp_certificate_expires_seconds (\S+)$/m.exec(metrics) ?? [];
  const daysAgo = (Date.now() / 1000 - Number(seconds)) / 86_400;
  assert.ok(daysAgo > 34 && daysAgo < 36, `${daysAgo} days`);
  (await SmtpClient.openTls(mail.program.smtpsPort)).destroy();
});

test('a certificate that cannot be used stops the start, and so do settings that contradict', async () => {
  const missing = { ...files, SANDPOST_SMTP_TLS_CERT_FILE: path.join(folder, 'none') };
  const swapped = { SANDPOST_SMTP_TLS_CERT_FILE: keyFile, SANDPOST_SMTP_TLS_KEY_FILE: certFile };
  const cases: [Record<string, string>, RegExp][] = [
    [missing, /SANDPOST_SMTP_TLS_CERT_FILE: .*none cannot be read/],
    [swapped, /do not contain a certificate and its key/],
    [{ ...files, SANDPOST_SMTP_TLS_KEY_FILE: '/dev/null' }, /do not contain a certificate and its key/],
    [{ SANDPOST_SMTP_TLS_CERT_FILE: certFile }, /SANDPOST_SMTP_TLS_KEY_FILE must be set together/],
    [{ ...files, SANDPOST_SMTP_TLS: 'self-signed' }, /, not both/],
    [{ SANDPOST_SMTPS_PORT: '0' }, /SANDPOST_SMTPS_PORT needs/],
    [{ SANDPOST_SMTP_TLS: 'yes' }, /SANDPOST_SMTP_TLS/],
  ];
  for (const [settings, line] of cases) {
    const { code, output } = await outputOf(['start'], { SANDPOST_DATA_DIR: folder, ...settings });
    assert.notEqual(code ?? 0, 0);
    assert.match(output, line);
  }
});

test('certificates of any length are well-formed', () => {
  for (let length = 1; length <= 200; length += 1) {
    const { cert, key } = createSelfSigned(`${'a'.repeat(length % 60)}.test`);
    assert.ok(new X509Certificate(cert).checkPrivateKey(createPrivateKey(key)));
    createSecureContext({ cert, key });
  }
});

test('a handshake that is not finished ends, and its place is free again', async (t) => {
  const config = configOf({ SANDPOST_SMTP_TLS: 'self-signed', SANDPOST_SMTPS_PORT: '0' });
  const memory = memoryServices({ config });
  const bounds = { paceMs: 600, handshakeMs: 100, connectionsPerAddress: 1, drainMs: 1000 };
  const { port, tlsPort } = await listen(t, memory.services, bounds);
  const hanging = connect({ port: tlsPort, host: '127.0.0.1' });
  hanging.on('error', () => {});
  hanging.resume();
  await once(hanging, 'connect');
  await until(async () => {
    const other = new SmtpClient(port);
    const reply = await other.reply();
    other.destroy();
    return reply.startsWith('421 4.7.0');
  });
  await once(hanging, 'close');
  const plain = await SmtpClient.open(port);
  assert.match(await plain.command('STARTTLS'), /^220/);
  await plain.closed;
  await (await SmtpClient.openTls(tlsPort)).quit();
});
