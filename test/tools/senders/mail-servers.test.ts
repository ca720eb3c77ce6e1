import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { exim } from '#test/support/clients/exim.ts';
import type { Json } from '#test/support/clients/http.ts';
import { type MailServer, startMailServer, without } from '#test/support/clients/mail-server.ts';
import { postfix } from '#test/support/clients/postfix.ts';
import type { SharedTeam } from '#test/support/program/team.ts';
import { ok } from '#test/support/program/user.ts';
import { until } from '#test/support/runner/until.ts';
import { assertAttempts, failing, type Scene, startScene } from './scene.ts';

const kinds = [postfix, exim];
let scene: Scene;
const servers = new Map<string, MailServer>();
before(async () => {
  scene = await startScene();
  for (const kind of kinds)
    if (!without(kind)) servers.set(kind.name, await startMailServer(kind, scene.ports));
});
after(async () => {
  for (const server of servers.values()) await server.stop();
  await scene.stop();
});

/** Hands an email over to a server. */
const queue = async (name: string, from: string, to: string) =>
  assert.match((await servers.get(name)?.queue(from, to)) ?? '', /^250 /);

/** Waits until the team has a matching email, and returns it. */
async function arrived({ api }: SharedTeam, query = ''): Promise<Json> {
  let items: Json[] = [];
  await until(async () => {
    ({ items } = await ok(api.get(`/api/messages?wait=30${query}`)));
    return items.length > 0;
  });
  return items[0];
}

const rules = [
  ['rcpt', { reply: '451 4.7.1 Try again', times: 3 }],
  ['data', { stage: 'data', reply: '452 4.3.1 Full', times: 2 }],
  ['end', { stage: 'end', reply: '454 4.7.0 Not now', times: 3 }],
  ['slow-down', { reply: '421 4.7.0 Slow down', times: 3 }],
  ['drop', { action: 'drop', stage: 'data', times: 2 }],
  ['reset', { action: 'reset', times: 2 }],
  ['late', { reply: '451 4.7.1 Late', delay_ms: 60_000, times: 1 }],
] as const;

for (const kind of kinds) {
  const { name } = kind;
  const skip = without(kind);

  for (const [what, words] of rules) {
    test(`${name} tries again as often as a rule fails, and the mail arrives: ${what}`, {
      skip,
    }, async () => {
      const team = await scene.team(`${name}-${what}`);
      const rule = await failing(team, words);
      await queue(name, 'shop@sender.test', team.address);
      await arrived(team);
      await assertAttempts(team, rule, { failed: words.times, passed: 1, stored: 1 });
    });
  }

  test(`${name} gives up after a 5xx, and its report arrives as one`, { skip }, async () => {
    const team = await scene.team(`${name}-final`);
    const address = `gone@${team.domain.domain}`;
    const rule = await failing(team, { match: { address }, reply: '550 5.1.1 No such user' });
    await ok(team.api.post('/api/accounts', { address }));
    await queue(name, team.address, address);
    const { id } = await arrived(team, `&to=${team.address}`);
    const { report } = await ok(team.api.get(`/api/messages/${id}`));
    assert.equal(report.kind, 'failed');
    const [{ diagnostic, ...recipient }] = report.recipients;
    assert.deepEqual([recipient.address, recipient.action], [address, 'failed']);
    assert.match(diagnostic, /550 5\.1\.1 No such user/);
    await assertAttempts(team, rule, { failed: 1, passed: 0, stored: 1 });
  });
}
