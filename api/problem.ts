import type { Violation } from '#core/errors.ts';

/** Codes that problems can have: stable, and listed in the OpenAPI document. */
export const problemCodes = [
  'malformed_request',
  'unauthenticated',
  'forbidden_role',
  'insufficient_scope',
  'sign_in_refused',
  'not_found',
  'method_not_allowed',
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

/** Answer to a request that failed (RFC 9457). `headers` are sent with it. */
export type Problem = {
  status: number;
  code: ProblemCode;
  detail: string;
  violations?: Violation[];
  headers?: Record<string, string>;
};

/** Fault of a request at the level of HTTP. Errors of the core are translated in `middleware/errors.ts`. */
export class HttpFault extends Error {
  override name = 'HttpFault';
  readonly problem: Problem;
  constructor(problem: Problem) {
    super(problem.detail);
    this.problem = problem;
  }
}

/** Makes the fault of a request that cannot be read: 400. */
export function malformed(detail: string): HttpFault {
  return new HttpFault({ status: 400, code: 'malformed_request', detail });
}

export const problemType = 'application/problem+json';
