import Joi from 'joi';
import { type ApiKey, type KeyScope, keyScopes } from '#core/access/access.ts';
import type { Page } from '#core/page.ts';
import { listShape, pageFields } from './page.ts';
import { requestShape } from './request-shape.ts';
import { instant, nullable, responseShape, text, type Wire, wholeNumber, word } from './response-shape.ts';
import { instantValue, nameValue, presentInstant } from './values.ts';

type TokenCreation = { name: string; scope: KeyScope; expiresAt: Date | null };

export const tokenCreation = requestShape<TokenCreation>(
  'TokenCreation',
  {
    name: { names: ['name'], schema: nameValue(1, 100), default: 'API key' },
    scope: {
      names: ['scope'],
      schema: Joi.string()
        .valid(...keyScopes)
        .description('`full`: all that you may; `read`: reads, waits and streams; `send`: sends mail.'),
      default: 'full',
    },
    expiresAt: {
      names: ['expires_at', 'expiresAt'],
      schema: instantValue().description('Null: never.'),
      default: null as unknown as Date,
    },
  },
  { example: { name: 'nightly tests', scope: 'full', expires_at: null } },
);

export const tokenQuery = requestShape<Page>('TokenQuery', pageFields);

const metadata = {
  id: wholeNumber().min(1).example(2),
  name: text().example('nightly tests'),
  prefix: Joi.string().example('sp_3kTz8QxV').description('The first characters of the key.'),
  scope: word<KeyScope>(...keyScopes).example('full'),
  expires_at: nullable(instant()).description('Null: never.'),
  created_by: nullable(Joi.string())
    .example('ada@example.com')
    .description('Who made the key; null for the key of a Kubernetes resource.'),
  created_at: instant(),
  last_used_at: nullable(instant()),
};

const key = () =>
  Joi.string()
    .pattern(/^sp_[A-Za-z0-9_-]{43}$/)
    .example('sp_3kTz8QxVn5L0yWc7RjB2mHs9DfEgUaPiO4tKvXbZqNM');

export const tokenShape = responseShape('Token', metadata);
export const tokenList = listShape('TokenList', tokenShape);
export const createdToken = responseShape('CreatedToken', {
  ...metadata,
  key: key().description('Shown here and never again.'),
  token: key().description('The same as key.'),
});

export function presentToken(key: ApiKey): Wire<typeof tokenShape> {
  const { id, name, prefix, scope, expiresAt, createdBy, createdAt, lastUsedAt } = key;
  return {
    id,
    name,
    prefix,
    scope,
    expires_at: expiresAt && presentInstant(expiresAt),
    created_by: createdBy?.email ?? null,
    created_at: presentInstant(createdAt),
    last_used_at: lastUsedAt && presentInstant(lastUsedAt),
  };
}

/** Presents a key with its value, which no later answer has. */
export function presentCreatedToken(key: ApiKey, value: string): Wire<typeof createdToken> {
  return { ...presentToken(key), key: value, token: value };
}
