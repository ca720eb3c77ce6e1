import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HttpClient } from '#test/support/clients/http.ts';
import { programOfAll } from '#test/support/program/scene.ts';
import { createTeam, join, keyOf, sessionOf } from '#test/support/program/team.ts';
import { createUser, ok } from '#test/support/program/user.ts';

const program = await programOfAll();
const [ada, bob] = [await createUser(program), await createUser(program)];

type Entry = {
  id: number;
  at: string;
  actor: string;
  action: string;
  target: string;
  remote_address: string;
};

/** Returns the actions in a client's audit log, oldest first, each with who did what to which object. */
async function actions(api: HttpClient): Promise<string[]> {
  const { items }: { items: Entry[] } = await ok(api.get('/api/audit-log?limit=200'));
  for (const { id, at, remote_address } of items) {
    assert.ok(Number.isSafeInteger(id) && id > 0);
    assert.ok(Math.abs(Date.parse(at) - Date.now()) < 120_000);
    // A user registers from a separate address.
    assert.match(remote_address, /^(127\.0\.0\.1|198\.18\.\d+\.\d+)$/);
  }
  return items.reverse().map(({ actor, action, target }) => `${actor} ${action} ${target}`);
}

test('the log of a team tells who changed what in it, in order', async () => {
  const team = await createTeam(program, ada, 'checkout');
  const { api } = team;
  await ok(api.patch(`/api/teams/${team.id}`, { name: 'orders' }));
  await join(program, team, bob, 'member');
  const path = `/api/teams/${team.id}/members/${bob.id}`;
  await ok(api.patch(path, { role: 'viewer' }));
  const key = await keyOf(program, api, { name: 'ci' });
  await ok(key.api.delete(`/api/accounts/${team.account.id}`));
  await ok(key.api.delete(`/api/domains/${team.domain.id}`));
  const { id } = await ok(
    api.post(`/api/teams/${team.id}/invitations`, { role: 'viewer', email: 'x@y.test' }),
  );
  await ok(api.delete(`/api/teams/${team.id}/invitations/${id}`));
  await ok(new HttpClient(program).post('/api/auth/login', { api_key: key.key }));
  await ok(api.delete(`/api/tokens/${key.id}`));
  await ok(api.delete(path));
  assert.deepEqual(await actions(api), [
    `${ada.email} team.created checkout`,
    `${ada.email} team.renamed orders`,
    `${ada.email} invitation.created anyone: member`,
    `${bob.email} member.joined ${bob.email}: member`,
    `${ada.email} member.changed ${bob.email}: viewer`,
    `${ada.email} api_key.created ci`,
    `${ada.email} account.deleted ${team.address}`,
    `${ada.email} domain.deleted ${team.domain.domain}`,
    `${ada.email} invitation.created x@y.test: viewer`,
    `${ada.email} invitation.revoked ${id}`,
    `${ada.email} session.created API key ci`,
    `${ada.email} api_key.revoked ci`,
    `${ada.email} member.removed ${bob.email}`,
  ]);
  const firstPage = await ok(api.get('/api/audit-log?limit=1'));
  assert.equal(firstPage.items[0].action, 'member.removed', 'the newest first');
  assert.equal(firstPage.pagination.total, 13);
});

test('sign-ins and a new password are told in all teams of a user', async () => {
  const eve = await createUser(program);
  const team = await createTeam(program, ada, 'signins');
  await join(program, team, eve, 'member');
  const before = (await actions(team.api)).length;
  const { email, password } = eve;
  await ok(new HttpClient(program).post('/api/auth/login', { email, password }));
  assert.equal(
    (await new HttpClient(program).post('/api/auth/login', { email, password: 'wrong horse' })).status,
    401,
  );
  const changed = { current_password: password, new_password: 'another horse' };
  await ok(sessionOf(program, eve).post('/api/auth/password', changed));
  const told = [`${email} session.created ${email}`, `${email} password.changed ${email}`];
  assert.deepEqual((await actions(team.api)).slice(before), told);
  assert.deepEqual((await actions(sessionOf(program, eve))).slice(-2), told);
  const others = await actions(sessionOf(program, bob));
  assert.ok(!others.some((entry) => entry.includes(email)));
});

test('what was refused is not told, and a deleted team leaves a line in the log of who did it', async () => {
  const team = await createTeam(program, ada, 'refused');
  await join(program, team, bob, 'viewer');
  const before = await actions(team.api);
  const asBob = sessionOf(program, bob, team.id);
  assert.equal((await asBob.delete(`/api/domains/${team.domain.id}`)).status, 403);
  assert.equal((await asBob.post('/api/tokens', {})).status, 403);
  assert.equal((await team.api.delete(`/api/teams/${team.id}/members/${ada.id}`)).status, 422);
  assert.equal((await team.api.delete('/api/tokens/4711')).status, 404);
  assert.deepEqual(await actions(team.api), before);
  assert.equal((await asBob.get('/api/audit-log')).status, 403);
  await ok(team.api.delete(`/api/teams/${team.id}`));
  assert.equal((await team.api.get('/api/audit-log')).status, 404);
  assert.equal((await actions(sessionOf(program, ada))).at(-1), `${ada.email} team.deleted refused`);
});
