import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Json } from '#test/support/clients/http.ts';
import { onTheWire, SmtpClient } from '#test/support/clients/smtp-client.ts';
import { assertUnharmed, measureHarm } from '#test/support/hostile/measure-harm.ts';
import { type Program, startProgram } from '#test/support/program/program.ts';
import { transmit } from '#test/support/program/program-mail.ts';
import { createTeam, type SharedTeam } from '#test/support/program/team.ts';
import { createUser, ok, type User } from '#test/support/program/user.ts';

let program: Program;
let victim: User;
let attacker: User;
before(async () => {
  program = await startProgram({ SANDPOST_RATE_LIMIT: '1000000' });
  victim = await createUser(program);
  // The victim's mail also waits for the rules thread.
  await ok(victim.api.post('/api/rules', { name: 'a rule', q: 'subject:probe', tags: ['ruled'] }));
  attacker = await createUser(program, { storage_limit: 1_000_000_000 });
});
after(() => program.stop());

const many = <T>(count: number, of: (at: number) => T): T[] =>
  Array.from({ length: count }, (_, at) => of(at));

/** Fifty words, each of which a long text almost contains at every position. */
const almost = (rule: number) => many(50, (word) => `-${'a'.repeat(10)}b${rule}x${word}`).join(' ');

const line = `${'a'.repeat(70)}\r\n`;
const long = `Subject: a\r\n${`X-A: ${line}`.repeat(1000)}\r\n${line.repeat(4000)}`;

/** Sends emails over several connections, one after the other on each, and returns their replies. */
async function send(
  connections: number,
  each: number,
  to: string[],
  raw: string,
  from = '127.0.0.2',
): Promise<string[]> {
  const replies: string[] = [];
  const wire = onTheWire(raw);
  await Promise.all(
    many(connections, async () => {
      const client = await SmtpClient.open(program.smtpPort, from);
      for (let sent = 0; sent < each; sent += 1) {
        await client.begin('a@x.test', to);
        await client.write(wire);
        replies.push(await client.reply());
      }
      client.destroy();
    }),
  );
  return replies;
}

const rule = (team: SharedTeam, words: Json) => ok(team.api.post('/api/rules', { name: 'a rule', ...words }));

/** Sends a team's mail at full rate, and one email by the victim, which must arrive. */
async function attack(team: SharedTeam, raw: string, { connections = 10, each = 1 } = {}): Promise<string[]> {
  const replies = send(connections, each, [team.address], raw);
  const shared = await transmit(program, { to: [team.address, victim.address] });
  assert.match(shared, /^250 2\.6\.0 stored/);
  return await replies;
}

test('as many rules as a team may have, of costly terms, delay no mail of others', async () => {
  const team = await createTeam(program, attacker, 'costly');
  for (let at = 0; at < 100; at += 1) await rule(team, { q: almost(at), tags: [`t${at}`] });
  const harm = await measureHarm(program, victim, async () => {
    for (const reply of await attack(team, long)) assert.match(reply, /^250 /);
  });
  assertUnharmed(harm);
  const { items } = await ok(victim.api.get('/api/messages?limit=1&q=subject:probe'));
  assert.deepEqual(items[0].tags, ['ruled']);
});

test('mail of many teams of a user, from many addresses, holds little memory while it waits for their rules', async () => {
  const teams: SharedTeam[] = [];
  for (const at of many(10, (at) => at)) {
    const team = await createTeam(program, attacker, `many${at}`);
    for (const one of many(20, (one) => one)) await rule(team, { q: almost(one), tags: ['t'] });
    teams.push(team);
  }
  const harm = await measureHarm(program, victim, async () => {
    const sent = teams.map(({ address }, at) => send(5, 1, [address], long, `127.0.1.${at + 1}`));
    for (const reply of (await Promise.all(sent)).flat()) assert.match(reply, /^250 /);
  });
  assertUnharmed(harm);
});

test('rules that discard all mail, and that change all the time, delay no mail of others', async () => {
  const team = await createTeam(program, attacker, 'changing');
  const { id } = await rule(team, { q: 'smaller:1G' });
  const harm = await measureHarm(program, victim, async () => {
    let attacking = true;
    const changing = async () => {
      for (let discard = true; attacking; discard = !discard)
        await ok(team.api.patch(`/api/rules/${id}`, { discard }));
    };
    const changes = many(4, changing);
    const replies = await attack(team, 'Subject: a\r\n\r\nHello\r\n', { each: 50 });
    attacking = false;
    await Promise.all(changes);
    for (const reply of replies) assert.match(reply, /^250 2\.6\.0 /);
  });
  assertUnharmed(harm);
  const { matched, discarded } = await ok(team.api.get(`/api/rules/${id}`));
  const { mailboxes } = await ok(team.api.get(`/api/accounts/${team.account.id}`));
  const kept = mailboxes.find(({ path }: Json) => path === 'INBOX').totalMessages;
  assert.equal(matched, kept + discarded, 'each mail was counted once, and is there or discarded');
});
