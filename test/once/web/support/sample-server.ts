import { generateKeyPairSync } from 'node:crypto';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import nodemailer from 'nodemailer';
import { startDnsServer } from '#test/support/clients/dns-server.ts';
import { HttpClient } from '#test/support/clients/http.ts';
import { type Program, startProgram, temporaryDir } from '#test/support/program/program.ts';
import { createUser, ok, type User } from '#test/support/program/user.ts';
import { olderMails, type SampleMail, sampleMails } from './sample-mails.ts';

const rsa = () => generateKeyPairSync('rsa', { modulusLength: 2048 });
const [own, stolen] = [rsa(), rsa()];
const publicKey = own.publicKey.export({ type: 'spki', format: 'der' }).toString('base64');
const signed = 'northwind.example';

/** Starts the real program with a team's mail, some of it older, from a domain with SPF, DKIM and an MX record. */
export async function startSampleServer(): Promise<AsyncDisposable & { program: Program; user: User }> {
  const dns = await startDnsServer({
    [signed]: { TXT: ['v=spf1 ip4:127.0.0.1 -all'], MX: [[10, `mx.${signed}`]] },
    [`s1._domainkey.${signed}`]: { TXT: [`v=DKIM1; k=rsa; p=${publicKey}`] },
    [`_dmarc.${signed}`]: { TXT: ['v=DMARC1; p=reject'] },
  });
  const settings = {
    SANDPOST_DATA_DIR: await temporaryDir(),
    SANDPOST_DNS_SERVERS: dns.address,
    SANDPOST_BASE_URL: 'http://sandpost.team.example',
    SANDPOST_MX_HOSTS: 'sandpost.team.example',
  };
  const first = await startProgram(settings);
  const user = await createUser(first, { domain: 'app.test' });
  for (const domain of ['staging.app.test', 'mail.northwind.example']) {
    await ok(user.api.post('/api/domains', { domain, mx_verified: domain.endsWith('.test') }));
  }
  for (const address of ['billing@app.test', '*@app.test', 'dev@staging.app.test']) {
    await ok(user.api.post('/api/accounts', { address }));
  }
  await ok(user.api.post(`/api/accounts/${user.account.id}/mailboxes`, { path: 'Release 4.2' }));
  const mails = [...sampleMails, ...olderMails].toReversed();
  const times: [number, number][] = [];
  for (const mail of mails) times.push([await send(first, user, mail), mail.minutesAgo]);
  await first.stop();
  // The API cannot backdate mail, so the store is changed instead.
  const store = new DatabaseSync(path.join(settings.SANDPOST_DATA_DIR, 'sandpost.db'));
  const age = store.prepare('UPDATE message SET received_at = received_at - ? WHERE id = ?');
  for (const [id, minutes] of times) age.run(minutes * 60_000, id);
  store.close();
  const program = await startProgram(settings);
  return {
    program,
    user: { ...user, api: new HttpClient(program, { 'x-api-key': user.key }) },
    async [Symbol.asyncDispose]() {
      await program.stop();
      await dns.close();
    },
  };
}

/** Sends an email and returns the message's ID. */
async function send({ smtpPort }: Program, { api }: User, mail: SampleMail): Promise<number> {
  const { minutesAgo: _, read, flagged, forged, ...content } = mail;
  const { privateKey } = forged ? stolen : own;
  const dkim = {
    domainName: signed,
    keySelector: 's1',
    privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
  const transport = nodemailer.createTransport({
    host: '127.0.0.1',
    port: smtpPort,
    name: `out.${signed}`,
    ignoreTLS: true,
  });
  const isSigned = content.from.includes(`@${signed}`);
  const envelope = forged ? { envelope: { from: 'bounce@mailer.example', to: content.to } } : {};
  const { response } = await transport.sendMail({ ...content, ...envelope, ...(isSigned ? { dkim } : {}) });
  transport.close();
  const id = Number(/stored as (\d+)/.exec(response)?.[1]);
  if (read || flagged) {
    await api.patch(`/api/messages/${id}`, { is_read: read === true, is_flagged: flagged === true });
  }
  return id;
}
