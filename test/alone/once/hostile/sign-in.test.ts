import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HttpClient } from '#test/support/clients/http.ts';
import { startProgram } from '#test/support/program/program.ts';
import { createUser } from '#test/support/program/user.ts';

test('a sign-in does not wait for the account passwords of another user', async () => {
  await using program = await startProgram();
  const [attacker, victim, bystander] = [
    await createUser(program),
    await createUser(program),
    await createUser(program),
  ];
  const visitor = new HttpClient(program);
  const body = { email: victim.email, password: victim.password };
  const timed = async (work: () => Promise<{ status: number }>) => {
    const begun = performance.now();
    assert.equal((await work()).status, 200);
    return performance.now() - begun;
  };
  const alone = await timed(() => visitor.post('/api/auth/login', body));
  const path = `/api/accounts/${attacker.account.id}`;
  const attack = Array.from({ length: 60 }, () => attacker.api.patch(path, { password: 'a new password' }));
  let changed = 0;
  for (const one of attack) one.then(() => (changed += 1));
  const signIn = await timed(() => visitor.post('/api/auth/login', body));
  const other = await timed(() =>
    bystander.api.patch(`/api/accounts/${bystander.account.id}`, { password: 'a new password' }),
  );
  assert.ok(signIn <= alone + 3000, `signing in took ${signIn} ms, ${alone} ms alone`);
  assert.ok(other <= alone + 4000, `another user's account password took ${other} ms`);
  assert.ok(changed < attack.length / 2, `both waited for ${changed} account passwords`);
  const statuses = (await Promise.all(attack)).map(({ status }) => status);
  assert.ok(statuses.every((status) => status === 200 || status === 429));
});
