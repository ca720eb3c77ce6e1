import { audit, found } from '#api/context.ts';
import { route } from '#api/route.ts';
import { failureCreation, failureList, failureQuery, failureShape } from '#api/shapes/failure.ts';
import { deletion } from '#api/shapes/response-shape.ts';
import { addFailure, removeFailure } from '#core/failures/change-failures.ts';
import type { Failure } from '#core/failures/failure.ts';
import { limits } from '#core/limits.ts';

const success = { description: 'The failure rule', shape: failureShape };

/** Name of a failure rule in the audit log. */
const nameOf = ({ stage, action, match: { address, from, q } }: Failure) =>
  [stage, action, address ?? from ?? q ?? ''].join(' ').trimEnd();

export const failureRoutes = [
  route({
    method: 'get',
    path: '/api/failures',
    operationId: 'listFailures',
    summary: 'List the failure rules of the team that are not over, oldest first, with what they did',
    query: failureQuery,
    success: { description: 'A page of failure rules', shape: failureList },
    handle: ({ services, caller, query }) =>
      services.failures.list(caller.team, { now: services.clock() }, query),
  }),
  route({
    method: 'post',
    path: '/api/failures',
    operationId: 'createFailure',
    summary: 'Make mail or requests fail on purpose',
    description: 'See docs/failures.md. Of the rules that match, the oldest one acts.',
    body: failureCreation,
    success,
    async handle(call) {
      const { services, caller, body: input } = call;
      const wanted = { team: caller.team, input, now: services.clock(), most: limits.owned.failures };
      const failure = await services.rows.change(addFailure, wanted);
      await audit(call, 'failure.created', nameOf(failure));
      return failure;
    },
  }),
  route({
    method: 'get',
    path: '/api/failures/{failure_id}',
    operationId: 'getFailure',
    summary: 'Read a failure rule, with what it did',
    success,
    async handle({ services, caller, ids: { failure_id: id } }) {
      const wanted = { now: services.clock(), id };
      const { items } = await services.failures.list(caller.team, wanted, { page: 1, limit: 1 });
      return found(items[0] ?? null);
    },
  }),
  route({
    method: 'delete',
    path: '/api/failures/{failure_id}',
    operationId: 'deleteFailure',
    summary: 'Delete a failure rule',
    success: { description: 'It is gone', shape: deletion },
    async handle(call) {
      const { services, caller, ids } = call;
      const gone = { team: caller.team, failure: ids.failure_id, now: services.clock() };
      await audit(call, 'failure.deleted', nameOf(await services.rows.change(removeFailure, gone)));
    },
  }),
];
