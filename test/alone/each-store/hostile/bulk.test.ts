import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { HttpClient, Json } from '#test/support/clients/http.ts';
import { SmtpClient } from '#test/support/clients/smtp-client.ts';
import { assertUnharmed, measureHarm } from '#test/support/hostile/measure-harm.ts';
import { onCluster, type Program, startProgram } from '#test/support/program/program.ts';
import { deliver } from '#test/support/program/program-mail.ts';
import { createTeam, join, type SharedTeam, sessionOf } from '#test/support/program/team.ts';
import { createUser, ok, type User } from '#test/support/program/user.ts';
import { until } from '#test/support/runner/until.ts';

const accounts = 100;
/** Number of emails to all accounts. They take MongoDB many times as long. */
const mails = onCluster ? 50 : 200;
const all = accounts * mails;

/** Domain that leaves the team, with ten of the accounts. */
const moving = 'moving.test';

let program: Program;
let victim: User;
let attacker: User;
let team: SharedTeam;
let addresses: string[];
before(async () => {
  program = await startProgram({ SANDPOST_RATE_LIMIT: '1000000' });
  victim = await createUser(program);
  attacker = await createUser(program);
  team = await createTeam(program, attacker, 'many');
  await ok(team.api.post('/api/domains', { domain: moving, mx_verified: true }));
  addresses = Array.from({ length: accounts }, (_, at) => `a${at}@${at < 10 ? moving : team.domain.domain}`);
  for (const address of addresses) await ok(team.api.post('/api/accounts', { address }));
  await fill(mails, addresses);
});
after(() => program.stop());

/** Sends `count` emails over a few connections, each to all these accounts. */
async function fill(count: number, to: string[]): Promise<void> {
  let sent = 0;
  const connection = async () => {
    const client = await SmtpClient.open(program.smtpPort);
    while (sent < count) {
      sent += 1;
      const reply = await client.send('shop@example.com', to, `Subject: old ${sent}\r\n\r\nHello\r\n`);
      assert.match(reply, /^250 /);
    }
    client.destroy();
  };
  await Promise.all(Array.from({ length: 8 }, connection));
}

type Done = { matched: number; changed: number };

/** Completes a bulk change in as many requests as it needs. */
async function bulk(api: HttpClient, { cursor = null, ...body }: Json): Promise<Done> {
  const sum = { matched: 0, changed: 0 };
  for (;;) {
    const part: Json = await ok(api.post('/api/messages/bulk', { ...body, cursor }));
    sum.matched += part.matched;
    sum.changed += part.changed;
    if (part.done) return sum;
    cursor = part.cursor;
  }
}

test(`a bulk change of ${all.toLocaleString('en-US')} messages delays nobody`, async () => {
  const done: Done[] = [];
  const attack = async () => {
    done.push(await bulk(team.api, { q: 'old', action: done.length % 2 === 0 ? 'read' : 'unread' }));
  };
  assertUnharmed(await measureHarm(program, victim, attack));
  for (const one of done) assert.deepEqual(one, { matched: all, changed: all });
});

test('bulk changes of several users of a team at once delay nobody', async () => {
  const clients = [team.api];
  for (let count = 0; count < 3; count += 1) {
    const user = await createUser(program);
    await join(program, team, user, 'member');
    clients.push(sessionOf(program, user, team.id));
  }
  const bodies = [
    { q: 'header:subject=old', action: 'tag', tag: 'one' },
    { q: '', action: 'move', mailbox: 'Trash' },
  ];
  const statuses: number[] = [];
  const attack = async () => {
    const asked = clients.flatMap((api) => bodies.map((body) => api.post('/api/messages/bulk', body)));
    for (const { status } of await Promise.all(asked)) statuses.push(status);
  };
  // A CI run measured 209 MB on MongoDB, others less than 200.
  assertUnharmed(await measureHarm(program, victim, attack), { memoryBytes: 250e6 });
  assert.ok(statuses.includes(200), `${statuses}`);
  const others = statuses.filter((status) => ![200, 429, 503].includes(status));
  assert.deepEqual(others, []);
});

/** Counts a team's messages, including those in Trash. */
const count = async ({ api }: SharedTeam, q: string): Promise<number> =>
  (await bulk(api, { q, action: 'read', dry_run: true })).matched;

test('beside mail that comes, a domain that moves and an account that goes, listed messages alone are touched', async () => {
  const other = await createTeam(program, attacker, 'other');
  await fill(20, [other.address]);
  const [domain] = (await ok(team.api.get('/api/domains?limit=200'))).items.filter(
    (one: Json) => one.domain === moving,
  );
  const { items } = await ok(team.api.get('/api/accounts?limit=200'));
  const doomed = items.find((one: Json) => one.address.endsWith(`@${team.domain.domain}`));
  const { cursor } = await ok(team.api.get('/api/messages?limit=1'));
  // Starts at this list's newest message.
  const from = `${cursor}.${Number.MAX_SAFE_INTEGER}`;
  const changing = bulk(team.api, { q: 'old', action: 'flag', cursor: from });
  await until(async () => (await count(team, 'is:flagged')) > 0);
  const later = async () => {
    for (let sent = 0; sent < 20; sent += 1)
      await deliver(program, { to: addresses.slice(90), subject: 'old, but later' });
    await fill(1, [other.address]);
  };
  await Promise.all([
    ok(team.api.post(`/api/domains/${domain.id}/move`, { team_id: other.id })),
    ok(team.api.delete(`/api/accounts/${doomed.id}`)),
    later(),
  ]);
  const { changed } = await changing;

  const kept = await count(team, 'subject:later is:unflagged');
  const own = await count(other, `domain:${other.domain.domain} is:unflagged`);
  assert.deepEqual([kept, own], [200, 21], 'mail that came later, and that of the other team, is as it was');
  assert.equal(await count(team, 'is:unflagged -subject:later'), 0, 'all that stayed is changed');
  const flagged = (await count(team, 'is:flagged')) + (await count(other, 'is:flagged'));
  // Emails in the departed account may have been changed before.
  assert.ok(changed >= flagged && changed <= flagged + mails, `${changed} changed, ${flagged} are flagged`);
});
