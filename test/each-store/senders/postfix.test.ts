import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Json } from '#test/support/clients/http.ts';
import { type Postfix, startPostfix, withoutPostfix } from '#test/support/clients/postfix.ts';
import type { SharedTeam } from '#test/support/program/team.ts';
import { ok } from '#test/support/program/user.ts';
import { until } from '#test/support/runner/until.ts';
import { assertAttempts, failing, type Scene, startScene } from './scene.ts';

let scene: Scene;
let postfix: Postfix;
before(async () => {
  if (withoutPostfix) return;
  scene = await startScene();
  postfix = await startPostfix(scene.ports);
});
after(async () => {
  await postfix?.stop();
  await scene?.stop();
});

/** Waits until the team has a mail that fits, and returns it. */
async function arrived({ api }: SharedTeam, query = ''): Promise<Json> {
  let items: Json[] = [];
  await until(async () => {
    ({ items } = await ok(api.get(`/api/messages?wait=30${query}`)));
    return items.length > 0;
  });
  return items[0];
}

for (const [name, words] of [
  ['rcpt', { reply: '451 4.7.1 Try again', times: 3 }],
  ['data', { stage: 'data', reply: '452 4.3.1 Full', times: 2 }],
  ['end', { stage: 'end', reply: '454 4.7.0 Not now', times: 3 }],
  ['slow-down', { reply: '421 4.7.0 Slow down', times: 3 }],
  ['drop', { action: 'drop', stage: 'data', times: 2 }],
  ['reset', { action: 'reset', times: 2 }],
  ['late', { reply: '451 4.7.1 Late', delay_ms: 60_000, times: 1 }],
] as const) {
  test(`Postfix tries again as often as a rule fails, and the mail arrives: ${name}`, {
    skip: withoutPostfix,
  }, async () => {
    const team = await scene.team(`postfix-${name}`);
    const rule = await failing(team, words);
    assert.match(await postfix.queue('shop@sender.test', team.address), /^250 2\.0\.0/);
    await arrived(team);
    await assertAttempts(team, rule, { failed: words.times, passed: 1, stored: 1 });
  });
}

test('Postfix gives up after a 5xx, and its report arrives as one', { skip: withoutPostfix }, async () => {
  const team = await scene.team('postfix-final');
  const address = `gone@${team.name}.test`;
  const rule = await failing(team, { match: { address }, reply: '550 5.1.1 No such user' });
  await ok(team.api.post('/api/accounts', { address }));
  await postfix.queue(team.address, address);
  const { id } = await arrived(team, `&to=${team.address}`);
  const { report } = await ok(team.api.get(`/api/messages/${id}`));
  assert.equal(report.kind, 'failed');
  assert.partialDeepStrictEqual(report.recipients, [{ address, action: 'failed', status: '5.1.1' }]);
  await assertAttempts(team, rule, { failed: 1, passed: 0, stored: 1 });
});
