import type { Id } from '#core/ids.ts';
import type { Page, Slice } from '#core/page.ts';
import type { Role } from './role.ts';

type Member = { userId: Id; role: Role; joinedAt: Date };

type Members = (team: Id, page: Page) => Promise<Slice<Member>>;

/** Maximum number of remembered teams, and time in ms after which a team is read again. */
const most = 10_000;
const freshMs = 300_000;

/**
 * Finds who pays for a team's work: its owner, or the owner who joined first. In queues and limits, all of a user's teams count as one
 * party. A team without an owner is a separate party; team and user IDs never coincide.
 */
export class Payers {
  readonly #members: Members;
  readonly #known = new Map<Id, { payer: Id; until: number }>();
  readonly #reads = new Map<Id, Promise<Id>>();

  constructor(members: Members) {
    this.#members = members;
  }

  /**
   * Returns the payer, which may be some minutes out of date. Waits if the team has not been read yet. Never rejects: if the store cannot
   * be read, the team pays.
   */
  async of(team: Id): Promise<Id> {
    const payer = this.known(team);
    return this.#known.has(team) ? payer : (this.#reads.get(team) ?? team);
  }

  /** Returns the payer without waiting: the team itself until it has been read. */
  known(team: Id): Id {
    const known = this.#known.get(team);
    const isFresh = known !== undefined && known.until > performance.now();
    if (!isFresh && !this.#reads.has(team)) this.#reads.set(team, this.#read(team));
    return known?.payer ?? team;
  }

  async #read(team: Id): Promise<Id> {
    try {
      const { items } = await this.#members(team, { page: 1, limit: 100 });
      const owners = items.filter(({ role }) => role === 'owner');
      const [first] = owners.sort((a, b) => a.joinedAt.getTime() - b.joinedAt.getTime());
      const payer = first?.userId ?? team;
      this.#known.delete(team);
      this.#known.set(team, { payer, until: performance.now() + freshMs });
      for (const oldest of this.#known.keys()) {
        if (this.#known.size <= most) break;
        this.#known.delete(oldest);
      }
      return payer;
    } catch {
      return team;
    } finally {
      this.#reads.delete(team);
    }
  }
}
