import type { Id } from '#core/ids.ts';
import type { Domain, DomainStore, Verification } from './domain.ts';
import { type CheckPace, judgeMx, type MxResolver } from './verdict.ts';

/** Number of domains that are read from the store at a time. */
const pageSize = 20;

type Ports = { domains: DomainStore; mx: MxResolver; clock: () => Date };

/** Verdict that was written, and the kind of the answer that led to it. */
export type Checked = { name: string; answer: string; before: Verification; after: Verification };

/** Number of checks under way at a time, in all and of one team. */
export type CheckBounds = { mxChecks: number; mxChecksPerUser: number };

type Watch = { onChecked(checked: Checked): void; onError(error: unknown): void };

/**
 * Queries the DNS for domains whose check is due and writes the verdicts. An answer counts once, however many processes
 * check. Checks run in the background, few of one team, so that no team waits for another's domains or name servers.
 */
export class MxChecks {
  readonly #ports: Ports;
  readonly #mxHosts: string[];
  readonly #pace: CheckPace;
  readonly #watch: Watch;
  readonly #bounds: CheckBounds;
  readonly #underWay = new Map<Id, { owner: Id; check: Promise<void> }>();

  constructor(ports: Ports, mxHosts: string[], pace: CheckPace, watch: Watch, bounds: CheckBounds) {
    this.#ports = ports;
    this.#mxHosts = mxHosts;
    this.#pace = pace;
    this.#watch = watch;
    this.#bounds = bounds;
  }

  /** Begins checks of due domains, the longest due first, as far as their teams have places. */
  async begin(): Promise<void> {
    const { domains, clock } = this.#ports;
    for (;;) {
      const busy = this.#busyOwners();
      const due = await domains.dueForCheck(clock(), this.#underWay.size + pageSize, busy);
      const begun = due.filter((domain) => this.#tryBegin(domain)).length;
      if (begun === 0) return;
    }
  }

  /** Resolves when no check is under way. */
  async settled(): Promise<void> {
    await Promise.all([...this.#underWay.values()].map(({ check }) => check));
  }

  #tryBegin(domain: Domain): boolean {
    const { id, owner } = domain;
    const { mxChecks, mxChecksPerUser } = this.#bounds;
    const isFull = this.#underWay.size >= mxChecks || this.#placesOf(owner) >= mxChecksPerUser;
    if (isFull || this.#underWay.has(id)) return false;
    const check = this.#check(domain)
      .catch(this.#watch.onError)
      .finally(() => this.#underWay.delete(id));
    this.#underWay.set(id, { owner, check });
    return true;
  }

  #placesOf(owner: Id): number {
    return [...this.#underWay.values()].filter((one) => one.owner === owner).length;
  }

  #busyOwners(): Id[] {
    const owners = new Set([...this.#underWay.values()].map(({ owner }) => owner));
    return [...owners].filter((owner) => this.#placesOf(owner) >= this.#bounds.mxChecksPerUser);
  }

  async #check({ id, name, verification: before }: Domain): Promise<void> {
    const { domains, mx, clock } = this.#ports;
    const answer = await mx.resolveMx(name);
    const after = judgeMx(before, answer, this.#mxHosts, clock(), this.#pace);
    if (!(await domains.writeVerdict(id, before.checkedAt, after))) return;
    this.#watch.onChecked({ name, answer: answer.kind, before, after });
  }
}
