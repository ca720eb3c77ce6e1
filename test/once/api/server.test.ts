import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HttpClient } from '#test/support/clients/http.ts';
import { type Program, startProgram } from '#test/support/program/program.ts';
import { deliverOne } from '#test/support/program/program-mail.ts';
import { createTeam } from '#test/support/program/team.ts';
import { createUser, ok } from '#test/support/program/user.ts';

test('a signed-in user gets the addresses that take mail and the hosts for MX records, and links of its base URL', async () => {
  await using program: Program = await startProgram({
    SANDPOST_BASE_URL: 'https://mail.example.com/',
    SANDPOST_MX_HOSTS: 'mx1.example.com,mx2.example.com',
    SANDPOST_DOMAIN_SUFFIXES: 'staging.example.com,test',
  });
  const { api, email, address } = await createUser(program);
  const server = await ok(api.get('/api/server'));
  assert.equal(server.smtp.host, 'mail.example.com');
  assert.equal(server.smtp.port, 0, 'as it is set');
  assert.deepEqual(server.mx_hosts, ['mx1.example.com', 'mx2.example.com']);
  assert.deepEqual(server.domain_suffixes, ['staging.example.com', 'test']);
  const name = `${email.split('@')[0]}.staging.example.com`;
  assert.equal(server.proposed_domain, name);
  const stranger = await createUser(program);
  await ok(stranger.api.post('/api/domains', { domain: `below.${name}` }));
  const next = (await ok(api.get('/api/server'))).proposed_domain;
  assert.equal(next, name.replace('.', '-2.'), 'a name above one of somebody else is not free');
  await ok(api.post('/api/domains', { domain: next }));
  const team = await createTeam(program, stranger, 'checkout');
  assert.equal((await ok(team.api.get('/api/server'))).proposed_domain, 'checkout.staging.example.com');
  assert.equal((await new HttpClient(program).get('/api/server')).status, 401);
  const id = await deliverOne(program, { to: address });
  const { sourceUrl } = await ok(api.get(`/api/messages/${id}`));
  assert.match(sourceUrl, /^https:\/\/mail\.example\.com\/api\/accounts\//);
});
