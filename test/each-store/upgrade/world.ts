import { readFileSync } from 'node:fs';
import nodemailer from 'nodemailer';
import { HttpClient } from '#test/support/clients/http.ts';
import type { Program } from '#test/support/program/program.ts';
import { deliver, deliverOne } from '#test/support/program/program-mail.ts';
import { ok } from '#test/support/program/user.ts';

/** Fixture credentials: an API key and a session of the first user, and the ID of a shared team. */
export type World = { key: string; cookie: string; team: number };

/** Name of the team that an administrator removes after the program has stopped. Its rows stay, soft-deleted. */
export const removedTeam = 'gone';

const password = 'correct horse';

/** Text whose content is too long for one MongoDB row. */
const longText = 'A line of a long text.\r\n'.repeat(15_000);

/** Fills an empty store through the public interfaces with objects of all kinds: people, teams, addresses, mail in each state. */
export async function fillWorld(program: Program): Promise<World> {
  const ada = await register(program, 'ada@example.com');
  const { key } = await ok(ada.session().post('/api/tokens', { name: 'tests' }));
  const api = new HttpClient(program, { 'x-api-key': key });
  await ok(api.post('/api/domains', { domain: 'app.test', mx_verified: true }));
  await ok(api.post('/api/domains', { domain: 'idle.test', is_active: false, mx_verified: true }));
  const account = await ok(api.post('/api/accounts', { address: 'qa@app.test', password }));
  await ok(
    api.post('/api/accounts', { address: '*@app.test', is_catch_all: true, storage_limit: 5_000_000 }),
  );
  await ok(api.post('/api/accounts', { address: 'inbox@app.test', is_capture: true }));
  await fillMailboxes(program, api, account);

  const bob = await register(program, 'bob@example.com');
  const shop = await ok(ada.session().post('/api/teams', { name: 'shop' }));
  await fillTeam(program, ada.session(shop.id), 'shop');
  const invite = (role: string) => ada.session(shop.id).post(`/api/teams/${shop.id}/invitations`, { role });
  const { token } = await ok(invite('viewer'));
  await ok(bob.session().post('/api/invitations/accept', { token }));
  await ok(invite('member'));

  const gone = await ok(bob.session().post('/api/teams', { name: removedTeam }));
  await fillTeam(program, bob.session(gone.id), removedTeam);
  return { key, cookie: ada.cookie, team: shop.id };
}

async function register(program: Program, email: string) {
  const { headers } = await new HttpClient(program).post('/api/auth/register', { email, password });
  const cookie = (headers['set-cookie'] ?? '').split(';')[0] ?? '';
  const session = (team?: number) =>
    new HttpClient(program, { cookie, ...(team === undefined ? {} : { 'x-team-id': String(team) }) });
  return { cookie, session };
}

/** Adds a domain, an account, a key and an email to a team. */
async function fillTeam(program: Program, api: HttpClient, name: string): Promise<void> {
  await ok(api.post('/api/domains', { domain: `${name}.test`, mx_verified: true }));
  await ok(api.post('/api/accounts', { address: `qa@${name}.test` }));
  await ok(api.post('/api/tokens', { name, scope: 'read' }));
  await deliverOne(program, { to: `qa@${name}.test`, subject: `Mail of ${name}`, text: 'Your PIN is 8143.' });
}

/** Delivers an email of each kind, and changes some of them in each way. */
async function fillMailboxes(
  program: Program,
  api: HttpClient,
  { id: accountId, mailboxes }: { id: number; mailboxes: { id: number; path: string }[] },
): Promise<void> {
  const to = 'qa@app.test';
  const place = (mailbox: number) => `/api/accounts/${accountId}/mailboxes/${mailbox}`;
  const inbox = mailboxes.find(({ path }) => path === 'INBOX')?.id ?? 0;
  const link = '<p>Welcome. <a href="https://shop.example/verify?t=1">Confirm your address</a></p>';
  const code = await deliverOne(program, {
    to,
    subject: 'Welcome',
    text: 'Your code is 493817.',
    html: link,
  });
  const reset = 'Reset your password: https://shop.example/reset/2\r\nUnsubscribe: https://shop.example/bye';
  await deliverOne(program, { to, subject: 'Reset', text: reset });
  const plain = await deliverOne(program, { to, subject: 'Nothing to click', text: 'Ünïcode & 😀' });
  const attachments = [
    { filename: 'bill.pdf', content: Buffer.from('%PDF-1.7'), contentType: 'application/pdf' },
  ];
  await deliverOne(program, { to: 'qa+bills@app.test', subject: 'Bill', text: 'See it.', attachments });
  await deliver(program, { to: [to, 'else@app.test'], raw: readFileSync('test/support/mails/bounce.eml') });
  await sendWithDsn(program, to);
  const kept = await deliverOne(program, { to, subject: 'Long', text: longText });
  const mail = (...lines: string[]) => lines.join('\r\n');
  await deliverOne(program, { to, raw: mail('Message-ID: <a@x>', 'Subject: question', '', '?') });
  await deliverOne(program, {
    to,
    raw: mail('Message-ID: <b@x>', 'In-Reply-To: <a@x>', 'Subject: answer', '', 'yes'),
  });
  const removed = await deliverOne(program, { to, subject: 'Removed' });

  const expires_at = new Date(Date.now() + 30 * 86_400_000).toISOString();
  await ok(api.patch(`/api/messages/${code}`, { is_read: true }));
  await ok(api.patch(`/api/messages/${plain}`, { is_flagged: true, expires_at, auto_delete: false }));
  const folder = await ok(api.post(`/api/accounts/${accountId}/mailboxes`, { path: 'Kept/Here' }));
  await ok(api.put(`${place(inbox)}/messages/${kept}/move`, { mailbox_id: folder.id }));
  await ok(
    api.post(`/api/accounts/${accountId}/messages/send`, { to: [to], subject: 'Sent', text: 'Code: 7741' }),
  );
  await ok(api.delete(`/api/messages/${removed}`));
}

async function sendWithDsn({ smtpPort: port }: Program, to: string): Promise<void> {
  const transport = nodemailer.createTransport({ host: '127.0.0.1', port, ignoreTLS: true });
  const dsn = { id: 'ENV1', return: 'headers', notify: ['failure', 'delay'], recipient: to };
  const envelope = { from: 'shop@example.com', to, dsn };
  await transport.sendMail({ envelope, from: 'shop@example.com', to, subject: 'With DSN', text: 'x' });
  transport.close();
}
