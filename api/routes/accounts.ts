import { audit, found } from '#api/context.ts';
import { route } from '#api/route.ts';
import {
  accountCreation,
  accountList,
  accountQuery,
  accountShape,
  accountUpdate,
  normalAddress,
} from '#api/shapes/account.ts';
import { deletion } from '#api/shapes/response-shape.ts';
import { changeAccount, deleteAccount } from '#core/accounts/change-account.ts';
import { createAccount } from '#core/accounts/create-account.ts';

const success = { description: 'The account', shape: accountShape };

export const accountRoutes = [
  route({
    method: 'get',
    path: '/api/accounts',
    operationId: 'listAccounts',
    summary: 'List your accounts, the oldest first',
    query: accountQuery,
    success: { description: 'A page of accounts', shape: accountList },
    async handle({ services, caller, query: { page, limit, address, ...filter } }) {
      const wanted = address === undefined ? filter : { ...filter, address: normalAddress(address) };
      return services.accounts.list(caller.team, wanted, { page, limit });
    },
  }),
  route({
    method: 'post',
    path: '/api/accounts',
    operationId: 'createAccount',
    summary: 'Make an account with its five mailboxes; it receives mail at once',
    body: accountCreation,
    success,
    handle: ({ services, caller, body }) =>
      createAccount(services, caller.team, { ...body, managedBy: null }),
  }),
  route({
    method: 'get',
    path: '/api/accounts/{account_id}',
    operationId: 'getAccount',
    summary: 'Read an account',
    success,
    handle: async ({ services, caller, ids }) =>
      found(await services.accounts.find(caller.team, ids.account_id)),
  }),
  route({
    method: 'patch',
    path: '/api/accounts/{account_id}',
    operationId: 'updateAccount',
    summary: 'Change activation, password, quota, catch-all, capture, simulated failures',
    body: accountUpdate,
    success,
    handle: ({ services, caller, ids, body }) => changeAccount(services, caller.team, ids.account_id, body),
  }),
  route({
    method: 'delete',
    path: '/api/accounts/{account_id}',
    operationId: 'deleteAccount',
    summary: 'Delete an account with its mailboxes and messages',
    success: { description: 'It is gone', shape: deletion },
    async handle(call) {
      const { services, caller, ids } = call;
      const account = await deleteAccount(services, caller.team, ids.account_id);
      await audit(call, 'account.deleted', account.address);
    },
  }),
];
