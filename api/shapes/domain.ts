import Joi from 'joi';
import type { Domain } from '#core/domains/domain.ts';
import { parseDomainName } from '#core/domains/domain-name.ts';
import type { Page } from '#core/page.ts';
import { listShape, pageFields } from './page.ts';
import { requestShape } from './request-shape.ts';
import { instant, nullable, responseShape, text, type Wire, wholeNumber, word } from './response-shape.ts';
import { flagValue, idValue, presentInstant, queryFlag, queryText, textValue } from './values.ts';

const active = { names: ['is_active', 'isActive'] as [string, string], schema: flagValue() };
const verified = {
  names: ['mx_verified', 'mxVerified'] as [string, string],
  schema: flagValue().description('true: verified by you; false: by its MX records.'),
};

export const domainCreation = requestShape<{ name: string; verified?: boolean; active?: boolean }>(
  'DomainCreation',
  {
    name: { names: ['domain'], schema: textValue(1, 255).example('app.test'), required: true },
    verified,
    active,
  },
  { example: { domain: 'app.test', mx_verified: true } },
);

export const domainUpdate = requestShape<{ active?: boolean; verified?: boolean }>(
  'DomainUpdate',
  { active, verified },
  { atLeastOne: true, example: { is_active: false } },
);

export const domainMove = requestShape<{ to: number }>(
  'DomainMove',
  {
    to: {
      names: ['team_id', 'teamId'],
      schema: idValue().description('A team that you own.'),
      required: true,
    },
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

/** Name (`namespace/name`) of the Kubernetes resource that manages a thing, null if the API does. */
export const managingResource = () =>
  nullable(Joi.string())
    .example(null)
    .description('The Kubernetes resource to change instead, namespace/name.');

export const domainShape = responseShape('Domain', {
  id: wholeNumber().min(1).example(3),
  domain: Joi.string().example('app.test'),
  is_active: Joi.boolean(),
  mx_verified: Joi.boolean().example(true),
  verification_status: word('pending', 'verified', 'failed').example('verified'),
  verification_source: nullable(word('manual', 'mx')).example('manual'),
  verification_detail: nullable(text()).example(null).description('What the last check saw.'),
  last_checked_at: nullable(instant()),
  managed_by: word('api', 'kubernetes').example('api'),
  managed_by_resource: managingResource(),
  created_at: instant(),
  updated_at: instant(),
});

export const domainList = listShape('DomainList', domainShape);

export function presentDomain({ verification, ...domain }: Domain): Wire<typeof domainShape> {
  const { status, source, detail, checkedAt } = verification;
  return {
    id: domain.id,
    domain: domain.name,
    is_active: domain.active,
    mx_verified: status === 'verified',
    verification_status: status,
    verification_source: source,
    verification_detail: detail,
    last_checked_at: checkedAt && presentInstant(checkedAt),
    managed_by: presentManager(domain.managedBy),
    managed_by_resource: domain.managedBy,
    created_at: presentInstant(domain.createdAt),
    updated_at: presentInstant(domain.updatedAt),
  };
}

/** Names the interface that may change a thing. */
export function presentManager(managedBy: string | null): 'api' | 'kubernetes' {
  return managedBy === null ? 'api' : 'kubernetes';
}
