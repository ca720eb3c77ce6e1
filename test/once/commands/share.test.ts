import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runCommand } from '#test/support/program/command.ts';
import { deliverOne } from '#test/support/program/program-mail.ts';
import { scene } from '#test/support/program/scene.ts';
import { ok } from '#test/support/program/user.ts';

const { program, user } = await scene();
const env = { SANDPOST_URL: `${program.baseUrl}/`, SANDPOST_API_KEY: user.key };
const run = (args: string[], more = {}) => runCommand(['share', ...args], { ...env, ...more });

test('prints the address of a link to a message, or to an account', async () => {
  const id = await deliverOne(program, { to: user.address });
  for (const [target, expires, days] of [
    [String(id), [], 7],
    [user.address, ['--expires', '1d'], 1],
  ] as const) {
    const { code, out, err } = await run([target, ...expires]);
    assert.deepEqual([code, err], [0, '']);
    assert.match(out, /^http:\/\/localhost:8080\/s\/[\w-]{43}\n$/);
    const [share] = (await ok(user.api.get('/api/shares'))).items;
    assert.equal(Date.parse(share.expires_at) - Date.parse(share.created_at), days * 86_400_000);
    assert.equal(share.message_id === id, target === String(id));
  }
});

for (const [why, args, more, sentence] of [
  ['an unknown message', ['999999'], {}, /422: .*/],
  ['an unknown account', ['nobody@app.test'], {}, /no account has the address nobody@app\.test/],
  ['a wrong time', ['1', '--expires', 'soon'], {}, /422/],
  ['a wrong key', ['1'], { SANDPOST_API_KEY: 'sp_x' }, /401/],
  ['no target', [], {}, /name one target/],
  ['no server', ['1'], { SANDPOST_URL: 'http://127.0.0.1:1' }, /sandpost share: /],
] as const)
  test(`says why there is no link: ${why}`, async () => {
    const { code, out, err } = await run([...args], more);
    assert.deepEqual([code, out], [2, '']);
    assert.match(err, sentence);
  });
