import Joi from 'joi';
import { type ApiKey, type KeyScope, keyScopes } from '#core/access/access.ts';
import { listShape } from './page.ts';
import { requestShape } from './request-shape.ts';
import { answerOf, at, atOrNull, instant, nullable, text, wholeNumber, word } from './response-shape.ts';
import { instantValue, nameValue, presentInstant } from './values.ts';

type TokenCreation = { name: string; scope: KeyScope; expiresAt: Date | null };

export const tokenCreation = requestShape<TokenCreation>(
  'TokenCreation',
  {
    name: { schema: nameValue(1, 100), default: 'API key' },
    scope: {
      schema: Joi.string()
        .valid(...keyScopes)
        .description('`full`: all that you may; `read`: reads, waits and streams; `send`: sends mail.'),
      default: 'full',
    },
    expiresAt: { schema: instantValue().description('Null: never.'), default: null },
  },
  { example: { name: 'nightly tests', scope: 'full', expires_at: null } },
);

export const tokenShape = answerOf<ApiKey>()('Token', {
  id: wholeNumber().min(1).example(2),
  name: text().example('nightly tests'),
  prefix: Joi.string().example('sp_3kTz8QxV').description('The first characters of the key.'),
  scope: word<KeyScope>(...keyScopes).example('full'),
  expires_at: [
    nullable(instant()).description('Null: never.'),
    ({ expiresAt }) => expiresAt && presentInstant(expiresAt),
  ],
  created_by: [
    nullable(Joi.string())
      .example('ada@example.com')
      .description('Who made the key; null for the key of a Kubernetes resource.'),
    ({ createdBy }) => createdBy?.email ?? null,
  ],
  created_at: at(({ createdAt }) => createdAt),
  last_used_at: atOrNull(({ lastUsedAt }) => lastUsedAt),
});
export const tokenList = listShape('TokenList', tokenShape);

const key = () =>
  Joi.string()
    .pattern(/^sp_[A-Za-z0-9_-]{43}$/)
    .example('sp_3kTz8QxVn5L0yWc7RjB2mHs9DfEgUaPiO4tKvXbZqNM');

/** Key with its value, which no later answer has. */
export const createdToken = answerOf<ApiKey & { value: string }>()('CreatedToken', {
  ...tokenShape.fields,
  key: [key().description('Shown here and never again.'), ({ value }) => value],
  token: [key().description('The same as key.'), ({ value }) => value],
});
