import Joi from 'joi';
import { problemCodes } from '#api/problem.ts';
import { listOf, responseShape, text, word } from './response-shape.ts';

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
