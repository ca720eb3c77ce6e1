import Joi from 'joi';
import type { Domain } from '#core/domains/domain.ts';
import { parseDomainName } from '#core/domains/domain-name.ts';
import type { Page } from '#core/page.ts';
import { listShape, pageFields } from './page.ts';
import { requestShape } from './request-shape.ts';
import {
  type AnswerField,
  answerOf,
  at,
  atOrNull,
  nullable,
  text,
  wholeNumber,
  word,
} from './response-shape.ts';
import { flagValue, idValue, queryFlag, queryText, textValue } from './values.ts';

const active = { names: ['is_active', 'isActive'] as [string, string], schema: flagValue() };
const verified = {
  names: ['mx_verified', 'mxVerified'] as [string, string],
  schema: flagValue().description('true: verified by you; false: by its MX records.'),
};
const assumedClientIp = textValue(1, 45)
  .allow(null)
  .description(
    'Address that SPF is checked with at delivery, as if it had sent the mail. null: the real one.',
  )
  .example('203.0.113.7');

type Given = { active?: boolean; verified?: boolean; assumedClientIp?: string | null };

export const domainCreation = requestShape<Given & { name: string }>(
  'DomainCreation',
  {
    name: { names: ['domain'], schema: textValue(1, 255).example('app.test').required() },
    verified,
    active,
    assumedClientIp,
  },
  { example: { domain: 'app.test', mx_verified: true } },
);

export const domainUpdate = requestShape<Given>(
  'DomainUpdate',
  { active, verified, assumedClientIp },
  { atLeastOne: true, example: { is_active: false } },
);

export const domainMove = requestShape<{ to: number }>(
  'DomainMove',
  {
    to: { names: ['team_id', 'teamId'], schema: idValue().description('A team that you own.').required() },
  },
  { example: { team_id: 7 } },
);

export const domainQuery = requestShape<Page & { name?: string; active?: boolean }>('DomainQuery', {
  ...pageFields,
  name: { names: ['domain'], absent: '', schema: queryText(255).description('Exactly this name.') },
  active: { names: ['isActive', 'is_active'], absent: '', schema: queryFlag() },
});

/** Returns the name in the form of the store. A text that is no domain name matches nothing. */
export const normalName = (name: string) => parseDomainName(name) ?? name.toLowerCase();

/** Interface that may change an object, and the Kubernetes resource (`namespace/name`) that manages it, or null. */
export const managerFields: {
  managed_by: AnswerField<{ managedBy: string | null }, 'api' | 'kubernetes'>;
  managed_by_resource: AnswerField<{ managedBy: string | null }, string | null>;
} = {
  managed_by: [
    word('api', 'kubernetes').example('api'),
    ({ managedBy }) => (managedBy === null ? 'api' : 'kubernetes'),
  ],
  managed_by_resource: [
    nullable(Joi.string())
      .example(null)
      .description('The Kubernetes resource to change instead, namespace/name.'),
    ({ managedBy }) => managedBy,
  ],
};

export const domainShape = answerOf<Domain>()('Domain', {
  id: wholeNumber().min(1).example(3),
  domain: [Joi.string().example('app.test'), ({ name }) => name],
  is_active: [Joi.boolean(), ({ active }) => active],
  mx_verified: [Joi.boolean().example(true), ({ verification }) => verification.status === 'verified'],
  verification_status: [
    word('pending', 'verified', 'failed').example('verified'),
    ({ verification }) => verification.status,
  ],
  verification_source: [
    nullable(word('manual', 'mx')).example('manual'),
    ({ verification }) => verification.source,
  ],
  verification_detail: [
    nullable(text()).example(null).description('What the last check saw.'),
    ({ verification }) => verification.detail,
  ],
  assumed_client_ip: nullable(text()).example(null),
  last_checked_at: atOrNull(({ verification }) => verification.checkedAt),
  ...managerFields,
  created_at: at(({ createdAt }) => createdAt),
  updated_at: at(({ updatedAt }) => updatedAt),
});

export const domainList = listShape('DomainList', domainShape);
