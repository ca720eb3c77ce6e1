import Joi from 'joi';
import type { ApiKey } from '#core/access/access.ts';
import type { Page } from '#core/page.ts';
import { listShape, pageFields } from './page.ts';
import { requestShape } from './request-shape.ts';
import { instant, nullable, responseShape, text, type Wire, wholeNumber } from './response-shape.ts';
import { presentInstant } from './timestamp.ts';
import { nameValue } from './values.ts';

export const tokenCreation = requestShape<{ name: string }>(
  'TokenCreation',
  { name: { names: ['name'], schema: nameValue(1, 100), default: 'API key' } },
  { example: { name: 'nightly tests' } },
);

export const tokenQuery = requestShape<Page>('TokenQuery', pageFields);

const metadata = {
  id: wholeNumber().min(1).example(2),
  name: text().example('nightly tests'),
  prefix: Joi.string().example('sp_3kTz8QxV').description('The first characters of the key.'),
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

export function presentToken({ id, name, prefix, createdAt, lastUsedAt }: ApiKey): Wire<typeof tokenShape> {
  return {
    id,
    name,
    prefix,
    created_at: presentInstant(createdAt),
    last_used_at: lastUsedAt && presentInstant(lastUsedAt),
  };
}

/** Presents a key with its value, which no later answer has. */
export function presentCreatedToken(key: ApiKey, value: string): Wire<typeof createdToken> {
  return { ...presentToken(key), key: value, token: value };
}
