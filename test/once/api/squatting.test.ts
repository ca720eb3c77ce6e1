import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { HttpClient } from '#test/support/clients/http.ts';
import { startProgram } from '#test/support/program/program.ts';
import { createUser } from '#test/support/program/user.ts';

test('a name above or below the domain of another user is refused, spelled in any way', async () => {
  await using program = await startProgram();
  const [victim, attacker] = [await createUser(program), await createUser(program)];
  const held = `app.${randomBytes(4).toString('hex')}.test`;
  const parent = held.slice(4);
  assert.equal((await victim.api.post('/api/domains', { domain: held })).status, 200);
  for (const domain of [held, parent, `mail.${held}`, `MAIL.${held}.`, `a.b.${held}`, parent.toUpperCase()]) {
    const answer = await attacker.api.post('/api/domains', { domain, mx_verified: true });
    assert.equal(answer.status, 422, domain);
    assert.equal(answer.json.violations[0].field, 'domain');
  }
  assert.equal((await attacker.api.post('/api/domains', { domain: `web.${parent}` })).status, 200);
  const own = await victim.api.post('/api/domains', { domain: `mail.${held}` });
  assert.equal(own.status, 200, 'its owner may have more of it');
});

test('SANDPOST_DOMAIN_SUFFIXES allows domains under them alone', async () => {
  await using program = await startProgram({ SANDPOST_DOMAIN_SUFFIXES: 'dev.example, Test.' });
  const user = await createUser(program);
  for (const [domain, status] of [
    ['qa.dev.example', 200],
    ['a.b.dev.example', 200],
    ['dev.example', 422],
    ['gmail.com', 422],
    ['dev.example.com', 422],
    ['xdev.example', 422],
  ] as const) {
    const answer = await new HttpClient(program, { 'x-api-key': user.key }).post('/api/domains', { domain });
    assert.equal(answer.status, status, domain);
    if (status === 422)
      assert.match(answer.json.violations[0].message, /must lie under dev\.example or test/);
  }
});
