import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import { EventReader } from '#test/support/clients/http-events.ts';
import { McpWriter } from '#test/support/clients/mcp.ts';
import { startProgram } from '#test/support/program/program.ts';
import { createUser } from '#test/support/program/user.ts';

test('at SIGTERM streams get a last retry, waits their answer, and the program ends well', async () => {
  const program = await startProgram();
  const user = await createUser(program);
  await using stream = await EventReader.open(user.api);
  const waiting = user.api.get('/api/messages?wait=120');
  const forNone = user.api.get('/api/messages?wait=120&expect=none');
  const asserted = user.api.post('/api/assert', { find: { wait: 120 }, expect: [] });
  const mcp = new McpWriter(program, { authorization: `Bearer ${user.key}` });
  const given = { name: 'wait_for_mail', arguments: { address: user.address, within: 50 } };
  const byTool = [mcp.request('tools/call', given), mcp.requestBefore('tools/call', given)];
  // Browsers open connections in advance.
  const unused = connect(program.httpPort, '127.0.0.1');
  await once(unused, 'connect');
  // The waits have started when a later request on another connection is answered.
  await user.api.get('/api/health');
  const begun = performance.now();
  const stopped = program.stop();
  await stream.ended;
  assert.deepEqual(stream.frames, [{ retry: '2000' }, { retry: '2000' }]);
  const { status, headers } = await waiting;
  assert.equal(status, 200);
  assert.equal(headers['x-wait-result'], 'timeout');
  // Its time has not expired, so a message might still have arrived.
  assert.equal((await forNone).status, 503);
  assert.equal((await asserted).status, 503);
  for (const { json } of await Promise.all(byTool)) {
    assert.equal(json.result.isError, true);
    assert.match(json.result.content[0].text, /The wait was cut short/);
  }
  assert.equal(await stopped, 0);
  const ms = performance.now() - begun;
  assert.ok(ms < 10_000, `it took ${Math.round(ms)} ms`);
});
