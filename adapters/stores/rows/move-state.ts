import type { Domain } from '#core/domains/domain.ts';
import type { MoveState } from '#core/domains/move.ts';
import type { Id } from '#core/ids.ts';
import { count, hand, one, type Steps } from './steps.ts';
import { accounts, teams } from './tables.ts';

/** Reads the state that a move of a domain is judged by. */
export function* readMoveState({ id, name, managedBy }: Domain, to: Id): Steps<MoveState> {
  const managed = yield* one(accounts, { domainId: id, managedBy: { not: null } });
  const capture = yield* one(accounts, { domainId: id, capture: true });
  const theirs = yield* one(accounts, { owner: to, capture: true });
  return {
    managedBy,
    managedAccount: managed && { address: managed.address, managedBy: managed.managedBy ?? '' },
    related: yield* hand('related', to, name),
    accounts: yield* count(accounts, { domainId: id }),
    capture: capture?.address ?? null,
    target: (yield* one(teams, { id: to })) && {
      domains: yield* hand('owned', 'domains', to),
      accounts: yield* hand('owned', 'accounts', to),
      capture: theirs?.address ?? null,
    },
  };
}
