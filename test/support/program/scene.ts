import { after } from 'node:test';
import { type DnsServer, startDnsServer } from '#test/support/clients/dns-server.ts';
import { type Program, startProgram } from './program.ts';
import { createUser, type User } from './user.ts';

/** Stops what was started when all tests of the file have ended. Belongs before the first of them. */
export async function forAllTests<T extends { stop(): Promise<unknown> }>(starting: Promise<T>): Promise<T> {
  const started = await starting;
  after(() => started.stop());
  return started;
}

/** Program of all files of the process, and the DNS server that it asks. */
type OfAll = { program: Program; dns: DnsServer };
let ofAll: Promise<OfAll> | null = null;

/** Stops the program of all files. */
export async function stopProgramOfAll(): Promise<void> {
  if (ofAll === null) return;
  const { program, dns } = await ofAll;
  await program.stop();
  await dns.close();
}
after(stopProgramOfAll);

/**
 * Returns the real program, which all files of the process share, and its DNS server. The program's start takes longer than most tests.
 * Users of their own keep files apart, and its bounds on calls and registrations are beyond what all files need. A file that stops the
 * program, or counts what is in all of it, starts its own.
 */
export async function sharedProgram(): Promise<OfAll> {
  // A promise of this file's own: node:test takes what follows an `await` for part of the file that made the promise.
  ofAll ??= startDnsServer().then(async (dns) => {
    const program = await startProgram({
      SANDPOST_DNS_SERVERS: dns.address,
      SANDPOST_RATE_LIMIT: '1000000',
      SANDPOST_TRUSTED_PROXIES: '127.0.0.1',
    });
    return { program, dns };
  });
  return await ofAll;
}

/** Returns the program of `sharedProgram`. */
export const programOfAll = async (): Promise<Program> => (await sharedProgram()).program;

/** Returns the real program with a user, for all tests of the file. With settings, the program is the file's own. */
export async function scene(settings?: Record<string, string>): Promise<{ program: Program; user: User }> {
  const program = await (settings === undefined ? programOfAll() : forAllTests(startProgram(settings)));
  return { program, user: await createUser(program) };
}
