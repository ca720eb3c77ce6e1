import type { Account } from '#core/accounts/account.ts';
import { deleteAccount } from '#core/accounts/change-account.ts';
import type { Id } from '#core/ids.ts';
import type { Services } from '#setup/services.ts';
import type { Objects } from './kind.ts';
import { kindOfManager } from './manager.ts';
import { audited } from './objects.ts';

/** Account as it is listed. Its mailboxes are not read. */
export type Listed = Omit<Account, 'mailboxes'>;

/**
 * Objects of a kind whose resources each stand for an account: under the account's address or, for kinds other than Account, under the
 * part before the @. Deleting a domain deletes its accounts.
 */
export function accountObjects(
  services: Services,
  kind: string,
  stateOf: (account: Listed) => unknown[],
): Objects {
  const nameOf = ({ address }: Listed) =>
    kind === 'Account' ? address : address.slice(0, address.lastIndexOf('@'));
  return {
    kind: 'account',
    list: async () =>
      (await services.rows.read('managedAccounts', {}))
        .filter(({ managedBy }) => (kindOfManager(managedBy) ?? 'Account') === kind)
        .map((account) => ({ ...account, name: nameOf(account), stateOf: () => stateOf(account) })),
    remove: ({ owner, id, managedBy }) => removeAccount(services, owner, id, managedBy),
    isPolled: true,
  };
}

/** Deletes an account and records the deletion in the audit log. */
export function removeAccount(services: Services, owner: Id, id: Id, manager: string | null): Promise<void> {
  const deletion = deleteAccount(services, owner, id, manager);
  return audited(services, owner, 'account.deleted', deletion, ({ address }) => address);
}
