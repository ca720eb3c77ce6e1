import { accountRoutes } from '#api/nouns/accounts.ts';
import { domainRoutes } from '#api/nouns/domains.ts';
import { failureRoutes } from '#api/nouns/failures.ts';
import { invitationRoutes } from '#api/nouns/invitations.ts';
import { mailboxRoutes } from '#api/nouns/mailboxes.ts';
import { refusalRoutes } from '#api/nouns/refusals.ts';
import { mailRuleRoutes } from '#api/nouns/rules.ts';
import { searchRoutes } from '#api/nouns/searches.ts';
import { serviceRoutes } from '#api/nouns/service.ts';
import { shareRoutes } from '#api/nouns/shares.ts';
import { tagRoutes } from '#api/nouns/tags.ts';
import { teamRoutes } from '#api/nouns/teams.ts';
import { tokenRoutes } from '#api/nouns/tokens.ts';
import { authRoutes } from '#api/nouns/users.ts';
import { providerRoutes } from '#api/providers/provider-routes.ts';
import type { Route, TaggedRoute } from '#api/route.ts';
import { assertionRoutes } from './assertions.ts';
import { eventRoutes } from './events.ts';
import { messageBytesRoutes } from './message-bytes.ts';
import { messageCheckRoutes } from './message-checks.ts';
import { messageListRoutes } from './message-lists.ts';
import { messageRoutes, sendRoutes } from './messages.ts';
import { openApiRoute } from './openapi.ts';
import { openIdRoutes } from './openid.ts';

const tagged = (tag: string, ...routes: Route[]) => routes.map((route): TaggedRoute => ({ ...route, tag }));

/** All routes, in the order of the OpenAPI document. */
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
  ...tagged('Shares', ...shareRoutes),
  ...tagged('Teams', ...teamRoutes, ...invitationRoutes),
  ...tagged('Events', ...eventRoutes),
  ...tagged('Service', openApiRoute),
  ...tagged('Providers', ...providerRoutes),
];
