import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HttpClient } from '#test/support/clients/http.ts';
import { type Program, startProgram } from '#test/support/program/program.ts';
import { createUser, ok } from '#test/support/program/user.ts';

test('who is signed in learns where mail goes in and what an MX record may point at', async () => {
  await using program: Program = await startProgram({
    SANDPOST_BASE_URL: 'https://mail.example.com',
    SANDPOST_MX_HOSTS: 'mx1.example.com,mx2.example.com',
  });
  const { api } = await createUser(program);
  const server = await ok(api.get('/api/server'));
  assert.equal(server.smtp.host, 'mail.example.com');
  assert.equal(server.smtp.port, 0, 'as it is set');
  assert.deepEqual(server.mx_hosts, ['mx1.example.com', 'mx2.example.com']);
  assert.equal((await new HttpClient(program).get('/api/server')).status, 401);
});
