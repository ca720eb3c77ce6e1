import { ApiError } from '../client/request.ts';
import { tell } from '../parts/toast.tsx';

const atOnce = 6;

/** Runs `act` for each id, some at a time. Shows the last error, and returns the ids that failed. A 404 is no failure. */
export async function runAll(ids: number[], act: (id: number) => Promise<unknown>): Promise<number[]> {
  const queue = [...ids];
  const failed: number[] = [];
  let why = '';
  const worker = async () => {
    for (let id = queue.shift(); id !== undefined; id = queue.shift()) {
      try {
        await act(id);
      } catch (error) {
        if (error instanceof ApiError && error.status === 404) continue;
        failed.push(id);
        why = error instanceof Error ? error.message : String(error);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, ids.length) }, worker));
  if (failed.length > 0) tell(failed.length === 1 ? why : `${failed.length} of ${ids.length} failed: ${why}`);
  return failed;
}
