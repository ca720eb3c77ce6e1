import { directory, reloadDirectory } from '../client/directory.ts';
import type { Problem } from '../client/shapes.ts';
import { attempt } from '../parts/call.ts';

/**
 * Makes an account that captures, and its domain unless that exists. The domain counts as verified. Returns the problem that stopped it,
 * or null. The directory is reloaded after each step, so that another try does not make the domain again.
 */
export async function makeFirst(domain: string, local: string): Promise<Problem | null> {
  if (!directory.value?.domains.some((known) => known.domain === domain)) {
    const body = { domain, mx_verified: true };
    const refused = await attempt({ method: 'POST', path: '/api/domains', body }, reloadDirectory);
    if (refused) return refused;
  }
  const body = { address: `${local}@${domain}`, is_capture: true };
  return attempt({ method: 'POST', path: '/api/accounts', body }, reloadDirectory);
}
