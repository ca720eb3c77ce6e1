import { connect, type Socket } from 'node:net';
import { SmtpClient } from '#test/support/clients/smtp-client.ts';
import type { Program } from '#test/support/program/program.ts';
import type { User } from '#test/support/program/user.ts';
import { lasting } from '#test/support/runner/clocks.ts';

type Attack = (program: Program, attacker: User) => Promise<unknown>;

const heldMs = 4000;
const json = { 'content-type': 'application/json' };

/** Returns a request's bytes, for a client that need not read the response. */
function request(method: string, path: string, headers: Record<string, string>, body = ''): string {
  const all = {
    host: 'localhost',
    ...headers,
    ...(body === '' ? {} : { 'content-length': `${body.length}` }),
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`;
}

/** Opens connections, writes the same bytes to each, keeps them open for some seconds without reading, and drops them. */
async function hold(port: number, count: number, bytes: string | Buffer): Promise<void> {
  const sockets: Socket[] = Array.from({ length: count }, () => {
    const socket = connect({ port, host: '127.0.0.1' });
    // Attacks may make the server close the connection.
    socket.on('error', () => {});
    socket.pause();
    socket.write(bytes);
    return socket;
  });
  await lasting(heldMs);
  for (const socket of sockets) socket.destroy();
}

async function deliver(program: Program, { address }: User, raw: string): Promise<void> {
  const client = await SmtpClient.open(program.smtpPort);
  await client.send('attacker@example.com', [address], raw);
  client.destroy();
}

const head = 'From: a@example.com\r\nSubject: attack\r\nMIME-Version: 1.0\r\n';
const signatures = Array.from(
  { length: 20 },
  (_, at) =>
    `DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/relaxed; d=x.test; s=s; h=from; l=${100_000 + at}; bh=AAAA; b=AAAA\r\n`,
).join('');

/** Attacks, run one after the other. Each is bounded and ends by itself. */
export const attacks: Record<string, Attack> = {
  'a send body of empty lists': (program, { account, key }) =>
    hold(
      program.httpPort,
      2,
      request(
        'POST',
        `/api/accounts/${account.id}/messages/send`,
        { 'x-api-key': key, ...json },
        `{"to":[${'[],'.repeat(500_000)}[]]}`,
      ),
    ),
  'failed sign-ins': (program) =>
    hold(
      program.httpPort,
      20,
      request('POST', '/api/auth/login', json, '{"email":"a@b.test","password":"wrong horse"}').repeat(5),
    ),
  'bodies that never end': (program) =>
    hold(
      program.httpPort,
      100,
      request('POST', '/api/auth/login', { ...json, 'content-length': '4000' }) + '{"a":['.padEnd(3000, '1,'),
    ),
  'pipelined recipients': (program) =>
    hold(
      program.smtpPort,
      10,
      `EHLO x\r\nMAIL FROM:<a@b.test>\r\n${'RCPT TO:<z@nobody.test>\r\n'.repeat(10_000)}`,
    ),
  'a mail with twenty signatures': (program, attacker) =>
    deliver(program, attacker, `${signatures}${head}\r\n${'a\r\n'.repeat(300_000)}`),
  'answers that nobody reads': async (program, attacker) => {
    await deliver(program, attacker, `${head}\r\n${`${'\x01'.repeat(70)}\r\n`.repeat(70_000)}`);
    const { items } = (await attacker.api.get('/api/messages?limit=1')).json;
    const path = `/api/messages/${items[0]?.id}`;
    await hold(program.httpPort, 20, request('GET', path, { 'x-api-key': attacker.key }).repeat(10));
    await hold(program.httpPort, 20, request('GET', `${path}/raw`, { 'x-api-key': attacker.key }));
  },
  'streams that nobody reads': (program, { key }) =>
    hold(program.httpPort, 60, request('GET', '/api/events?last_event_id=0', { 'x-api-key': key })),
  'more waits than allowed': (program, { key }) =>
    hold(
      program.httpPort,
      10,
      request('GET', '/api/messages?wait=3&count=200', { 'x-api-key': key }).repeat(20),
    ),
  'more searches than allowed': (program, { key }) =>
    hold(program.httpPort, 10, request('GET', '/api/messages?q=zzzz+yyyy', { 'x-api-key': key }).repeat(5)),
  'account passwords': (program, { account, key }) =>
    hold(
      program.httpPort,
      10,
      request(
        'PATCH',
        `/api/accounts/${account.id}`,
        { 'x-api-key': key, ...json },
        '{"password":"correct horse"}',
      ).repeat(5),
    ),
  'empty connections': async (program) => {
    await hold(program.smtpPort, 100, '');
    await hold(program.httpPort, 300, '');
  },
  'all mail deleted': async (_program, { account, inbox, api }) =>
    api.delete(`/api/accounts/${account.id}/mailboxes/${inbox}/messages`),
};
