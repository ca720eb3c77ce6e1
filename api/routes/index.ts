import { providerRoutes } from '#api/providers/provider-routes.ts';
import type { Route, TaggedRoute } from '#api/route.ts';
import { accountRoutes } from './accounts.ts';
import { assertionRoutes } from './assertions.ts';
import { authRoutes } from './auth.ts';
import { domainRoutes } from './domains.ts';
import { eventRoutes } from './events.ts';
import { failureRoutes } from './failures.ts';
import { invitationRoutes } from './invitations.ts';
import { mailRuleRoutes } from './mail-rules.ts';
import { mailboxRoutes } from './mailboxes.ts';
import { messageBytesRoutes } from './message-bytes.ts';
import { messageCheckRoutes } from './message-checks.ts';
import { messageListRoutes } from './message-lists.ts';
import { messageRoutes, sendRoutes } from './messages.ts';
import { openApiRoute } from './openapi.ts';
import { openIdRoutes } from './openid.ts';
import { refusalRoutes } from './refusals.ts';
import { searchRoutes } from './searches.ts';
import { serviceRoutes } from './service.ts';
import { tagRoutes } from './tags.ts';
import { teamRoutes } from './teams.ts';
import { tokenRoutes } from './tokens.ts';

const tagged = (tag: string, ...routes: Route[]) => routes.map((route): TaggedRoute => ({ ...route, tag }));

/** All routes in the order of the OpenAPI document. */
export const routes: TaggedRoute[] = [
  ...tagged('Service', ...serviceRoutes),
  ...tagged('Sign-in', ...authRoutes, ...openIdRoutes),
  ...tagged('Domains', ...domainRoutes),
  ...tagged('Accounts', ...accountRoutes),
  ...tagged('Mailboxes', ...mailboxRoutes),
  ...tagged(
    'Messages',
    ...messageListRoutes,
    ...messageRoutes,
    ...messageBytesRoutes,
    ...messageCheckRoutes,
    ...sendRoutes,
  ),
  ...tagged('Tags', ...tagRoutes),
  ...tagged('Searches', ...searchRoutes),
  ...tagged('Rules', ...mailRuleRoutes),
  ...tagged('Assertions', ...assertionRoutes),
  ...tagged('Refusals', ...refusalRoutes),
  ...tagged('Failures', ...failureRoutes),
  ...tagged('Tokens', ...tokenRoutes),
  ...tagged('Teams', ...teamRoutes, ...invitationRoutes),
  ...tagged('Events', ...eventRoutes),
  ...tagged('Service', openApiRoute),
  ...tagged('Providers', ...providerRoutes),
];
