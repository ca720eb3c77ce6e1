import { LinkedController } from '#core/linked-controller.ts';
import type { Call } from './route.ts';

type AllowedCall = Pick<Call<string, unknown, unknown, 'identified'>, 'credentials' | 'caller' | 'signal'>;

/**
 * Runs long work, and ends it when the request's credential ends. The result never contains mail that arrived after the credential ended.
 * Throws Unauthenticated and what `authorize` throws, before any error of the work.
 */
export async function whileAllowed<T>(
  { credentials, caller, signal }: AllowedCall,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  using ended = new LinkedController(signal);
  const unwatch = credentials.follow(caller, () => ended.abort());
  const [outcome] = await Promise.allSettled([work(ended.signal)]);
  unwatch();
  await credentials.requireValid(caller);
  if (outcome.status === 'rejected') throw outcome.reason;
  return outcome.value;
}
