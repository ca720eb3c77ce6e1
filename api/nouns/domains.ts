import Joi from 'joi';
import { collection } from '#api/collection.ts';
import { audit } from '#api/context.ts';
import { post } from '#api/route.ts';
import { pageFields } from '#api/shapes/page.ts';
import { requestShape } from '#api/shapes/request-shape.ts';
import {
  type AnswerField,
  answerOf,
  at,
  nullable,
  text,
  timestampOrNull,
  wholeNumber,
  word,
} from '#api/shapes/response-shape.ts';
import { flagValue, idValue, queryFlag, queryText, textValue } from '#api/shapes/values.ts';
import { changeDomain, deleteDomain } from '#core/domains/change-domain.ts';
import { createDomain } from '#core/domains/create-domain.ts';
import type { Domain } from '#core/domains/domain.ts';
import { parseDomainName, unicodeName } from '#core/domains/domain-name.ts';
import { moveDomain } from '#core/domains/move-domain.ts';
import type { Page } from '#core/page.ts';

const active = { names: ['is_active', 'isActive'] as [string, string], schema: flagValue() };
const verified = {
  names: ['mx_verified', 'mxVerified'] as [string, string],
  schema: flagValue().description(
    'Whether you declare the domain verified. If false, Sandpost checks its MX records.',
  ),
};
const assumedClientIp = textValue(1, 45)
  .allow(null)
  .description(
    'Client address that SPF uses at delivery instead of the real address. Null: the real address.',
  )
  .example('203.0.113.7');

type Given = { active?: boolean; verified?: boolean; assumedClientIp?: string | null };

const domainCreation = requestShape<Given & { name: string }>(
  'DomainCreation',
  {
    name: { names: ['domain'], schema: textValue(1, 255).example('app.test').required() },
    verified,
    active,
    assumedClientIp,
  },
  { example: { domain: 'app.test', mx_verified: true } },
);

const domainUpdate = requestShape<Given>(
  'DomainUpdate',
  { active, verified, assumedClientIp },
  { atLeastOne: true, example: { is_active: false } },
);

const domainMove = requestShape<{ to: number }>(
  'DomainMove',
  {
    to: { names: ['team_id', 'teamId'], schema: idValue().description('A team that you own.').required() },
  },
  { example: { team_id: 7 } },
);

const domainQuery = requestShape<Page & { name?: string; active?: boolean }>('DomainQuery', {
  ...pageFields,
  name: { names: ['domain'], schema: queryText(255).empty('').description('Exact name.') },
  active: { names: ['isActive', 'is_active'], schema: queryFlag().empty('') },
});

/** Returns the name in stored form. Text that is not a domain name matches nothing. */
const normalName = (name: string) => parseDomainName(name) ?? name.toLowerCase();

/**
 * Interface that may change an object, and the Kubernetes resource that manages the object (`namespace/name`, or `namespace/name/kind`
 * for another kind), or null.
 */
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
      .description(
        'Kubernetes resource that manages the domain: namespace/name, or namespace/name/Inbox for an Inbox.',
      ),
    ({ managedBy }) => managedBy,
  ],
};

export const domainShape = answerOf<Domain>()('Domain', {
  id: wholeNumber().min(1).example(3),
  domain: [Joi.string().example('app.test'), ({ name }) => name],
  unicode: [
    nullable(text())
      .example(null)
      .description(
        'Unicode form, such as `bücher.test`. Null if it is the same as `domain`, or could be mistaken for another name.',
      ),
    ({ name }) => unicodeName(name),
  ],
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
    nullable(text()).example(null).description('Result of the last check.'),
    ({ verification }) => verification.detail,
  ],
  assumed_client_ip: nullable(text()).example(null),
  last_checked_at: timestampOrNull(({ verification }) => verification.checkedAt),
  ...managerFields,
  created_at: at(({ createdAt }) => createdAt),
  updated_at: at(({ updatedAt }) => updatedAt),
});

export const domainRoutes = collection({
  noun: ['Domain', 'Domains'],
  path: '/api/domains',
  id: 'domain_id',
  shape: domainShape,
  list: {
    summary: 'List your domains, oldest first',
    query: domainQuery,
    run({ services, caller, query: { page, limit, name, ...filter } }) {
      const wanted = name === undefined ? filter : { ...filter, name: normalName(name) };
      return services.rows.list('domains', { team: caller.team, ...wanted }, { page, limit });
    },
  },
  create: {
    summary: 'Register a domain',
    body: domainCreation,
    run: ({ services, caller, body: { verified = false, active = true, ...given } }) =>
      createDomain(services, caller.team, { ...given, verified, active, managedBy: null }),
  },
  get: {
    summary: 'Read a domain',
    run: ({ services, caller, ids }) =>
      services.rows.read('domain', { team: caller.team, domain: ids.domain_id }),
  },
  update: {
    summary: 'Enable, disable or verify a domain',
    body: domainUpdate,
    run: ({ services, caller, ids, body }) => changeDomain(services, caller.team, ids.domain_id, body),
  },
  more: [
    post({
      path: '/api/domains/{domain_id}/move',
      operationId: 'moveDomain',
      summary: 'Move a domain with its accounts and mail to another team that you own',
      description:
        'Ids stay the same. The move can take a while if the domain has a lot of mail. Until it is complete, neither team sees the domain, and Sandpost defers its mail. If the move takes longer than 20 s, the response arrives before it is complete.',
      permission: 'manage',
      body: domainMove,
      success: { description: 'The domain in its new team', shape: domainShape },
      async handle(call) {
        const { services, caller, ids, body, signal } = call;
        const mover = { team: caller.team, user: caller.user?.id ?? null };
        const domain = await moveDomain(services, mover, ids.domain_id, body.to, signal);
        await audit(call, 'domain.moved', domain.name, [caller.team, body.to]);
        return domain;
      },
    }),
  ],
  delete: {
    summary: 'Delete a domain with its accounts, mailboxes and messages',
    run: ({ services, caller, ids }) => deleteDomain(services, caller.team, ids.domain_id),
    audit: ({ name }) => ['domain.deleted', name],
  },
});
