import { allows, type Role } from '#core/access/role.ts';
import type { RowReader } from '#core/change.ts';
import { ForbiddenRole, Invalid, invalid, NotFound } from '#core/errors.ts';
import type { EventBus } from '#core/events/event.ts';
import type { Id } from '#core/ids.ts';
import type { Quotas } from '#core/quotas.ts';
import type { Domain } from './domain.ts';
import { type DomainMoves, type MoveStep, notYourTeam } from './move.ts';
import { requireAllowed, type SuffixPorts } from './suffixes.ts';

type Ports = {
  rows: RowReader;
  moves: DomainMoves;
  teams: SuffixPorts['teams'] & { roleOf(team: Id, user: Id): Promise<Role | null> };
  domainSuffixes: SuffixPorts['domainSuffixes'];
  bus: Pick<EventBus, 'announce'>;
  quotas: Quotas;
  clock: () => Date;
};

/** Number of messages moved in one step. Between two of these short transactions, deliveries can commit. */
const messagesAtOnce = 500;

/** Time in ms for which the request itself moves messages. After that, upkeep finishes the move. */
const patienceMs = 20_000;

/**
 * Moves a domain with its accounts and mail from one team to another team that the user owns. Moving a large domain takes several steps.
 * If `signal` is aborted or the time is up, upkeep takes the remaining steps. Neither team sees the domain until the last step. Throws
 * NotFound, Invalid if a rule of either team forbids the move, and ForbiddenRole if `user` does not own the target team.
 */
export async function moveDomain(
  ports: Ports,
  { team, user }: { team: Id; user: Id | null },
  id: Id,
  to: Id,
  signal: AbortSignal,
): Promise<Domain> {
  const { rows, moves, quotas, clock } = ports;
  const deadline = performance.now() + patienceMs;
  const found = await rows.read('domain', { team, domain: id });
  const refusal =
    team === to ? invalid('to', 'already owns the domain') : await refuseTarget(ports, to, user);
  if (refusal !== null) throw found === null ? new NotFound() : refusal;
  if (found !== null) await requireAllowed(ports, to, found.name);
  const begun = await moves.begin(team, id, to, { quotas, limit: messagesAtOnce, now: clock() });
  if (begun === null) throw new NotFound();
  if (!('domain' in begun)) {
    const { limit, ...violation } = begun;
    throw new Invalid([violation], limit === undefined ? [] : [limit]);
  }
  announceStep(ports, begun);
  let done = begun.done;
  while (!done && !signal.aborted && performance.now() < deadline) {
    const step = await moves.step(id, messagesAtOnce, clock());
    if (step !== null) announceStep(ports, step);
    done = step?.done ?? true;
  }
  return begun.domain;
}

async function refuseTarget({ teams }: Ports, to: Id, user: Id | null): Promise<Error | null> {
  const role = user === null ? null : await teams.roleOf(to, user);
  if (role === null) return invalid('to', notYourTeam);
  return allows(role, 'owner')
    ? null
    : new ForbiddenRole(`To move a domain into a team, you must be an owner of that team, not a ${role}`);
}

/** Continues moves that a process started but did not finish. */
export async function finishMoves(
  ports: Pick<Ports, 'moves' | 'bus' | 'clock'>,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const step = await ports.moves.step(null, messagesAtOnce, ports.clock());
    if (step === null) return;
    announceStep(ports, step);
  }
}

function announceStep({ bus }: Pick<Ports, 'bus'>, { commits }: MoveStep): void {
  for (const { owner, events } of commits) bus.announce(owner, events);
}
