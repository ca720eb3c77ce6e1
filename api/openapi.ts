import { programVersion } from '#telemetry/program-version.ts';
import { sessionCookieName } from './middleware/session-cookie.ts';
import { openApiOperation } from './openapi-operation.ts';
import { Schemas } from './openapi-schemas.ts';
import { providerKeys, providerPaths, providerTag } from './providers/provider-paths.ts';
import type { Route } from './route.ts';

const header = (description: string, schema: object, required: boolean) => ({
  description,
  schema,
  required,
});
const count = (example: number) => ({ type: 'integer', minimum: 0, example });

const headers = {
  RequestId: header('Names the request; a well-formed one of yours is kept.', { type: 'string' }, true),
  RateLimitLimit: header('Requests a minute.', count(4096), true),
  RateLimitRemaining: header('Requests left now.', count(4095), true),
  RateLimitReset: header('Seconds until a request is free again.', { ...count(60), minimum: 1 }, true),
  RetryAfter: header('Seconds after which to try again.', { ...count(5), minimum: 1 }, true),
  ETag: header('Names these bytes; send it as If-None-Match.', { type: 'string' }, true),
  WaitResult: header('Whether a wait was met.', { type: 'string', enum: ['met', 'timeout'] }, false),
};

const tags = [
  { name: 'Domains', description: 'Names that mail is received for.' },
  { name: 'Accounts', description: 'Addresses on them.' },
  { name: 'Mailboxes', description: 'Folders of an account.' },
  { name: 'Messages', description: 'Mail, received or sent within your own domains.' },
  { name: 'Events', description: 'What happens, as it happens.' },
  { name: 'Tokens', description: 'API keys.' },
  { name: 'Sign-in', description: 'Users and their web sessions.' },
  { name: 'Service', description: 'The service itself.' },
  providerTag,
];

/** Makes the OpenAPI 3.0.0 document of the routes, which are served at `baseUrl`. */
export function openApiDocument(routes: Route[], baseUrl: string) {
  const schemas = new Schemas();
  const paths: Record<string, Record<string, object>> = {};
  for (const declared of routes) {
    paths[declared.path] = {
      ...paths[declared.path],
      [declared.method]: openApiOperation(declared, schemas),
    };
  }
  return {
    openapi: '3.0.0',
    info: {
      title: 'Sandpost',
      version: programVersion,
      description:
        'An email sandbox for a whole team: mail comes in by SMTP and is read here. Errors are RFC 9457 problem details with a stable `code`; each user may call so many times a minute, over all keys and sessions. All that is listed and made belongs to a team: that of the API key or, with a session, the one that the header `X-Team-Id` or the query parameter `team_id` names, else the personal one.',
      license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
    },
    servers: [{ url: baseUrl }],
    tags,
    paths: { ...paths, ...providerPaths() },
    components: {
      schemas: schemas.all(),
      headers,
      securitySchemes: {
        apiKey: { type: 'apiKey', in: 'header', name: 'X-API-KEY' },
        session: { type: 'apiKey', in: 'cookie', name: sessionCookieName(baseUrl) },
        ...providerKeys(),
      },
    },
  };
}
