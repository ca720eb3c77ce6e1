import type { Payers } from '#core/access/payers.ts';
import type { Id } from '#core/ids.ts';
import type { Domain, DomainStore, Verification } from './domain.ts';
import { type CheckPace, judgeMx, type MxResolver } from './verdict.ts';

/** Number of domains read from the store at a time. */
const pageSize = 20;

type Ports = { domains: DomainStore; payers: Pick<Payers, 'of'>; mx: MxResolver; clock: () => Date };

/** Verdict that was written, and the kind of DNS answer that led to it. */
export type Checked = { name: string; answer: string; before: Verification; after: Verification };

/** Maximum number of concurrent checks, in total and per payer. */
export type CheckBounds = { mxChecks: number; mxChecksPerUser: number };

type Watch = { onChecked(checked: Checked): void; onError(error: unknown): void };

/**
 * Queries DNS for domains that are due for a check, and writes the verdicts. An answer counts only once, however many processes check.
 * Checks run in the background, few per payer, so nobody has to wait for others' domains or name servers.
 */
export class MxChecks {
  readonly #ports: Ports;
  readonly #mxHosts: string[];
  readonly #pace: CheckPace;
  readonly #watch: Watch;
  readonly #bounds: CheckBounds;
  readonly #underWay = new Map<Id, { payer: Id; check: Promise<void> }>();

  constructor(ports: Ports, mxHosts: string[], pace: CheckPace, watch: Watch, bounds: CheckBounds) {
    this.#ports = ports;
    this.#mxHosts = mxHosts;
    this.#pace = pace;
    this.#watch = watch;
    this.#bounds = bounds;
  }

  /** Starts checks of domains that are due, longest due first, while their teams' payers have free places. */
  async begin(): Promise<void> {
    const { domains, payers, clock } = this.#ports;
    /** Teams whose payers have no free places. */
    const busy = new Set<Id>();
    for (let isDone = false; !isDone; ) {
      isDone = true;
      for (const domain of await domains.dueForCheck(clock(), this.#underWay.size + pageSize, [...busy])) {
        const payer = await payers.of(domain.owner);
        if (this.#underWay.size >= this.#bounds.mxChecks) return;
        if (this.#underWay.has(domain.id) || busy.has(domain.owner)) continue;
        if (this.#placesOf(payer) < this.#bounds.mxChecksPerUser) this.#begin(domain, payer);
        else busy.add(domain.owner);
        isDone = false;
      }
    }
  }

  /** Resolves when no check is in progress. */
  async settled(): Promise<void> {
    await Promise.all([...this.#underWay.values()].map(({ check }) => check));
  }

  #begin(domain: Domain, payer: Id): void {
    const check = this.#check(domain)
      .catch(this.#watch.onError)
      .finally(() => this.#underWay.delete(domain.id));
    this.#underWay.set(domain.id, { payer, check });
  }

  #placesOf(payer: Id): number {
    return [...this.#underWay.values()].filter((one) => one.payer === payer).length;
  }

  async #check({ id, name, verification: before }: Domain): Promise<void> {
    const { domains, mx, clock } = this.#ports;
    const answer = await mx.resolveMx(name);
    const after = judgeMx(before, answer, this.#mxHosts, clock(), this.#pace);
    if (!(await domains.writeVerdict(id, before.checkedAt, after))) return;
    this.#watch.onChecked({ name, answer: answer.kind, before, after });
  }
}
