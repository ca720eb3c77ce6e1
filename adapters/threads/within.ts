import { createContext, Script } from 'node:vm';
import { processorMs } from './processor-time.ts';

/** Error of work that took too long. */
export class Interrupted extends Error {
  override name = 'Interrupted';
}

/** Error of inner work where the time of the outer work is over. */
export class OuterInterrupted extends Error {}

/** Attempts while other work of the machine takes the time. */
const mostAttempts = 5;

const script = new Script('work()');
const scope = createContext({ work: null });
/** Time by the clock at which the work that runs is interrupted. */
let endsAt = Number.POSITIVE_INFINITY;

/**
 * Runs synchronous work for at most about `ms` of processor time. Throws Interrupted then: Node can interrupt a script after a time by
 * the clock, also within a regular expression (nodejs.org/api/vm.html, `timeout`). Where other work of the machine took that time, the
 * work is run again. No `finally` of the work is run, so that it must leave nothing in modules half done. Where the time of inner work is
 * over too, Node interrupts that alone: the inner call throws OuterInterrupted, which the outer work must pass on. It is no sandbox.
 */
export function within<Result>(ms: number, work: () => Result): Result {
  const outerEndsAt = endsAt;
  for (let attempt = 1; ; attempt += 1) {
    const begun = processorMs();
    endsAt = Math.min(outerEndsAt, performance.now() + ms);
    try {
      return script.runInContext(Object.assign(scope, { work }), { timeout: ms });
    } catch (error) {
      if (performance.now() >= outerEndsAt) throw new OuterInterrupted();
      if (!isTimeout(error) && !(error instanceof OuterInterrupted)) throw error;
      if (processorMs() - begun >= ms / 2 || attempt === mostAttempts) throw interrupted(ms);
    } finally {
      endsAt = outerEndsAt;
    }
  }
}

let turn = { ms: Number.POSITIVE_INFINITY, begun: 0 };

/** Begins a turn of this thread, of some processor time. */
export function beginTurn(ms: number): void {
  turn = { ms, begun: processorMs() };
}

/** Runs synchronous work for at most a turn of this thread. Throws Interrupted. */
export function inTurn<Result>(work: () => Result): Result {
  return turn.ms === Number.POSITIVE_INFINITY ? work() : within(turn.ms, work);
}

/** Interrupts work between two of its steps where the turn of this thread is over. Throws Interrupted. */
export function checkTurn(): void {
  if (turn.ms < Number.POSITIVE_INFINITY && processorMs() - turn.begun > turn.ms) throw interrupted(turn.ms);
}

function interrupted(ms: number): Interrupted {
  return new Interrupted(`took more than ${ms} ms and was stopped`);
}

/** Checks the error of the script, which is of another realm. */
function isTimeout(error: unknown): boolean {
  return Object(error).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
}
