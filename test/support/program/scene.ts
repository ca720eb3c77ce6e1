import { after } from 'node:test';
import { type Program, startProgram } from './program.ts';
import { createUser, type User } from './user.ts';

/** Stops what was started when all tests of the file have ended. Belongs before the first of them. */
export async function forAllTests<T extends { stop(): Promise<unknown> }>(starting: Promise<T>): Promise<T> {
  const started = await starting;
  after(() => started.stop());
  return started;
}

let ofAll: Promise<Program> | null = null;
/** Stops the program of all files. */
export const stopProgramOfAll = async () => void (await (await ofAll)?.stop());
after(stopProgramOfAll);

/**
 * Returns the real program with its usual settings, which all files of the process share. Its start takes longer than most tests, and
 * users of their own keep them apart. A file that stops the program, or counts what is in all of it, starts its own.
 */
export async function programOfAll(): Promise<Program> {
  // A promise of this file's own: node:test takes what follows an `await` for part of the file that made the promise.
  ofAll ??= startProgram();
  return await ofAll;
}

/** Returns the real program with a user, for all tests of the file. With settings, the program is the file's own. */
export async function scene(settings?: Record<string, string>): Promise<{ program: Program; user: User }> {
  const program = await (settings === undefined ? programOfAll() : forAllTests(startProgram(settings)));
  return { program, user: await createUser(program) };
}
