import { after } from 'node:test';
import { type Program, startProgram } from './program.ts';
import { createUser, type User } from './user.ts';

/** Stops what was started when all tests of the file have ended. Belongs before the first of them. */
export async function forAllTests<T extends { stop(): Promise<unknown> }>(starting: Promise<T>): Promise<T> {
  const started = await starting;
  after(() => started.stop());
  return started;
}

/** Starts the real program with a user, for all tests of the file. */
export async function scene(
  settings: Record<string, string> = {},
): Promise<{ program: Program; user: User }> {
  const program = await forAllTests(startProgram(settings));
  return { program, user: await createUser(program) };
}
