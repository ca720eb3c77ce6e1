import { STATUS_CODES } from 'node:http';
import Joi from 'joi';
import type { Violation } from '#core/errors.ts';
import { listOf, responseShape, text, type Wire, word } from './response-shape.ts';

/** Stable problem codes, listed in the OpenAPI document. */
export const problemCodes = [
  'malformed_request',
  'unauthenticated',
  'forbidden_role',
  'insufficient_scope',
  'sign_in_refused',
  'outbound_disabled',
  'shares_forbidden',
  'foreign_origin',
  'not_found',
  'method_not_allowed',
  'unexpected_message',
  'request_timeout',
  'payload_too_large',
  'too_many_values',
  'validation_failed',
  'rate_limited',
  'too_many_waits',
  'headers_too_large',
  'internal_error',
  'store_unavailable',
  'store_full',
  'identity_provider_down',
  'search_timeout',
  'too_busy',
  'too_many_searches',
] as const;

export type ProblemCode = (typeof problemCodes)[number];

/**
 * Response to a failed request (RFC 9457). `headers` are sent with the response, and `members` are its extensions (section 3.2), as
 * documented by the route.
 */
export type Problem = {
  status: number;
  code: ProblemCode;
  detail: string;
  violations?: Violation[];
  headers?: Record<string, string>;
  members?: object;
};

/** Fault of a request at the HTTP level. `middleware/errors.ts` converts the core's errors. */
export class HttpFault extends Error {
  override name = 'HttpFault';
  readonly problem: Problem;
  constructor(problem: Problem) {
    super(problem.detail);
    this.problem = problem;
  }
}

export function malformed(detail: string): HttpFault {
  return new HttpFault({ status: 400, code: 'malformed_request', detail });
}

export const problemType = 'application/problem+json';

export const problemFields = {
  type: Joi.string().example('about:blank'),
  title: Joi.string().example('Unprocessable Entity'),
  status: Joi.number().integer().min(400).max(599).example(422),
  code: word(...problemCodes).example('validation_failed'),
  detail: text().description('Explanation in one sentence.'),
  request_id: Joi.string().description('The same as the header X-Request-Id.'),
};

export const problemShape = responseShape('Problem', problemFields);

/** Problem of refused values, with a violation for each. */
export const validationProblemShape = responseShape('ValidationProblem', {
  ...problemFields,
  violations: listOf(responseShape('Violation', { field: text(), message: text() })),
});

/** Presents a problem (RFC 9457 section 3). */
export function presentProblem(
  { status, code, detail, violations, members }: Problem,
  requestId: string,
): Wire<typeof problemShape> | Wire<typeof validationProblemShape> {
  return {
    type: 'about:blank',
    title: STATUS_CODES[status] ?? 'Error',
    status,
    code,
    detail,
    ...(violations ? { violations } : {}),
    ...members,
    request_id: requestId,
  };
}

/** Refuses all methods except those that read. */
export function requireRead(method: string): void {
  if (method === 'GET' || method === 'HEAD') return;
  throw new HttpFault({
    status: 405,
    code: 'method_not_allowed',
    detail: 'This path accepts GET, HEAD',
    headers: { Allow: 'GET, HEAD' },
  });
}
