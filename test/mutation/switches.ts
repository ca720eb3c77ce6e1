import { readFileSync } from 'node:fs';
import { getEnvironmentData, setEnvironmentData } from 'node:worker_threads';
import { changeVariable, noChange, type Plan, planVariable } from './plan.ts';

/**
 * Places in the memory that all threads of a process share: the active change, how often it may be reached, how often it
 * was reached, and a count for each change.
 */
const [activeAt, limitAt, hitsAt, countsAt] = [0, 1, 2, 3];

export const plan: Plan = JSON.parse(readFileSync(process.env[planVariable] ?? '', 'utf8'));

const memory = sharedMemory();

function sharedMemory(): Int32Array {
  const key = 'sandpost-mutation';
  const inherited = getEnvironmentData(key);
  if (inherited instanceof SharedArrayBuffer) return new Int32Array(inherited);
  const buffer = new SharedArrayBuffer(4 * (countsAt + plan.changes));
  setEnvironmentData(key, buffer);
  const made = new Int32Array(buffer);
  made[activeAt] = Number(process.env[changeVariable] ?? noChange);
  made[limitAt] = 2 ** 31 - 1;
  return made;
}

/** Makes a change active in all threads. */
export function activate(change: number, limit: number): void {
  memory[hitsAt] = 0;
  memory[limitAt] = limit;
  memory[activeAt] = change;
}

/** Returns the changes reached since the last call. */
export function takeReached(): [change: number, times: number][] {
  const reached = Array.from(memory.subarray(countsAt), (times, change): [number, number] => [change, times]);
  memory.fill(0, countsAt);
  return reached.filter(([, times]) => times > 0);
}

// Functions that StrykerJS's instrumenter calls from the sources that it changed.
Object.assign(globalThis, {
  stryMutAct_9fa48(change: string): boolean {
    if (memory[activeAt] !== Number(change)) return false;
    memory[hitsAt] = (memory[hitsAt] ?? 0) + 1;
    if ((memory[hitsAt] ?? 0) > (memory[limitAt] ?? 0)) throw new Error('the change made an endless loop');
    return true;
  },
  stryCov_9fa48(...changes: string[]): void {
    for (const change of changes) {
      const place = countsAt + Number(change);
      memory[place] = (memory[place] ?? 0) + 1;
    }
  },
});
