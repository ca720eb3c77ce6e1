import { after } from 'node:test';
import { type DnsServer, startDnsServer } from '#test/support/clients/dns-server.ts';
import { type Process, startProcess } from './process.ts';
import { type Program, startProgram, temporaryDir } from './program.ts';
import { createUser, type User } from './user.ts';

/** Stops what was started after all the file's tests have ended. Call it before the first test. */
export async function forAllTests<T extends { stop(): Promise<unknown> }>(starting: Promise<T>): Promise<T> {
  const started = await starting;
  after(() => started.stop());
  return started;
}

/** Program shared by all files in the process, and the DNS server that it queries. */
type OfAll = { program: Program; dns: DnsServer };
let ofAll: Promise<OfAll> | null = null;
let devOfProcess: Promise<Process> | null = null;

/** Stops the shared programs. */
export async function stopProgramOfAll(): Promise<void> {
  await (await devOfProcess)?.stop();
  const shared = await ofAll;
  await shared?.program.stop();
  await shared?.dns.close();
}
after(stopProgramOfAll);

/**
 * Returns the real program, which all files in the process share, and its DNS server. Starting the program takes longer than most
 * tests. Separate users keep files apart, and its limits on calls and registrations exceed what all files need. A file that stops
 * the program, or counts everything in it, starts its own.
 */
export async function sharedProgram(): Promise<OfAll> {
  // Promise of this file: node:test attributes what follows an `await` to the file that created the promise.
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

/** Returns `sandpost dev`, which all files in the process share. Separate addresses keep them apart. */
export async function devOfAll(): Promise<Process> {
  devOfProcess ??= temporaryDir().then((dir) => startProcess('dev', { SANDPOST_DATA_DIR: dir }));
  return await devOfProcess;
}

/** Returns the program of `sharedProgram`. */
export const programOfAll = async (): Promise<Program> => (await sharedProgram()).program;

/** Returns the real program with a user, for all the file's tests. With settings, the file gets its own program. */
export async function scene(settings?: Record<string, string>): Promise<{ program: Program; user: User }> {
  const program = await (settings === undefined ? programOfAll() : forAllTests(startProgram(settings)));
  return { program, user: await createUser(program) };
}
