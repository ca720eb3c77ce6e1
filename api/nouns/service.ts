import Joi from 'joi';
import { route } from '#api/route.ts';
import { listOf, responseShape, type Wire, wholeNumber, word } from '#api/shapes/response-shape.ts';
import type { Account } from '#core/accounts/account.ts';
import { proposeDomain } from '#core/domains/propose-domain.ts';
import type { Services } from '#setup/services.ts';

export const serverShape = responseShape('Server', {
  smtp: responseShape(null, {
    host: Joi.string().example('localhost'),
    port: wholeNumber().max(65_535).example(2525).description('Plain: no TLS, no sign-in.'),
  }),
  mx_hosts: listOf(Joi.string().example('mail.example.com')).description(
    'Names that an MX record of a domain may point at.',
  ),
  domain_suffixes: listOf(Joi.string().example('test')).description(
    'Suffixes under which domains may be registered; without any, anywhere.',
  ),
  is_local: Joi.boolean()
    .example(false)
    .description('Whether requests of its own machine need no key: `sandpost dev`.'),
  proposed_domain: Joi.string().example('ada.test').description('A free name for a first domain of yours.'),
});

const everyInterface = ['127.0.0.1', '0.0.0.0', '::1', '::'];

/** Presents the server as clients see it. A listener on all interfaces or on loopback has the host name of the base URL. */
function presentServer(
  { config, visitor }: Pick<Services, 'config' | 'visitor'>,
  proposedDomain: string,
): Wire<typeof serverShape> {
  const { baseUrl, smtpHost, smtpPort, mxHosts, domainSuffixes } = config;
  const host = everyInterface.includes(smtpHost) ? new URL(baseUrl).hostname : smtpHost;
  return {
    smtp: { host, port: smtpPort },
    mx_hosts: mxHosts,
    domain_suffixes: domainSuffixes,
    is_local: visitor !== null,
    proposed_domain: proposedDomain,
  };
}

const fullAccount = responseShape(null, {
  id: wholeNumber().min(1).example(4),
  address: Joi.string().example('qa@app.test'),
});

export const storageShape = responseShape('Storage', {
  is_disk_full: Joi.boolean()
    .example(false)
    .description('Whether the server refuses all mail because its disk is full.'),
  full_accounts: listOf(fullAccount).description(
    'Accounts of yours that have refused mail for want of room since room was made: at most 10.',
  ),
});

function presentStorage(
  isDiskFull: boolean,
  full: Pick<Account, 'id' | 'address'>[],
): Wire<typeof storageShape> {
  return { is_disk_full: isDiskFull, full_accounts: full.map(({ id, address }) => ({ id, address })) };
}

const healthShape = responseShape('Health', { status: word('ok').example('ok') });

const mostAccounts = 10;

export const serviceRoutes = [
  route({
    method: 'get',
    path: '/api/health',
    operationId: 'getHealth',
    summary: 'Whether the API answers',
    access: 'public',
    success: { description: 'It does', schema: healthShape },
    handle: async (): Promise<Wire<typeof healthShape>> => ({ status: 'ok' }),
  }),
  route({
    method: 'get',
    path: '/api/server',
    operationId: 'getServer',
    summary: 'Where mail goes in, and which domains may be registered',
    success: { description: 'Where mail goes in', schema: serverShape },
    handle: async ({ services, caller }) => {
      const name = caller.user?.email ?? (await services.teams.find(caller.team))?.name ?? '';
      return presentServer(services, await proposeDomain(services, { team: caller.team, name }));
    },
  }),
  route({
    method: 'get',
    path: '/api/storage',
    operationId: 'getStorage',
    summary: 'Whether mail is refused for want of room',
    success: { description: 'What is full', schema: storageShape },
    async handle({ services, caller }) {
      const { isDiskFull } = await services.storeRoom();
      const { items } = await services.accounts.listFull(caller.team, { page: 1, limit: mostAccounts });
      return presentStorage(isDiskFull, items);
    },
  }),
];
