import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertUnharmed, feel } from '#test/support/hostile/feel.ts';
import { startProgram } from '#test/support/program/program.ts';
import { createUser } from '#test/support/program/user.ts';
import { lasting } from '#test/support/runner/clocks.ts';

test('nobody is harmed while nothing happens', async () => {
  await using program = await startProgram();
  const victim = await createUser(program);
  assertUnharmed(await feel(program, victim, () => lasting(1000)));
});

test('the probes notice a stopped program', async () => {
  await using program = await startProgram();
  const victim = await createUser(program);
  const felt = await feel(program, victim, async () => {
    for (const pid of program.pids) process.kill(pid, 'SIGSTOP');
    await lasting(600);
    for (const pid of program.pids) process.kill(pid, 'SIGCONT');
  });
  assert.ok(felt.answerMs > 400 && felt.greetingMs > 400, JSON.stringify(felt));
  assert.throws(() => assertUnharmed(felt));
});
