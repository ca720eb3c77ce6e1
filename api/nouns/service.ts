import Joi from 'joi';
import { get } from '#api/route.ts';
import { listOf, responseShape, wholeNumber, word } from '#api/shapes/response-shape.ts';
import { proposeDomain } from '#core/domains/propose-domain.ts';
import { suffixesOf } from '#core/domains/suffixes.ts';

export const serverShape = responseShape('Server', {
  smtp: responseShape(null, {
    host: Joi.string().example('localhost'),
    port: wholeNumber().max(65_535).example(2525).description('Plain SMTP, without TLS or sign-in.'),
  }),
  mx_hosts: listOf(Joi.string().example('mail.example.com')).description(
    "Host names that a domain's MX record can point to.",
  ),
  domain_suffixes: listOf(Joi.string().example('test')).description(
    'Suffixes under which your team can register domains. Empty: any domain, unless all suffixes belong to other teams.',
  ),
  is_local: Joi.boolean()
    .example(false)
    .description('Whether requests from the same machine need no key, as with `sandpost dev`.'),
  proposed_domain: Joi.string().example('ada.test').description('Unused name for your first domain.'),
});

/** Wildcard and loopback addresses. If a listener uses one of them, clients use the base URL's host name. */
const everyInterface = ['127.0.0.1', '0.0.0.0', '::1', '::'];

const fullAccount = responseShape(null, {
  id: wholeNumber().min(1).example(4),
  address: Joi.string().example('qa@app.test'),
});

export const storageShape = responseShape('Storage', {
  is_disk_full: Joi.boolean()
    .example(false)
    .description('Whether the server refuses all mail because its disk is full.'),
  full_accounts: listOf(fullAccount).description(
    'Up to 10 of your accounts that are full and have refused mail.',
  ),
});

const mostAccounts = 10;

export const serviceRoutes = [
  get({
    path: '/api/health',
    operationId: 'getHealth',
    summary: 'Check that the API responds',
    access: 'public',
    success: {
      description: 'It answers',
      schema: responseShape('Health', { status: word('ok').example('ok') }),
    },
    handle: async () => ({ status: 'ok' as const }),
  }),
  get({
    path: '/api/server',
    operationId: 'getServer',
    summary: 'Read the SMTP address and the allowed domain suffixes',
    success: { description: 'SMTP address and domain suffixes', schema: serverShape },
    async handle({ services, caller }) {
      const { baseUrl, smtpHost, smtpPort, mxHosts } = services.config;
      const team = await services.teams.find(caller.team);
      const name = (team?.kind === 'personal' && caller.user?.email) || (team?.name ?? '');
      return {
        smtp: {
          host: everyInterface.includes(smtpHost) ? new URL(baseUrl).hostname : smtpHost,
          port: smtpPort,
        },
        mx_hosts: mxHosts,
        domain_suffixes: (await suffixesOf(services, caller.team))?.all ?? [],
        is_local: services.visitor !== null,
        proposed_domain: await proposeDomain(services, { team: caller.team, name }),
      };
    },
  }),
  get({
    path: '/api/storage',
    operationId: 'getStorage',
    summary: 'Storage status',
    success: { description: 'Full accounts, and whether the disk is full', schema: storageShape },
    async handle({ services, caller }) {
      const { isDiskFull } = await services.storeRoom();
      const page = { page: 1, limit: mostAccounts };
      const { items } = await services.rows.list('fullAccounts', { team: caller.team }, page);
      return { is_disk_full: isDiskFull, full_accounts: items };
    },
  }),
];
