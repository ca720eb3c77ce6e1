import {
  accountCreation,
  accountList,
  accountQuery,
  accountShape,
  accountUpdate,
  normalAddress,
} from '#api/shapes/account.ts';
import { changeAccount, deleteAccount } from '#core/accounts/change-account.ts';
import { createAccount } from '#core/accounts/create-account.ts';
import { collection } from './collection.ts';

export const accountRoutes = collection({
  noun: ['Account', 'Accounts'],
  path: '/api/accounts',
  id: 'account_id',
  success: { description: 'The account', shape: accountShape },
  list: {
    summary: 'List your accounts, the oldest first',
    query: accountQuery,
    success: { description: 'A page of accounts', shape: accountList },
    run({ services, caller, query: { page, limit, address, ...filter } }) {
      const wanted = address === undefined ? filter : { ...filter, address: normalAddress(address) };
      return services.accounts.list(caller.team, wanted, { page, limit });
    },
  },
  create: {
    summary: 'Make an account with its five mailboxes; it receives mail at once',
    body: accountCreation,
    run: ({ services, caller, body }) => createAccount(services, caller.team, { ...body, managedBy: null }),
  },
  get: {
    summary: 'Read an account',
    run: ({ services, caller, ids }) => services.accounts.find(caller.team, ids.account_id),
  },
  update: {
    summary: 'Change activation, password, quota, catch-all, capture, simulated failures',
    body: accountUpdate,
    run: ({ services, caller, ids, body }) => changeAccount(services, caller.team, ids.account_id, body),
  },
  delete: {
    summary: 'Delete an account with its mailboxes and messages',
    run: ({ services, caller, ids }) => deleteAccount(services, caller.team, ids.account_id),
    audit: ({ address }) => ['account.deleted', address],
  },
});
