import { providers } from './index.ts';
import type { Operation, Provider } from './provider.ts';
import { securityScheme } from './provider-key.ts';

/** OpenAPI tag of the operations of all providers. */
export const providerTag = {
  name: 'Providers',
  description:
    'Requests in the formats of e-mail providers, for applications that send by one: set their base URL to this path, and their key to an API key. The provider’s own reference describes requests and answers. Nothing is forwarded.',
};

/** Returns the OpenAPI paths of all providers. Operations of one path, told apart by a field, are one there: the first. */
export function providerPaths(): Record<string, Record<string, object>> {
  const paths: Record<string, Record<string, object>> = {};
  for (const provider of providers) {
    for (const operation of provider.operations) {
      paths[`/providers/${provider.name}${operation.path}`] ??= { post: described(provider, operation) };
    }
  }
  return paths;
}

/** Returns the OpenAPI security schemes of all providers, by name. */
export function providerKeys(): Record<string, object> {
  return Object.fromEntries(providers.map(({ name, key }) => [`${name}Key`, securityScheme(key)]));
}

function described(
  { name, title, operations, errorTypes = ['application/json'] }: Provider,
  operation: Operation,
) {
  const { path, operationId, summary, body, success, answerType = 'application/json' } = operation;
  const types =
    body === 'json' ? ['application/json'] : ['multipart/form-data', 'application/x-www-form-urlencoded'];
  const schema = body === 'json' ? {} : { type: 'object' };
  const headers = { 'X-Request-Id': { $ref: '#/components/headers/RequestId' } };
  const answer = (description: string, answered: string[]) => ({
    description,
    headers,
    ...(answered.length > 0 && {
      content: Object.fromEntries(answered.map((type) => [type, { schema: {} }])),
    }),
  });
  const refusals = ['401', '404', '422', '429', 'default'];
  const parameters = [...path.matchAll(/\{(\w+)\}/g)].map(([, param]) => ({
    name: param,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
  const actions = operations.flatMap(({ path: other, action }) => (other === path && action ? [action] : []));
  return {
    operationId,
    summary,
    ...(actions.length > 0 && { description: `By the field \`Action\`: ${actions.join(', ')}.` }),
    tags: [providerTag.name],
    security: [{ [`${name}Key`]: [] }],
    ...(parameters.length > 0 ? { parameters } : {}),
    requestBody: { required: true, content: Object.fromEntries(types.map((type) => [type, { schema }])) },
    responses: {
      [success]: answer(`Taken, as ${title} answers`, answerType === null ? [] : [answerType]),
      ...Object.fromEntries(
        refusals.map((status) => [status, answer(`Refused, as ${title} answers`, errorTypes)]),
      ),
    },
  };
}
