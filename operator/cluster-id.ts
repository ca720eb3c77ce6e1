import type { ApiClient } from './api-client.ts';
import { sentenceOf, statusCodeOf } from './api-errors.ts';
import { backoffMs } from './backoff.ts';
import { pause } from './pause.ts';

/** Tells a cluster from others: the UID of its namespace kube-system, which is made with it and stays. */
export type ClusterId = {
  /** Asks until it is known or `signal` is aborted. */
  run(signal: AbortSignal): Promise<void>;
  /** Null while it is not known. */
  get(): string | null;
  /** Why it is not known yet, for a person. */
  trouble(): string;
};

const retry = { baseMs: 200, capMs: 10_000 };

/** `given` takes the place of the UID, for a cluster that continues another, or an operator that may not look. */
export function createClusterId(
  { core }: Pick<ApiClient, 'core'>,
  given: string | null,
  onTrouble: (why: string) => void,
): ClusterId {
  let id = given;
  let why = 'the API server has not been asked yet';
  return {
    async run(signal) {
      for (let failures = 1; id === null && !signal.aborted; failures++) {
        try {
          id = (await core.readNamespace({ name: 'kube-system' })).metadata?.uid ?? null;
        } catch (error) {
          const isForbidden = statusCodeOf(error) === 403;
          why = isForbidden ? 'it may not be read: allow it, or set SANDPOST_CLUSTER_ID' : sentenceOf(error);
          onTrouble(why);
          await pause(backoffMs(failures, retry), signal);
        }
      }
    },
    get: () => id,
    trouble: () => why,
  };
}
