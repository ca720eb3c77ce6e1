import { directory, reloadDirectory } from '../client/directory.ts';
import type { Problem } from '../client/shapes.ts';
import { attempt } from '../parts/call.ts';

/**
 * Makes a domain, which counts as verified, unless it is there, and an account on it. Gives what stood in the way, or null.
 * What was made is in the directory, so that another try does not make the domain again.
 */
export async function makeFirst(domain: string, local: string): Promise<Problem | null> {
  if (!directory.value?.domains.some((known) => known.domain === domain)) {
    const body = { domain, mx_verified: true };
    const refused = await attempt({ method: 'POST', path: '/api/domains', body }, reloadDirectory);
    if (refused) return refused;
  }
  const body = { address: `${local}@${domain}` };
  return attempt({ method: 'POST', path: '/api/accounts', body }, reloadDirectory);
}
