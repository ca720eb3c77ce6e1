import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { test } from 'node:test';
import { scene } from '#test/support/program/scene.ts';
import { createTeam, join, keyOf, sessionOf } from '#test/support/program/team.ts';
import { createUser, ok } from '#test/support/program/user.ts';
import { until } from '#test/support/runner/until.ts';

const { program, user: ada } = await scene();
const team = await createTeam(program, ada, 'checkout');

/** Returns a key as the list shows it. */
async function tokenOf(id: number): Promise<{ last_used_at: string | null } | undefined> {
  const { items } = await ok(team.api.get('/api/tokens'));
  return items.find((token: { id: number }) => token.id === id);
}

/** Age in ms at which a request's caller is looked up again. */
const oldMs = 1100;

/** Sends a request's head and the start of its body. The rest waits until the request is old. */
function hold(path: string, key: string, body: string): { finish(afterMs?: number): Promise<number> } {
  const headers = {
    'x-api-key': key,
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
  };
  const held: ClientRequest = request(`${program.baseUrl}${path}`, { method: 'POST', headers });
  held.write(body.slice(0, 3));
  const begun = performance.now();
  return {
    async finish(afterMs = oldMs) {
      await until(() => performance.now() - begun > afterMs);
      held.end(body.slice(3));
      const [answer]: IncomingMessage[] = await once(held, 'response');
      answer?.resume();
      return answer?.statusCode ?? 0;
    },
  };
}

for (const [what, pathOf, body] of [
  ['a key', () => '/api/tokens', '{"name": "heir"}'],
  ['a domain', () => '/api/domains', '{"domain": "heir.test"}'],
  ['an invitation', () => `/api/teams/${team.id}/invitations`, '{"role": "owner"}'],
  ['a mail', () => `/api/accounts/${team.account.id}/messages/send`, '{"to": "qa@app.test"}'],
  ['a mail to a provider', () => '/providers/sendgrid/v3/mail/send', '{"personalizations": []}'],
] as const) {
  test(`a request for ${what} whose body is held back ends with its key`, async () => {
    const { key, id } = await keyOf(program, team.api, { scope: 'full' });
    const held = hold(pathOf(), key, body);
    // The key's use is recorded when the head has been read.
    await until(async () => (await tokenOf(id))?.last_used_at !== null);
    await ok(team.api.delete(`/api/tokens/${id}`));
    assert.equal(await held.finish(), 401);
  });
}

test('a member who is removed while asking for a key gets none', async () => {
  const bob = await createUser(program);
  await join(program, team, bob, 'member');
  const { key, id } = await keyOf(program, sessionOf(program, bob, team.id), { scope: 'full' });
  const held = hold('/api/tokens', key, '{"name": "heir"}');
  await until(async () => (await tokenOf(id))?.last_used_at !== null);
  await ok(team.api.delete(`/api/teams/${team.id}/members/${bob.id}`));
  // Answers 401 if the request is so old that its key is looked up again.
  assert.ok([401, 404].includes(await held.finish(0)));
  const { items } = await ok(team.api.get('/api/tokens'));
  const makers = items.map(({ created_by }: { created_by: string }) => created_by);
  assert.ok(!makers.includes(bob.email), `${makers}`);
});

test('a body that takes long is taken while its key is valid', async () => {
  const { key } = await keyOf(program, team.api, { scope: 'full' });
  assert.equal(await hold('/api/tokens', key, '{"name": "slow"}').finish(), 200);
});
