import { createDomain } from '#core/domains/create-domain.ts';
import type { Id } from '#core/ids.ts';
import type { Account, AccountStore } from './account.ts';
import { changeAccount } from './change-account.ts';
import { createAccount } from './create-account.ts';

type Ports = Parameters<typeof createAccount>[0] &
  Parameters<typeof createDomain>[0] & { accounts: Pick<AccountStore, 'list' | 'find' | 'findCapture'> };

/**
 * Finds the account with the given address. If there is none, creates its domain, verified manually, and the account, which simulates
 * failures. Makes the account the capture account unless the team already has another. Many processes may run this function at the same
 * time and repeatedly. Throws Invalid as `createDomain`, `createAccount` and `changeAccount` do.
 */
export async function ensureCaptureAccount(ports: Ports, team: Id, address: string): Promise<Account> {
  const { rows, accounts } = ports;
  const find = async () => (await accounts.list(team, { address }, { page: 1, limit: 1 })).items[0];
  const found = await find();
  if (found !== undefined) {
    if (found.capture) return found;
    // Another process may have made an account the capture account in the meantime.
    if (![null, found.address].includes(await accounts.findCapture(team))) return found;
    return changeAccount(ports, team, found.id, { capture: true });
  }
  const name = address.slice(address.lastIndexOf('@') + 1);
  if ((await rows.read('domain', { team, domain: name })) === null) {
    const wanted = { name, verified: true, active: true, managedBy: null };
    await createDomain(ports, team, wanted).catch(async (error: unknown) => {
      // Another process may have created the account in the meantime.
      if ((await rows.read('domain', { team, domain: name })) === null) throw error;
    });
  }
  const capture = (await accounts.findCapture(team)) === null;
  const wanted = { address, capture, simulatesFailures: true, managedBy: null };
  return createAccount(ports, team, wanted).catch(async (error: unknown) => {
    const made = await find();
    if (made === undefined) throw error;
    return made;
  });
}
