import assert from 'node:assert/strict';
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { Program } from '#test/support/program/program.ts';
import type { User } from '#test/support/program/user.ts';
import type { Probes, Target } from './prober.ts';

/**
 * Worst values that a user saw during an attack. Times are milliseconds above those of an idle server on the same machine at the
 * same time. Memory is bytes above the use of the program's processes at rest.
 */
export type Harm = {
  answerMs: number;
  greetingMs: number;
  deliveryMs: number;
  sendMs: number;
  memoryBytes: number;
};

const sampleMs = 25;

/** Maximum times in ms that a user may see. */
const most = { answerMs: 250, greetingMs: 250, deliveryMs: 2000, sendMs: 250 };
const times = ['answerMs', 'greetingMs', 'deliveryMs', 'sendMs'] as const;

type Options = {
  /** Also lets the victim send by the API. */
  sends?: boolean;
  /**
   * The attack stores mail. That delays a sent message like any delivery, which has a separate bound, so only its time beyond a
   * delivery's counts.
   */
  stores?: boolean;
};

/**
 * Runs an attack while `victim`, in a separate process, reads lists, connects by SMTP and receives mail. Measures until the
 * attack has ended and one more of each probe is answered. Repeats an attack that seems to do harm, up to twice, and returns the
 * shortest times: harm recurs with each attack, a delay of the machine does not.
 */
export async function measureHarm(
  program: Program,
  victim: User,
  attack: () => Promise<unknown>,
  options: Options = {},
): Promise<Harm> {
  const harm = await measureHarmOnce(program, victim, attack, options);
  for (let again = 0; again < 2 && times.some((name) => harm[name] > most[name]); again += 1) {
    console.error(`measured again after ${JSON.stringify(harm)}`);
    const next = await measureHarmOnce(program, victim, attack, options);
    for (const name of times) harm[name] = Math.min(harm[name], next[name]);
    harm.memoryBytes = Math.max(harm.memoryBytes, next.memoryBytes);
  }
  return harm;
}

/**
 * Maximum bytes that a program has used at rest so far. After garbage collection it uses less, but growing back to this value is
 * no attack's use.
 */
const rests = new WeakMap<Program, number>();

/** Process that probes for all the file's tests: its start takes longer than many attacks. */
let shared: ChildProcess | null = null;

function proberOfAll(): ChildProcess {
  if (shared !== null) return shared;
  const prober = fork(new URL('./prober.ts', import.meta.url), [], { execArgv: [] });
  prober.unref();
  prober.channel?.unref();
  shared = prober;
  return prober;
}

async function measureHarmOnce(
  program: Program,
  victim: User,
  attack: () => Promise<unknown>,
  { sends = false, stores = false }: Options,
): Promise<Harm> {
  const prober = proberOfAll();
  const ended = Promise.withResolvers<never>();
  ended.promise.catch(() => {});
  const onExit = (code: number | null) =>
    ended.reject(new Error(`the prober failed with ${code}; its error is on stderr`));
  prober.once('exit', onExit);
  const told = async (): Promise<unknown> =>
    (await Promise.race([once(prober, 'message'), ended.promise]))[0];
  let probes: Probes | null = null;
  try {
    prober.send({
      httpPort: program.httpPort,
      smtpPort: program.smtpPort,
      key: victim.key,
      address: victim.address,
      sender: sends ? victim.account.id : null,
    } satisfies Target);
    await told();
    const rest = Math.max(residentBytes(program), rests.get(program) ?? 0);
    rests.set(program, rest);
    let most = rest;
    const sampler = setInterval(() => {
      most = Math.max(most, residentBytes(program));
    }, sampleMs);
    await attack().finally(() => clearInterval(sampler));
    prober.send('end');
    probes = (await told()) as Probes;
    const deliveryMs = Math.max(0, probes.deliveryMs - probes.idleServerMs);
    return {
      answerMs: Math.max(0, probes.answerMs - probes.idleServerMs),
      greetingMs: Math.max(0, probes.greetingMs - probes.idleServerMs),
      deliveryMs,
      sendMs: Math.max(0, probes.sendMs - probes.idleServerMs - (stores ? deliveryMs : 0)),
      memoryBytes: most - rest,
    };
  } finally {
    prober.off('exit', onExit);
    if (probes === null) {
      prober.kill('SIGKILL');
      shared = null;
    }
  }
}

/** Checks that no response, greeting or sending took over 250 ms, no delivery over 2 s, and that memory rose by at most 200 MB. */
export function assertUnharmed(harm: Harm, { memoryBytes = 200e6 }: { memoryBytes?: number } = {}): void {
  const text = JSON.stringify(harm);
  assert.ok(harm.answerMs <= most.answerMs, `an answer took too long: ${text}`);
  assert.ok(harm.greetingMs <= most.greetingMs, `a greeting took too long: ${text}`);
  assert.ok(harm.deliveryMs <= most.deliveryMs, `a delivery took too long: ${text}`);
  assert.ok(harm.sendMs <= most.sendMs, `sending took too long: ${text}`);
  assert.ok(harm.memoryBytes <= memoryBytes, `too much memory: ${text}`);
}

/** Returns the resident memory of all the program's processes in bytes. Throws if a process has ended. */
function residentBytes(program: Program): number {
  const sizes = program.pids.map((pid) => {
    const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    if (kilobytes === undefined) throw new Error(`process ${pid} of the program has ended`);
    return Number(kilobytes) * 1024;
  });
  return sizes.reduce((sum, size) => sum + size, 0);
}
