import { createContext, Script } from 'node:vm';
import { processorMs } from './processor-time.ts';

/** Error of work that took too long. */
export class Interrupted extends Error {
  override name = 'Interrupted';
}

/** Error of inner work after the outer work's time is up. */
export class OuterInterrupted extends Error {}

/** Maximum attempts if the machine's other work uses up the time. */
const mostAttempts = 5;

const script = new Script('work()');
const scope = createContext({ work: null });
/** Wall-clock time at which the current work is interrupted. */
let endsAt = Number.POSITIVE_INFINITY;

/**
 * Runs synchronous work for at most about `ms` of processor time, then throws Interrupted. Node can interrupt a script after a wall-clock
 * time, even within a regular expression (nodejs.org/api/vm.html, `timeout`). If the machine's other work used up that time, runs the
 * work again. An interruption skips the work's `finally` blocks, so the work must not leave modules in a half-finished state. If inner
 * work is interrupted when the outer work's time is also up, Node interrupts only the inner call, which throws OuterInterrupted. The
 * outer work must pass this error on. Not a sandbox.
 */
export function withTimeLimit<Result>(ms: number, work: () => Result): Result {
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

/** Starts a turn of this thread, limited in processor time. */
export function beginTurn(ms: number): void {
  turn = { ms, begun: processorMs() };
}

/** Runs synchronous work for at most one turn of this thread. Throws Interrupted. */
export function inTurn<Result>(work: () => Result): Result {
  return turn.ms === Number.POSITIVE_INFINITY ? work() : withTimeLimit(turn.ms, work);
}

/** Interrupts work between two steps if this thread's turn is up. Throws Interrupted. */
export function checkTurn(): void {
  if (turn.ms < Number.POSITIVE_INFINITY && processorMs() - turn.begun > turn.ms) throw interrupted(turn.ms);
}

function interrupted(ms: number): Interrupted {
  return new Interrupted(`took more than ${ms} ms and was stopped`);
}

/** Checks the error of the script, which comes from another realm. */
function isTimeout(error: unknown): boolean {
  return Object(error).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
}
