import Joi from 'joi';
import { collection } from '#api/collection.ts';
import { requestShape } from '#api/shapes/request-shape.ts';
import {
  answerOf,
  at,
  instant,
  listOf,
  nullable,
  text,
  timestampOrNull,
  wholeNumber,
  word,
} from '#api/shapes/response-shape.ts';
import { idValue, instantValue, nameValue, presentInstant } from '#api/shapes/values.ts';
import { type ApiKey, type KeyScope, keyScopes } from '#core/access/access.ts';
import { createApiKey } from '#core/access/api-keys.ts';
import { revokeKey } from '#core/access/key-changes.ts';
import type { Id } from '#core/ids.ts';

type TokenCreation = { name: string; scope?: KeyScope; accountIds: Id[] | null; expiresAt: Date | null };

const tokenCreation = requestShape<TokenCreation>(
  'TokenCreation',
  {
    name: nameValue(1, 100).default('API key'),
    scope: word(...keyScopes).description(
      '`full`: everything you can do. `read`: reading, waiting and streaming. `send`: sending mail. Default: `full`, or `read` with `account_ids`.',
    ),
    accountIds: {
      schema: Joi.array()
        .items(idValue())
        .min(1)
        .unique()
        .allow(null)
        .default(null)
        .description(
          'Limits the key to these accounts. It can only read their mail, wait for it, and stream its events.',
        ),
      mostItems: 'access.keyAccounts',
    },
    expiresAt: instantValue().default(null).description('Null: never.'),
  },
  { example: { name: 'nightly tests', scope: 'full', expires_at: null } },
);

export const tokenShape = answerOf<ApiKey>()('Token', {
  id: wholeNumber().min(1).example(2),
  name: text().example('nightly tests'),
  prefix: Joi.string().example('sp_3kTz8QxV').description("The key's first characters."),
  scope: [word(...keyScopes).example('full'), ({ scope }) => (scope === 'accounts' ? 'read' : scope)],
  account_ids: nullable(listOf(wholeNumber().min(1)))
    .example(null)
    .description('Accounts that the key is limited to. Null if the key is not limited.'),
  expires_at: [
    nullable(instant()).description('Null: never.'),
    ({ expiresAt }) => expiresAt && presentInstant(expiresAt),
  ],
  created_by: [
    nullable(Joi.string())
      .example('ada@example.com')
      .description('Creator of the key. Null if a Kubernetes resource manages the key.'),
    ({ createdBy }) => createdBy?.email ?? null,
  ],
  created_at: at(({ createdAt }) => createdAt),
  last_used_at: timestampOrNull(({ lastUsedAt }) => lastUsedAt),
});

const key = () =>
  Joi.string()
    .pattern(/^sp_[A-Za-z0-9_-]{43}$/)
    .example('sp_3kTz8QxVn5L0yWc7RjB2mHs9DfEgUaPiO4tKvXbZqNM');

/** Key with its value, which later responses omit. */
export const createdToken = answerOf<ApiKey & { value: string }>()('CreatedToken', {
  ...tokenShape.fields,
  key: [key().description('Shown only in this response.'), ({ value }) => value],
  token: [key().description('The same as key.'), ({ value }) => value],
});

export const tokenRoutes = collection({
  noun: ['Token', 'Tokens'],
  path: '/api/tokens',
  id: 'token_id',
  shape: tokenShape,
  list: {
    summary: "List the team's API keys, newest first, without their values",
    run: ({ services, caller, query }) => services.rows.list('apiKeys', { team: caller.team }, query),
  },
  create: {
    summary: 'Create an API key',
    body: tokenCreation,
    success: { description: 'The key, shown only once', shape: createdToken },
    async run({ services, caller, body }) {
      const wanted = { ...body, createdBy: caller.user };
      const { key, value } = await createApiKey(services, caller.team, wanted, caller.expiresAt);
      return { ...key, value };
    },
    audit: ({ name }) => ['api_key.created', name],
  },
  delete: {
    summary: 'Revoke an API key',
    success: { description: 'Revoked', status: 204 },
    run: ({ services, caller, ids }) =>
      services.rows.change(revokeKey, { team: caller.team, key: ids.token_id, manager: null }),
    audit({ name, createdBy }, { caller }) {
      return ['api_key.revoked', name, caller.team, { ofOthers: createdBy?.id !== caller.user?.id }];
    },
  },
});
