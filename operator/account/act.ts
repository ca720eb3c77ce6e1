import { changeAccount, deleteAccount } from '#core/accounts/change-account.ts';
import { createAccount } from '#core/accounts/create-account.ts';
import type { Id } from '#core/ids.ts';
import type { Services } from '#setup/services.ts';
import { ignoreNotFound } from '../failures.ts';
import { managerOf } from '../manager.ts';
import { type NotePorts, noted } from '../notes.ts';
import type { AccountEffect, AccountView } from './decide.ts';

type Ports = NotePorts & Pick<Services, 'domains' | 'accounts' | 'accountPasswords' | 'cascade' | 'quotas'>;

/** Creates, changes or deletes the account by the use-cases of the API. */
export async function actOnAccount(
  ports: Ports,
  effect: AccountEffect,
  { owner, resource: { metadata, spec }, storageLimit }: AccountView & { owner: Id },
): Promise<void> {
  const managedBy = managerOf(metadata);
  if (effect.do === 'create') {
    const catchAll = spec.catchAll === undefined ? {} : { catchAll: spec.catchAll };
    const { address, active, capture = false } = spec;
    const wanted = { address, active, capture, storageLimit, managedBy };
    await createAccount(ports, owner, { ...wanted, ...catchAll });
  } else if (effect.do === 'change') {
    await changeAccount(ports, owner, effect.id, effect.change, managedBy);
  } else if (effect.do === 'adopt') {
    await changeAccount(ports, owner, effect.id, { managedBy }, effect.from);
  } else {
    const deletion = deleteAccount(ports, owner, effect.id, managedBy);
    await noted(ports, owner, 'account.deleted', deletion, ({ address }) => address).catch(ignoreNotFound);
  }
}
