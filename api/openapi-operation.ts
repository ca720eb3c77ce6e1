import type Joi from 'joi';
import type { Schemas } from './openapi-schemas.ts';
import { problemType } from './problem.ts';
import type { Route } from './route.ts';
import { problemShape, validationProblemShape } from './shapes/problem.ts';
import type { RequestShape } from './shapes/request-shape.ts';

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

/** Makes the OpenAPI operation of a route. Adds schemas that it names to `schemas`. */
export function openApiOperation(route: Route, schemas: Schemas) {
  const parameters = [
    ...pathParameters(route.path),
    ...(route.query ? queryParameters(route.query, schemas) : []),
  ];
  const body = route.body ?? route.lateBody?.shape;
  return {
    operationId: route.operationId,
    summary: route.summary,
    ...(route.description ? { description: route.description } : {}),
    tags: [route.tag],
    security: route.access === 'public' ? [] : [{ apiKey: [] }, { session: [] }],
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(body
      ? {
          requestBody: {
            required: !body.optional,
            content: { 'application/json': { schema: schemas.of(body.schema) } },
          },
        }
      : {}),
    responses: { ...success(route, schemas), ...problems(route, schemas) },
  };
}

function pathParameters(path: string) {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
  }));
}

function queryParameters(query: RequestShape<unknown>, schemas: Schemas) {
  return Object.values(query.fields).flatMap((field) => {
    const { names, schema, required = false, absent } = field;
    const [first, ...aliases] = names;
    const description = descriptionOf(schema);
    const empty = absent === '' ? { allowEmptyValue: true } : {};
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
  const { description } = success;
  const headers = { ...requestId, ...(access === 'identified' ? rateLimit : {}) };
  if ('status' in success) return { [success.status]: { description, headers } };
  if ('contentType' in success) {
    const content = { [success.contentType]: { schema: { type: 'string', format: 'binary' } } };
    return { 200: { description, headers, content } };
  }
  const more = Object.entries(success.headers ?? {}).map(([name, header]) => [name, reference(header)]);
  const content = { 'application/json': { schema: schemas.of(success.shape) } };
  if (method !== 'get') return { 200: { description, headers, content } };
  const tagged = { ...headers, ETag: reference('ETag'), ...Object.fromEntries(more) };
  return {
    200: { description, headers: tagged, content },
    304: { description: 'What you have is what there is.', headers },
  };
}

/** Errors that an operation can answer with. Each operation documents 401, 404, 422 and 429. */
function problems({ access, body, lateBody, refuses }: Route, schemas: Schemas) {
  const known = access === 'identified' ? rateLimit : {};
  const problem = (description: string, headers: object = {}, shape = problemShape) => ({
    description,
    headers: { ...requestId, ...headers },
    content: { [problemType]: { schema: schemas.of(shape) } },
  });
  return {
    400: problem('The request is missing something or malformed.'),
    401: problem('The API key or the session is missing or wrong.'),
    ...(access === 'identified'
      ? { 403: problem('Your role in the team, or the scope of the API key, does not allow it.', known) }
      : {}),
    ...(refuses === undefined ? {} : { 403: problem(refuses) }),
    404: problem('What the path names is not there, or it is not yours; `detail` names it.', known),
    ...(body || lateBody
      ? {
          408: problem('The body took too long to arrive.', known),
          413: problem('The body is too large.', known),
        }
      : {}),
    422: problem(
      'A value cannot be taken, or a query parameter is unknown; `violations` names each.',
      known,
      validationProblemShape,
    ),
    429: problem('Too many requests: wait, then try again.', { ...known, ...retryAfter }),
    500: problem('Something went wrong on our side.'),
    503: problem(
      'The store cannot be reached, is full, or took too long; or too much is under way.',
      retryAfter,
    ),
  };
}
