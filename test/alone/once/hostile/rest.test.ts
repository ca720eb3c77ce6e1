import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertUnharmed, measureHarm } from '#test/support/hostile/measure-harm.ts';
import { startProgram } from '#test/support/program/program.ts';
import { createUser } from '#test/support/program/user.ts';
import { lasting } from '#test/support/runner/clocks.ts';

test('nobody is harmed while nothing happens', async () => {
  await using program = await startProgram();
  const victim = await createUser(program);
  assertUnharmed(await measureHarm(program, victim, () => lasting(1000)));
});

test('the probes notice a stopped program', async () => {
  await using program = await startProgram();
  const victim = await createUser(program);
  const harm = await measureHarm(program, victim, async () => {
    for (const pid of program.pids) process.kill(pid, 'SIGSTOP');
    await lasting(600);
    for (const pid of program.pids) process.kill(pid, 'SIGCONT');
  });
  assert.ok(harm.answerMs > 400 && harm.greetingMs > 400, JSON.stringify(harm));
  assert.throws(() => assertUnharmed(harm));
});
