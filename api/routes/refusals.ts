import { route } from '#api/route.ts';
import { pageQuery } from '#api/shapes/page.ts';
import { refusalList } from '#api/shapes/refusal.ts';

export const refusalRoutes = [
  route({
    method: 'get',
    path: '/api/refusals',
    operationId: 'listRefusals',
    summary: 'List what was refused to senders in the last 24 h, the newest first',
    description:
      'Mails, recipients and sign-ins that the SMTP listener and the provider APIs refused, for a domain, an address or a ' +
      'credential of the team: at most 1,000.',
    query: pageQuery,
    success: { description: 'A page of refusals', shape: refusalList },
    handle: ({ services, caller, query }) => services.refusals.list(caller.team, query),
  }),
];
