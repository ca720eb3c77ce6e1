import type Joi from 'joi';
import joiToSwagger from 'joi-to-swagger';
import { programVersion } from '#telemetry/program-version.ts';
import { type Dialect, securityScheme } from './dialect.ts';
import { sessionCookieName } from './middleware/session-cookie.ts';
import type { Route, TaggedRoute } from './route.ts';
import { problemShape, problemType, validationProblemShape } from './shapes/problem.ts';
import type { RequestShape } from './shapes/request-shape.ts';

const header = (description: string, schema: object, required: boolean) => ({
  description,
  schema,
  required,
});
const count = (example: number) => ({ type: 'integer', minimum: 0, example });

const headers = {
  RequestId: header('Request id. If you send a well-formed id, Sandpost uses it.', { type: 'string' }, true),
  RateLimitLimit: header('Requests per minute.', count(4096), true),
  RateLimitRemaining: header('Number of requests remaining.', count(4095), true),
  RateLimitReset: header('Seconds until another request is allowed.', { ...count(60), minimum: 1 }, true),
  RetryAfter: header('Seconds to wait before you try again.', { ...count(5), minimum: 1 }, true),
  ETag: header('Response version. Send it as If-None-Match.', { type: 'string' }, true),
  WaitResult: header(
    'Whether enough messages arrived in time.',
    { type: 'string', enum: ['met', 'timeout'] },
    false,
  ),
};

const tags = [
  { name: 'Domains', description: 'Domains that receive mail.' },
  { name: 'Accounts', description: 'Email addresses on your domains.' },
  { name: 'Mailboxes', description: "An account's folders." },
  { name: 'Messages', description: 'Mail received, and mail sent within your own domains.' },
  { name: 'Assertions', description: 'Checks of mail content, and comparisons of two emails.' },
  { name: 'Events', description: 'Live events.' },
  { name: 'Tokens', description: 'API keys.' },
  { name: 'Sign-in', description: 'Users and their web sessions.' },
  { name: 'Service', description: 'Information about the service.' },
  {
    name: 'Providers',
    description:
      'Requests in email providers’ formats. Set your application’s base URL to this path, and its key to a Sandpost API key. The provider’s own reference describes the requests and responses. Sandpost forwards nothing.',
  },
];

/** Creates the OpenAPI 3.0.0 document for the routes, which are served at `baseUrl`. */
export function openApiDocument(routes: TaggedRoute[], baseUrl: string) {
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
        'An email sandbox for a whole team: receive mail by SMTP and read it here. Errors are RFC 9457 problem details with a stable `code`. One rate limit per user covers all of the user’s keys and sessions. Everything belongs to a team. An API key acts in its own team. A session names its team in the header `X-Team-Id` or the query parameter `team_id`. Default: the personal team.',
      license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
    },
    servers: [{ url: baseUrl }],
    tags,
    paths,
    components: {
      schemas: schemas.all(),
      headers,
      securitySchemes: {
        apiKey: { type: 'apiKey', in: 'header', name: 'X-API-KEY' },
        session: { type: 'apiKey', in: 'cookie', name: sessionCookieName(baseUrl) },
        ...dialectKeys(routes),
      },
    },
  };
}

/** Returns all dialects' security schemes, by name. */
function dialectKeys(routes: Route[]): Record<string, object> {
  const dialects = routes.flatMap(({ dialect }) => dialect ?? []);
  return Object.fromEntries(dialects.map(({ name, key }) => [`${name}Key`, securityScheme(key)]));
}

const requestId = { 'X-Request-Id': reference('RequestId') };
const rateLimit = {
  'RateLimit-Limit': reference('RateLimitLimit'),
  'RateLimit-Remaining': reference('RateLimitRemaining'),
  'RateLimit-Reset': reference('RateLimitReset'),
};
const retryAfter = { 'Retry-After': reference('RetryAfter') };

function reference(header: string) {
  return { $ref: `#/components/headers/${header}` };
}

/** Creates a route's OpenAPI operation. Adds to `schemas` the schemas to which the operation refers. */
function openApiOperation(route: TaggedRoute, schemas: Schemas) {
  const parameters = [
    ...pathParameters(route.path),
    ...(route.query ? queryParameters(route.query, schemas) : []),
  ];
  return {
    operationId: route.operationId,
    summary: route.summary,
    ...(route.description ? { description: route.description } : {}),
    tags: [route.tag],
    security: securityOf(route),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...requestBody(route, schemas),
    responses: route.dialect
      ? dialectAnswers(route, route.dialect)
      : { ...success(route, schemas), ...problems(route, schemas) },
  };
}

function securityOf({ access, dialect }: Route): object[] {
  if (dialect) return [{ [`${dialect.name}Key`]: [] }];
  return access === 'public' ? [] : [{ apiKey: [] }, { session: [] }];
}

function requestBody({ body, lateBody }: Route, schemas: Schemas) {
  const shape = body ?? lateBody?.shape;
  if (shape) {
    const content = { 'application/json': { schema: schemas.of(shape.schema) } };
    return { requestBody: { required: !shape.optional, content } };
  }
  if (!lateBody?.kind) return {};
  const { types } = lateBody.kind;
  if (types === 'any') throw new Error('a documented route must list the media types of its body');
  const schema = types.includes('application/json') ? {} : { type: 'object' };
  return {
    requestBody: { required: true, content: Object.fromEntries(types.map((type) => [type, { schema }])) },
  };
}

/** Responses in another API's format. That API's own reference contains their schemas. */
function dialectAnswers({ success }: Route, { title, errorTypes = ['application/json'] }: Dialect) {
  if (!('answered' in success)) throw new Error('a route of a dialect must respond in that dialect');
  const answer = (description: string, types: string[]) => ({
    description,
    headers: requestId,
    ...(types.length > 0 && { content: Object.fromEntries(types.map((type) => [type, { schema: {} }])) }),
  });
  const refusal = answer(`Refused, as ${title} answers`, errorTypes);
  return {
    [success.answered]: answer(success.description, success.types),
    ...Object.fromEntries(['401', '404', '422', '429', 'default'].map((status) => [status, refusal])),
  };
}

const id = { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER };

function pathParameters(path: string) {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: name?.endsWith('_id') ? id : { type: 'string' },
  }));
}

function queryParameters(query: RequestShape<unknown>, schemas: Schemas) {
  return Object.values(query.fields).flatMap((field) => {
    const { names, schema, required } = field;
    const [first, ...aliases] = names;
    const description = descriptionOf(schema);
    const empty = schema.$_getFlag('empty') && !schema.validate('').error ? { allowEmptyValue: true } : {};
    const parameter = { in: 'query', required, ...empty, schema: schemas.of(schema) };
    return [
      { name: first, ...(description ? { description } : {}), ...parameter },
      ...aliases.map((name) => ({ name, description: `The same as ${first}.`, ...parameter })),
    ];
  });
}

function descriptionOf(schema: Joi.Schema): string | undefined {
  const { description }: { description?: string } = schema.describe().flags ?? {};
  return description;
}

function success({ success, access, method }: Route, schemas: Schemas) {
  if ('answered' in success) throw new Error('only a route of a dialect can respond in that dialect');
  const { description } = success;
  const headers = { ...requestId, ...(access !== 'public' ? rateLimit : {}) };
  if ('status' in success) return { [success.status]: { description, headers } };
  if ('contentType' in success) {
    const content = { [success.contentType]: { schema: { type: 'string', format: 'binary' } } };
    return { 200: { description, headers, content } };
  }
  const own = 'headers' in success ? success.headers : {};
  const more = Object.entries(own ?? {}).map(([name, header]) => [name, reference(header)]);
  const schema = 'shape' in success ? success.shape.schema : success.schema;
  const { types = [], failed = null } = 'schema' in success ? success : {};
  const text = { schema: { type: 'string' } };
  const content = {
    'application/json': { schema: schemas.of(schema) },
    ...Object.fromEntries(types.map((type) => [type, text])),
  };
  if (method !== 'get')
    return {
      200: { description, headers, content },
      ...(failed && { [failed.status]: { description: failed.description, headers, content } }),
    };
  const tagged = { ...headers, ETag: reference('ETag'), ...Object.fromEntries(more) };
  return {
    200: { description, headers: tagged, content },
    304: { description: 'Not modified since the response whose ETag you sent.', headers },
  };
}

/** Possible error responses of an operation. Every operation documents 401, 404, 422 and 429. */
function problems({ access, body, lateBody, refuses, conflict }: Route, schemas: Schemas) {
  const known = access !== 'public' ? rateLimit : {};
  const problem = (description: string, headers: object = {}, shape: Joi.Schema = problemShape) => ({
    description,
    headers: { ...requestId, ...headers },
    content: { [problemType]: { schema: schemas.of(shape) } },
  });
  return {
    400: problem('The request is malformed or incomplete.'),
    401: problem('The API key or session is missing or invalid.'),
    ...(access !== 'public' && {
      403: problem('Your role in the team, or the scope of the API key, does not allow the request.', known),
    }),
    ...(refuses === undefined ? {} : { 403: problem(refuses) }),
    404: problem('The object in the path does not exist or is not yours. `detail` names it.', known),
    ...(conflict === undefined ? {} : { 409: problem(conflict.description, known, conflict.schema) }),
    ...((body || lateBody) && {
      408: problem('The body took too long to arrive.', known),
      413: problem('The body is too large.', known),
    }),
    422: problem(
      'A value is invalid or a query parameter is unknown. `violations` names each.',
      known,
      validationProblemShape,
    ),
    429: problem('Too many requests: wait, then try again.', { ...known, ...retryAfter }),
    500: problem('Something went wrong on our end.'),
    503: problem(
      'The store is unreachable, full or too slow, or too many requests are in progress.',
      retryAfter,
    ),
  };
}

type Schema = Record<string, unknown>;

/** Converts Joi shapes to OpenAPI 3.0 JSON schemas. Collects named shapes as components. */
class Schemas {
  #components: Record<string, Schema> = {};

  /** Returns a shape's schema, or a reference to it. */
  of(shape: Joi.Schema): Schema {
    const { swagger, components } = joiToSwagger.default(shape, { schemas: this.#components });
    this.#components = { ...this.#components, ...components?.schemas };
    return swagger;
  }

  /** Returns the schemas of all named shapes, by name. */
  all(): Record<string, Schema> {
    return this.#components;
  }
}
