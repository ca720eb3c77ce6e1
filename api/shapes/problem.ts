import { STATUS_CODES } from 'node:http';
import Joi from 'joi';
import { type Problem, problemCodes } from '#api/problem.ts';
import { listOf, responseShape, text, type Wire, word } from './response-shape.ts';

const fields = {
  type: Joi.string().example('about:blank'),
  title: Joi.string().example('Unprocessable Entity'),
  status: Joi.number().integer().min(400).max(599).example(422),
  code: word(...problemCodes).example('validation_failed'),
  detail: text().description('A sentence for a person.'),
  request_id: Joi.string().description('The same as the header X-Request-Id.'),
};

/** RFC 9457 problem details. */
export const problemShape = responseShape('Problem', fields);

/** Problem of refused values, with a violation for each. */
export const validationProblemShape = responseShape('ValidationProblem', {
  ...fields,
  violations: listOf(responseShape('Violation', { field: text(), message: text() })),
});

/** Presents a problem (RFC 9457 section 3). */
export function presentProblem(
  { status, code, detail, violations }: Problem,
  requestId: string,
): Wire<typeof problemShape> | Wire<typeof validationProblemShape> {
  return {
    type: 'about:blank',
    title: STATUS_CODES[status] ?? 'Error',
    status,
    code,
    detail,
    ...(violations ? { violations } : {}),
    request_id: requestId,
  };
}
