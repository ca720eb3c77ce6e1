import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { openSqliteStore } from '#adapters/stores/sqlite/open.ts';
import { hashSecret, newSecret } from '#core/access/secrets.ts';
import { HttpClient } from '#test/support/clients/http.ts';
import { startProgram, temporaryDir } from '#test/support/program/program.ts';
import { programOfAll } from '#test/support/program/scene.ts';
import { createUser } from '#test/support/program/user.ts';
import { withPeople } from '#test/support/stores/people.ts';

test('a name above or below the domain of another user is refused, spelled in any way', async () => {
  const program = await programOfAll();
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

test('SANDPOST_DOMAIN_SUFFIXES allows domains under them alone, reserves some to managed teams and namespaces, and each team learns its own', async () => {
  const dataDir = await temporaryDir();
  const keyOf: Record<string, string> = {};
  const store = withPeople(await openSqliteStore({ dataDir }));
  for (const name of ['Shop', 'namespace/qa', 'namespace/pr-7']) {
    const createdAt = new Date();
    const team = await store.teams.insert({ name, kind: 'managed', founder: null, createdAt });
    const value = `sp_${newSecret()}`;
    const key = { name: 'tests', prefix: 'sp_', hash: hashSecret(value), createdBy: null, createdAt };
    await store.apiKeys.insert(team?.id ?? 0, key);
    keyOf[name] = value;
  }
  await store.close();
  const suffixes = 'dev.example, Test.,Shop=shop.example,namespace/qa=qa.example,{namespace}.pr.example';
  await using program = await startProgram({
    SANDPOST_DATA_DIR: dataDir,
    SANDPOST_DOMAIN_SUFFIXES: suffixes,
  });
  const { api, cookie } = await createUser(program);
  // Anybody may name a team like this.
  const { id: namesake } = (await api.post('/api/teams', { name: 'Shop' }, { headers: { cookie } })).json;
  const own = { namesake: new HttpClient(program, { cookie, 'x-team-id': String(namesake) }), personal: api };
  const clients = Object.entries(keyOf).map(([name, key]) => [
    name,
    new HttpClient(program, { 'x-api-key': key }),
  ]);
  const teams: Record<string, HttpClient> = { ...own, ...Object.fromEntries(clients) };
  for (const [team, allowed, refused, listed] of [
    [
      'personal',
      ['a.test', 'qa.dev.example', 'a.b.dev.example'],
      [
        ...['dev.example', 'gmail.com', 'dev.example.com', 'xdev.example'],
        ...['shop.example', 'a.shop.example', 'b.namespace.pr.example'],
      ],
      ['dev.example', 'test'],
    ],
    ['namesake', ['b.test'], ['shop.example', 'b.shop.example'], ['dev.example', 'test']],
    [
      'Shop',
      ['c.test', 'shop.example', 'c.shop.example'],
      ['c.qa.example', 'gmail.com'],
      ['shop.example', 'dev.example', 'test'],
    ],
    [
      'namespace/qa',
      ['qa.example', 'd.qa.pr.example'],
      ['d.pr-7.pr.example'],
      ['qa.example', 'qa.pr.example', 'dev.example', 'test'],
    ],
    ['namespace/pr-7', ['pr-7.pr.example'], ['e.qa.example'], ['pr-7.pr.example', 'dev.example', 'test']],
  ] as const) {
    const client = teams[team];
    assert.ok(client);
    for (const domain of allowed)
      assert.equal((await client.post('/api/domains', { domain })).status, 200, `${team} ${domain}`);
    for (const domain of refused) {
      const { status, json } = await client.post('/api/domains', { domain });
      assert.equal(status, 422, `${team} ${domain}`);
      assert.equal(json.violations[0].message, `must end in ${listed.join(' or ')}`);
    }
    assert.deepEqual((await client.get('/api/server')).json.domain_suffixes, listed);
  }
});

test('a team that has no suffix may register no domain', async () => {
  await using program = await startProgram({ SANDPOST_DOMAIN_SUFFIXES: 'Shop=shop.example' });
  const { headers } = await new HttpClient(program).post('/api/auth/register', {
    ...{ email: 'ada@example.com', password: 'correct horse' },
  });
  const cookie = headers['set-cookie']?.split(';')[0] ?? '';
  const { status, json } = await new HttpClient(program, { cookie }).post('/api/domains', {
    domain: 'a.shop.example',
  });
  assert.deepEqual([status, json.violations[0].message], [422, 'this team cannot register domains']);
});
