import { failureCreation, failureList, failureShape } from '#api/shapes/failure.ts';
import { pageQuery } from '#api/shapes/page.ts';
import { addFailure, removeFailure } from '#core/failures/change-failures.ts';
import type { Failure } from '#core/failures/failure.ts';
import { limits } from '#core/limits.ts';
import { collection } from './collection.ts';

/** Name of a failure rule in the audit log. */
const nameOf = ({ stage, action, match: { address, from, q } }: Failure) =>
  [stage, action, address ?? from ?? q ?? ''].join(' ').trimEnd();

export const failureRoutes = collection({
  noun: ['Failure', 'Failures'],
  path: '/api/failures',
  id: 'failure_id',
  success: { description: 'The failure rule', shape: failureShape },
  list: {
    summary: 'List the failure rules of the team that are not over, oldest first, with what they did',
    query: pageQuery,
    success: { description: 'A page of failure rules', shape: failureList },
    run: ({ services, caller, query }) =>
      services.failures.list(caller.team, { now: services.clock() }, query),
  },
  create: {
    summary: 'Make mail or requests fail on purpose',
    description: 'See docs/failures.md. Of the rules that match, the oldest one acts.',
    body: failureCreation,
    run({ services, caller, body: input }) {
      const wanted = { team: caller.team, input, now: services.clock(), most: limits.owned.failures };
      return services.rows.change(addFailure, wanted);
    },
    audit: (failure) => ['failure.created', nameOf(failure)],
  },
  get: {
    summary: 'Read a failure rule, with what it did',
    async run({ services, caller, ids: { failure_id: id } }) {
      const wanted = { now: services.clock(), id };
      const { items } = await services.failures.list(caller.team, wanted, { page: 1, limit: 1 });
      return items[0] ?? null;
    },
  },
  delete: {
    summary: 'Delete a failure rule',
    run({ services, caller, ids }) {
      const gone = { team: caller.team, failure: ids.failure_id, now: services.clock() };
      return services.rows.change(removeFailure, gone);
    },
    audit: (failure) => ['failure.deleted', nameOf(failure)],
  },
});
