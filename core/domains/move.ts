import type { Committed } from '#core/events/event.ts';
import type { Id } from '#core/ids.ts';
import type { LimitName } from '#core/limits.ts';
import type { Quotas } from '#core/quotas.ts';
import type { Domain } from './domain.ts';

/** State that determines whether a move is allowed. */
export type MoveState = {
  managedBy: string | null;
  /** Account of the domain that a Kubernetes resource manages, if there is one. */
  managedAccount: { address: string; managedBy: string } | null;
  /** Domain name above or below this one that belongs to a team other than the target, if there is one. */
  related: string | null;
  accounts: number;
  /** Address of the domain's account that is its team's capture account, if there is one. */
  capture: string | null;
  /** Target team's numbers of domains and accounts and its capture account, or null if the team has been deleted. */
  target: { domains: number; accounts: number; capture: string | null } | null;
};

/** Fault in a field and, if one was reached, the limit. */
export type MoveRefusal = { field: string; message: string; limit?: LimitName };

/** Sentence about a team that does not exist or that the caller does not belong to. It does not reveal which is the case. */
export const notYourTeam = 'is not one of your teams';

/** Returns the fault of a move that would break a rule of either team. Returns null if the move may start. */
export function judgeMove(
  state: MoveState,
  quotas: Pick<Quotas, 'domains' | 'accounts'>,
): MoveRefusal | null {
  const { managedBy, managedAccount, related, target } = state;
  const faulty = (message: string) => ({ field: 'domain', message });
  if (managedBy !== null)
    return faulty(`is managed by the Kubernetes resource ${managedBy}; change it there`);
  if (managedAccount !== null) {
    const { address, managedBy: resource } = managedAccount;
    return faulty(`has the account ${address}, which the Kubernetes resource ${resource} manages`);
  }
  if (related !== null)
    return faulty(`is a parent or subdomain of ${related}, which would stay in another team`);
  const refused = (message: string) => ({ field: 'to', message });
  if (target === null) return refused(notYourTeam);
  if (target.domains >= quotas.domains) {
    return {
      ...refused(`already has ${target.domains} domains, but the limit is ${quotas.domains}`),
      limit: 'owned.domains',
    };
  }
  if (target.accounts + state.accounts > quotas.accounts) {
    return {
      ...refused(
        `would have ${target.accounts + state.accounts} accounts, but the limit is ${quotas.accounts}`,
      ),
      limit: 'owned.accounts',
    };
  }
  if (state.capture !== null && target.capture !== null) {
    return refused(
      `already has a capture account (${target.capture}); ${state.capture} would be a second one`,
    );
  }
  return null;
}

/** Number of event numbers reserved for the target's other mail while a move takes several steps. */
const keptFree = 1_000_000;

/**
 * Returns the amount by which a move raises message numbers, and the target's newest event number after the move. Messages keep their
 * order, and count as committed at the end of the move, after all mail that the target then has. Raised numbers are at least `shift`, and
 * numbers that are not raised yet are below it. `heads`: newest event numbers before the move. `inOneStep`: nothing else is committed in
 * between.
 */
export function renumbering(
  heads: { from: number; to: number },
  inOneStep: boolean,
): { shift: number; newest: number } {
  const shift = Math.max(heads.from, heads.to + (inOneStep ? 0 : keptFree)) + 1;
  return { shift, newest: shift + heads.from };
}

/** Result of one step of a move: events of the team that the domain is leaving. */
export type MoveStep = { commits: Committed<number>[]; done: boolean };

/**
 * Moves of domains between teams. Each call is one transaction. From the first to the last step, neither team sees the domain, and it
 * receives no mail: it is inactive, belongs to no team, and counts toward the target team's quotas. The former team gets a
 * `message.deleted` event for each message, and its journal forgets the messages' subjects. The target team's event numbers continue
 * after the moved messages.
 */
export type DomainMoves = {
  /**
   * Starts a move with its first step, or continues a move of the same domain between the same teams. `domain` is the domain as it will
   * be after the move. Returns null if the owner has no such domain.
   */
  begin(
    owner: Id,
    id: Id,
    to: Id,
    terms: { quotas: Pick<Quotas, 'domains' | 'accounts'>; limit: number; now: Date },
  ): Promise<({ domain: Domain } & MoveStep) | MoveRefusal | null>;
  /** Continues the move of the given domain, or of any (null), by up to `limit` messages. Returns null if there is no such move. */
  step(id: Id | null, limit: number, now: Date): Promise<MoveStep | null>;
};
