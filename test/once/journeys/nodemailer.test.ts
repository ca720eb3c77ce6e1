import assert from 'node:assert/strict';
import { createHash, generateKeyPairSync } from 'node:crypto';
import { after, before, test } from 'node:test';
import { createTransport, type SendMailOptions, type Transporter } from 'nodemailer';
import { openFrames } from '#test/support/clients/frames.ts';
import { type MailProgram, startMailProgram } from '#test/support/program/mail-program.ts';
import { ok } from '#test/support/program/user.ts';

const keys = generateKeyPairSync('rsa', { modulusLength: 2048 });
const publicKey = keys.publicKey.export({ type: 'spki', format: 'der' }).toString('base64');
const privateKey = keys.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
const zones = {
  'sender.test': { TXT: ['v=spf1 ip4:127.0.0.1 -all'] },
  '_dmarc.sender.test': { TXT: ['v=DMARC1; p=reject'] },
  's1._domainkey.sender.test': { TXT: [`v=DKIM1; k=rsa; p=${publicKey}`] },
};

let mail: MailProgram;
let transport: Transporter;
before(async () => {
  mail = await startMailProgram(undefined, zones);
  transport = createTransport({ host: '127.0.0.1', port: mail.program.smtpPort, pool: true });
});
after(async () => {
  transport.close();
  await mail.stop();
});

/** Sends an email, waits for its event on the stream, and returns the full message. */
async function deliver(options: SendMailOptions) {
  const frames = await openFrames(mail.user);
  const sent = await transport.sendMail({ from: 'Ann <ann@sender.test>', to: mail.user.address, ...options });
  const [id = 0] = mail.idsOf(sent.response ?? '');
  const { event, data } = await frames.next();
  frames.close();
  assert.deepEqual([event, data.id, data.subject], ['new-message', id, options.subject ?? '']);
  return ok(mail.user.api.get(`/api/messages/${id}`));
}

test('a plain mail', async () => {
  const message = await deliver({ subject: 'Plain', text: 'hello\n\n.\n..dots\n' });
  assert.equal(message.subject, 'Plain');
  assert.equal(message.text.replaceAll('\r\n', '\n').trimEnd(), 'hello\n\n.\n..dots');
  assert.deepEqual(message.from, { name: 'Ann', address: 'ann@sender.test' });
  assert.deepEqual([message.spf.result, message.dkim, message.dmarc.result], ['pass', [], 'pass']);
});

test('HTML with a picture in it, and attachments', async () => {
  const picture = Buffer.alloc(5_000, 7);
  const report = Buffer.alloc(2_500_000, 'report ');
  const message = await deliver({
    subject: 'Rich',
    text: 'text',
    html: '<p>Hello <img src="cid:logo"></p>',
    attachments: [
      { filename: 'logo.png', content: picture, cid: 'logo', contentType: 'image/png' },
      { filename: 'Übersicht 2026.pdf', content: report, contentType: 'application/pdf' },
    ],
  });
  assert.match(message.html, /<p>Hello/);
  for (const [name, bytes] of [
    ['logo.png', picture],
    ['Übersicht 2026.pdf', report],
  ] as const) {
    const attachment = message.attachments.find((one: { filename: string }) => one.filename === name);
    assert.ok(attachment, name);
    assert.equal(attachment.sha256, createHash('sha256').update(bytes).digest('hex'));
    const path = new URL(attachment.downloadUrl).pathname;
    assert.ok(bytes.equals((await mail.user.api.get(path)).body), name);
  }
});

test('letters of all the world, in the header, the text and the addresses', async () => {
  const text = 'Grüße, Привет, こんにちは, مرحبا 🎉';
  const message = await deliver({
    subject: text,
    text,
    from: { name: 'Jörg Müller', address: 'jörg@sender.test' },
  });
  assert.deepEqual([message.subject, message.text.trimEnd(), message.from.name], [text, text, 'Jörg Müller']);
  assert.equal(message.envelope.mail_from, 'jörg@sender.test');
});

test('8-bit text as it is', async () => {
  const raw = Buffer.from(
    'Subject: 8bit\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n\r\nnaïve café\r\n',
  );
  const frames = await openFrames(mail.user);
  const envelope = { from: 'ann@sender.test', to: [mail.user.address] };
  const [id = 0] = mail.idsOf((await transport.sendMail({ raw, envelope })).response ?? '');
  assert.equal((await frames.next()).data.id, id);
  frames.close();
  assert.ok(raw.equals(await mail.raw(id)));
  assert.equal((await ok(mail.user.api.get(`/api/messages/${id}`))).text.trimEnd(), 'naïve café');
});

test('a DKIM signature', async () => {
  const dkim = { domainName: 'sender.test', keySelector: 's1', privateKey };
  const signed = await deliver({ subject: 'Signed', text: 'signed', dkim });
  assert.deepEqual(
    signed.dkim.map((one: Record<string, unknown>) => [one.result, one.domain, one.selector, one.aligned]),
    [['pass', 'sender.test', 's1', true]],
  );
  assert.deepEqual([signed.dmarc.result, signed.dmarc.policy], ['pass', 'reject']);
  const foreign = await deliver({
    subject: 'Foreign',
    text: 'x',
    from: 'eve@sender.test',
    envelope: { from: 'eve@eve.test', to: mail.user.address },
  });
  assert.equal(foreign.dmarc.result, 'fail');
});
