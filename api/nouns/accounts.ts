import Joi from 'joi';
import { collection } from '#api/collection.ts';
import { pageFields } from '#api/shapes/page.ts';
import { type Fields, requestShape } from '#api/shapes/request-shape.ts';
import { answerOf, at, each, wholeNumber } from '#api/shapes/response-shape.ts';
import { flagValue, idValue, queryFlag, queryText, textValue, wholeValue } from '#api/shapes/values.ts';
import { type Account, type AccountFlags, isFull } from '#core/accounts/account.ts';
import { parseAddress } from '#core/accounts/address.ts';
import { changeAccount, deleteAccount } from '#core/accounts/change-account.ts';
import { createAccount } from '#core/accounts/create-account.ts';
import type { Page } from '#core/page.ts';
import { managerFields } from './domains.ts';
import { mailboxShape } from './mailboxes.ts';

type Changes = Partial<AccountFlags & Pick<Account, 'storageLimit'> & { password: string }>;

const changes: Fields<Changes> = {
  active: { names: ['is_active', 'isActive'], schema: flagValue() },
  catchAll: {
    names: ['is_catch_all', 'isCatchAll'],
    schema: flagValue().description('Receives mail for every address on its domain that has no account.'),
  },
  capture: {
    names: ['is_capture', 'isCapture'],
    schema: flagValue().description(
      'Receives mail that signed-in applications send to addresses outside the team. A team can have only one.',
    ),
  },
  simulatesFailures: flagValue().description(
    'Mail to an address such as `qa+fail-550@app.test` fails as the address specifies (docs/failures.md).',
  ),
  password: textValue(8, 256),
  storageLimit: wholeValue(0).description('Bytes.').example(104_857_600),
};

const accountCreation = requestShape<Changes & { address: string; domainId?: number }>(
  'AccountCreation',
  {
    address: textValue(3, 320)
      .example('qa@app.test')
      .description('`*@app.test` creates a catch-all.')
      .required(),
    domainId: idValue().description("Default: the address's domain."),
    ...changes,
  },
  { example: { address: 'qa@app.test' } },
);

const accountUpdate = requestShape<Changes>('AccountUpdate', changes, {
  atLeastOne: true,
  example: { storage_limit: 209_715_200 },
});

const accountQuery = requestShape<Page & { address?: string; active?: boolean }>('AccountQuery', {
  ...pageFields,
  address: queryText(320).empty('').description('Exact address.'),
  active: { names: ['isActive', 'is_active'], schema: queryFlag().empty('') },
});

/** Returns the address in stored form. Text that is not an address matches nothing. */
const normalAddress = (address: string) => parseAddress(address)?.address ?? address.toLowerCase();

const bytes = () => wholeNumber().example(4096).description('Size of all messages, in bytes.');

export const accountShape = answerOf<Account>()('Account', {
  id: wholeNumber().min(1).example(4),
  domain_id: wholeNumber().min(1).example(3),
  address: Joi.string().example('qa@app.test'),
  is_active: [Joi.boolean(), ({ active }) => active],
  is_catch_all: [Joi.boolean().example(false), ({ catchAll }) => catchAll],
  is_capture: [Joi.boolean().example(false), ({ capture }) => capture],
  simulates_failures: Joi.boolean().example(false),
  storage_limit: wholeNumber().example(104_857_600).description('Bytes.'),
  used: [bytes(), ({ usedBytes }) => usedBytes],
  used_bytes: bytes(),
  used_storage_bytes: [bytes(), ({ usedBytes }) => usedBytes],
  is_full: [
    Joi.boolean()
      .example(false)
      .description(
        'Whether the account is full and refuses mail. If it is, delete messages or raise `storage_limit`.',
      ),
    isFull,
  ],
  mailboxes: each(mailboxShape, ({ mailboxes }) => mailboxes),
  ...managerFields,
  created_at: at(({ createdAt }) => createdAt),
  updated_at: at(({ updatedAt }) => updatedAt),
});

export const accountRoutes = collection({
  noun: ['Account', 'Accounts'],
  path: '/api/accounts',
  id: 'account_id',
  shape: accountShape,
  list: {
    summary: 'List your accounts, oldest first',
    permission: 'mail',
    query: accountQuery,
    run({ services, caller, query: { page, limit, address, ...filter } }) {
      const wanted = address === undefined ? filter : { ...filter, address: normalAddress(address) };
      return services.accounts.list(caller.team, wanted, { page, limit });
    },
  },
  create: {
    summary: 'Create an account with five mailboxes. The account can receive mail immediately',
    body: accountCreation,
    run: ({ services, caller, body }) => createAccount(services, caller.team, { ...body, managedBy: null }),
  },
  get: {
    summary: 'Read an account',
    permission: 'mail',
    run: ({ services, caller, ids }) => services.accounts.find(caller.team, ids.account_id),
  },
  update: {
    summary: "Change an account's password, quota or other settings",
    body: accountUpdate,
    run: ({ services, caller, ids, body }) => changeAccount(services, caller.team, ids.account_id, body),
  },
  delete: {
    summary: 'Delete an account with its mailboxes and messages',
    run: ({ services, caller, ids }) => deleteAccount(services, caller.team, ids.account_id),
    audit: ({ address }) => ['account.deleted', address],
  },
});
