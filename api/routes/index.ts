import type { CredentialWatch } from '#api/credential-watch.ts';
import type { EventStreams } from '#api/event-stream.ts';
import { openApiDocument } from '#api/openapi.ts';
import type { Route } from '#api/route.ts';
import type { Config } from '#core/config.ts';
import { accountRoutes } from './accounts.ts';
import { authRoutes } from './auth.ts';
import { domainRoutes } from './domains.ts';
import { eventRoutes } from './events.ts';
import { healthRoutes } from './health.ts';
import { mailboxRoutes } from './mailboxes.ts';
import { messageBytesRoutes } from './message-bytes.ts';
import { messageListRoutes } from './message-lists.ts';
import { messageRoutes } from './messages.ts';
import { openApiRoute } from './openapi.ts';
import { sendRoutes } from './send.ts';
import { serverRoutes } from './server.ts';
import { tokenRoutes } from './tokens.ts';

/** Returns all routes in the order of the OpenAPI document, which is made from them. */
export function allRoutes(config: Config, streams: EventStreams, credentials: CredentialWatch): Route[] {
  const described = [
    ...healthRoutes,
    ...serverRoutes,
    ...authRoutes,
    ...domainRoutes,
    ...accountRoutes,
    ...mailboxRoutes,
    ...messageListRoutes(credentials),
    ...messageRoutes,
    ...messageBytesRoutes,
    ...sendRoutes,
    ...tokenRoutes,
    ...eventRoutes(streams),
  ];
  const routes: Route[] = [...described, openApiRoute(() => document)];
  const document = openApiDocument(routes, config.baseUrl);
  return routes;
}
