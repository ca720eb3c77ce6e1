import { providerRoutes } from '#api/providers/provider-routes.ts';
import type { Route } from '#api/route.ts';
import { accountRoutes } from './accounts.ts';
import { authRoutes } from './auth.ts';
import { domainRoutes } from './domains.ts';
import { eventRoutes } from './events.ts';
import { invitationRoutes } from './invitations.ts';
import { mailboxRoutes } from './mailboxes.ts';
import { messageBytesRoutes } from './message-bytes.ts';
import { messageListRoutes } from './message-lists.ts';
import { messageRoutes, sendRoutes } from './messages.ts';
import { openApiRoute } from './openapi.ts';
import { openIdRoutes } from './openid.ts';
import { healthRoutes, serverRoutes, storageRoutes } from './service.ts';
import { teamRoutes } from './teams.ts';
import { tokenRoutes } from './tokens.ts';

/** All routes in the order of the OpenAPI document. */
export const routes: Route[] = [
  ...healthRoutes,
  ...serverRoutes,
  ...storageRoutes,
  ...authRoutes,
  ...openIdRoutes,
  ...domainRoutes,
  ...accountRoutes,
  ...mailboxRoutes,
  ...messageListRoutes,
  ...messageRoutes,
  ...messageBytesRoutes,
  ...sendRoutes,
  ...tokenRoutes,
  ...teamRoutes,
  ...invitationRoutes,
  ...eventRoutes,
  openApiRoute,
  ...providerRoutes,
];
