import type { Id } from '#core/ids.ts';

/** Rules of a team in one version; 0 means that the team never had any. */
type TeamRules = { version: number; rules: unknown[] };

/**
 * Teams' rules that a process caches, in one version per team. Does not cache teams that never had rules. If there are more than `most`
 * rules, drops the team that has been cached longest.
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

  /** Returns a team's cached rules, if any. */
  of(team: Id): Known | undefined {
    return this.#teams.get(team);
  }

  /** Returns a team's rules in the given version or a newer one. */
  async in(team: Id, version: number): Promise<Known> {
    const known = this.#teams.get(team);
    if (known?.version === version) return known;
    const read = await this.#readOnce(team);
    // The read may have started before this version existed.
    return read.version === version ? read : this.#readOnce(team);
  }

  /** Reads teams' rules again, except for teams whose cached version already differs from the given one. */
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
