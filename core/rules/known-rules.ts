import type { Id } from '#core/ids.ts';

/** Rules of a team in a version; 0 stands for none ever. */
type TeamRules = { version: number; rules: unknown[] };

/**
 * Rules of teams that a process keeps, by their version. Teams that never had any are absent. Beyond `most` rules the team that was
 * read first goes.
 */
export class KnownRules<Known extends TeamRules> {
  readonly #load: (team: Id) => Promise<Known>;
  readonly #most: number;
  readonly #teams = new Map<Id, Known>();
  readonly #reads = new Map<Id, Promise<Known>>();
  #count = 0;

  constructor(load: (team: Id) => Promise<Known>, most: number) {
    this.#load = load;
    this.#most = most;
  }

  /** Returns the rules of a team as they are known. */
  of(team: Id): Known | undefined {
    return this.#teams.get(team);
  }

  /** Returns the rules of a team in a version, or newer ones. */
  async in(team: Id, version: number): Promise<Known> {
    const known = this.#teams.get(team);
    if (known?.version === version) return known;
    const read = await this.#readOnce(team);
    // The read may have begun before the version.
    return read.version === version ? read : this.#readOnce(team);
  }

  /** Reads rules of teams anew, unless that has been done since they had these versions. */
  async renew(teams: Map<Id, number>): Promise<void> {
    const old = [...teams].filter(([team, version]) => (this.#teams.get(team)?.version ?? 0) === version);
    await Promise.all(old.map(([team]) => this.#readOnce(team)));
  }

  #readOnce(team: Id): Promise<Known> {
    const reading = this.#reads.get(team) ?? this.#read(team).finally(() => this.#reads.delete(team));
    this.#reads.set(team, reading);
    return reading;
  }

  async #read(team: Id): Promise<Known> {
    const found = await this.#load(team);
    this.#forget(team);
    if (found.version === 0) return found;
    this.#teams.set(team, found);
    this.#count += found.rules.length + 1;
    for (const other of this.#teams.keys()) {
      if (this.#count <= this.#most || other === team) break;
      this.#forget(other);
    }
    return found;
  }

  #forget(team: Id): void {
    const rules = this.#teams.get(team);
    if (rules === undefined) return;
    this.#teams.delete(team);
    this.#count -= rules.rules.length + 1;
  }
}
