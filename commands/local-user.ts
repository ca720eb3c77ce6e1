import type { User } from '#core/access/access.ts';
import { addUser } from '#core/access/user-changes.ts';
import type { Account } from '#core/accounts/account.ts';
import { createAccount } from '#core/accounts/create-account.ts';
import { createDomain } from '#core/domains/create-domain.ts';
import type { Services } from '#setup/services.ts';

const email = 'you@sandpost.test';
const domain = 'sandpost.test';
export const inbox = `inbox@${domain}`;

/**
 * Finds the one user of `sandpost dev` with the account of its mail, and makes what is missing: the user, a domain, and the
 * account, which captures. Throws an error of one sentence where another team of the store has the domain.
 */
export async function openLocalUser(services: Services): Promise<{ user: User; account: Account }> {
  const { people, users, domains, accounts, clock } = services;
  const found = await users.find({ email });
  const user = found?.user ?? (await people.change(addUser, { email, passwordHash: null, now: clock() }));
  if ((await domains.findByName(user.id, domain)) === null) {
    const wanted = { name: domain, verified: true, active: true, managedBy: null };
    await createDomain({ ...services, domainSuffixes: [] }, user.id, wanted).catch(() => {
      throw new Error(
        `${domain} belongs to another team of this store: set SANDPOST_DATA_DIR to another folder, or run sandpost start`,
      );
    });
  }
  const [account] = (await accounts.list(user.id, { address: inbox }, { page: 1, limit: 1 })).items;
  if (account !== undefined) return { user, account };
  const capture = (await accounts.findCapture(user.id)) === null;
  return {
    user,
    account: await createAccount(services, user.id, { address: inbox, capture, managedBy: null }),
  };
}
