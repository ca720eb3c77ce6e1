import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createTransport, type Transporter } from 'nodemailer';
import { assertAttempts, failing, type Scene, startScene } from './scene.ts';

let scene: Scene;
let pools: Transporter[];
before(async () => {
  scene = await startScene();
  pools = scene.ports.map((port) => createTransport({ host: '127.0.0.1', port, pool: true }));
});
after(async () => {
  for (const pool of pools) pool.close();
  await scene.stop();
});

/** Sends an email. Returns the reply code, or the error if no reply arrived. */
async function send(pool: Transporter, to: string): Promise<number | string> {
  try {
    const { response } = await pool.sendMail({ from: 's@sender.test', to, text: 'Hello' });
    return Number(response?.slice(0, 3));
  } catch (error) {
    const { responseCode, code } = error as { responseCode?: number; code?: string };
    return responseCode ?? `${code}`;
  }
}

/** Sends that many emails at the same time, each in up to `tries` attempts, with one pool per process. Returns all results, sorted. */
async function sendMany(to: string, count: number, tries: number): Promise<(number | string)[]> {
  const results = await Promise.all(
    Array.from({ length: count }, async (_, n) => {
      const codes = [];
      while (codes.length < tries && codes.at(-1) !== 250)
        codes.push(await send(pools[(n + codes.length) % pools.length] ?? assert.fail(), to));
      return codes;
    }),
  );
  return results.flat().sort();
}

test('a pool tells of each refusal, and does not try again itself', async () => {
  const team = await scene.team('told');
  const rule = await failing(team, { reply: '451 4.7.1 Try again', times: 4 });
  assert.deepEqual(await sendMany(team.address, 10, 1), [...Array(6).fill(250), ...Array(4).fill(451)]);
  await assertAttempts(team, rule, { failed: 4, passed: 6, stored: 6 });
});

for (const action of ['drop', 'reset']) {
  test(`a pool tries again itself where a rule ends a connection that it has used before: ${action}`, async () => {
    const team = await scene.team(`again-${action}`);
    const before = await sendMany(team.address, 1, 1);
    const rule = await failing(team, { action, stage: 'data', times: 1 });
    const after = await sendMany(team.address, 1, 1);
    assert.deepEqual([before, after], [[250], [250]]);
    await assertAttempts(team, rule, { failed: 1, passed: 1, stored: 2 });
  });

  test(`all mails of many connections arrive, whoever tries again: ${action}`, async () => {
    const team = await scene.team(`many-${action}`);
    const rule = await failing(team, { action, stage: 'data', times: 5 });
    const taken = (await sendMany(team.address, 12, 9)).filter((code) => code === 250);
    assert.equal(taken.length, 12);
    await assertAttempts(team, rule, { failed: 5, passed: 12, stored: 12 });
  });
}
