import { createDomain } from '#core/domains/create-domain.ts';
import type { Id } from '#core/ids.ts';
import type { Account, AccountStore } from './account.ts';
import { createAccount } from './create-account.ts';

type Ports = Parameters<typeof createAccount>[0] &
  Parameters<typeof createDomain>[0] & { accounts: Pick<AccountStore, 'list' | 'findCapture'> };

/**
 * Finds the account of an address, and makes what is missing: its domain, verified by hand, and the account. It captures, unless
 * another of the team does, and simulates failures. Many processes may run it at once and repeat it. Throws Invalid as `createDomain`
 * and `createAccount` do.
 */
export async function openCapture(ports: Ports, team: Id, address: string): Promise<Account> {
  const { domains, accounts } = ports;
  const find = async () => (await accounts.list(team, { address }, { page: 1, limit: 1 })).items[0];
  const found = await find();
  if (found !== undefined) return found;
  const name = address.slice(address.lastIndexOf('@') + 1);
  if ((await domains.find(team, name)) === null) {
    const wanted = { name, verified: true, active: true, managedBy: null };
    await createDomain(ports, team, wanted).catch(async (error: unknown) => {
      // Another process may have made it meanwhile.
      if ((await domains.find(team, name)) === null) throw error;
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
