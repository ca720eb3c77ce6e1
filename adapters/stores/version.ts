/**
 * Store version. `needs` identifies the oldest program that works with the store, by the newest migration that the program supports.
 * `applied` are the migrations applied to the store. A program from an earlier release may not recognize all of them.
 */
export type StoreVersion = { needs: number; applied: number[] };

/** Step to the version `to`, with a description of its effect. A migration only adds, so programs of the previous version still work. */
export type Migration = { to: number; adds: string };

/** Versions that a program works with: stores from `oldest` on, which its migrations bring up to date. */
export type KnownVersions<M extends Migration = Migration> = { oldest: number; migrations: M[] };

/**
 * Migration path from a stored version to a program's version: `missing` are the required migrations. Programs of the version `needs` and
 * later work with the store before, during and after the migrations.
 */
export type Upgrade<M extends Migration = Migration> = {
  needs: number;
  from: number;
  to: number;
  missing: M[];
};

export function versionOf({ oldest, migrations }: KnownVersions): number {
  return migrations.at(-1)?.to ?? oldest;
}

/** Plans a store's migration path to a program's version. Returns the reason if there is no path. */
export function planUpgrade<M extends Migration>(
  { needs, applied }: StoreVersion,
  known: KnownVersions<M>,
): Upgrade<M> | 'newer' | 'older' {
  const to = versionOf(known);
  if (needs > to) return 'newer';
  if (needs < known.oldest) return 'older';
  const missing = known.migrations.filter((step) => step.to > needs && !applied.includes(step.to));
  // Bounded: this project's migrations.
  return { needs, from: Math.max(needs, ...applied), to, missing };
}

/** Returns a sentence about what a program would do to a store. Null: there is no store yet. */
export function outlookOf(upgrade: Upgrade | null): string {
  if (upgrade === null) return 'no store exists yet; the first start creates it';
  const { needs, from, to, missing } = upgrade;
  const beside = `programs that support store version ${needs} or later can use it at the same time`;
  if (missing.length === 0) {
    return from > to
      ? `the store is at version ${from}, from a later release; this program, which is at version ${to}, can use it`
      : `the store is at version ${from} and needs no migration; ${beside}`;
  }
  const added = missing.map(({ adds }) => adds).join('; ');
  return `the first process to start will migrate the store from version ${from} to ${to}. This adds: ${added}; ${beside}`;
}

/** Returns a sentence about a store that a program cannot use. `another` names the setting for another store. */
export function refusalOf(
  reason: 'newer' | 'older',
  store: string,
  { needs, known, another }: { needs: number; known: KnownVersions; another: string },
): string {
  return reason === 'newer'
    ? `${store} is from a later version of Sandpost (the store is at version ${needs}, and this program supports versions up to ${versionOf(known)}): use that version, or a different ${another}`
    : `${store} is from an earlier version of Sandpost (the store is at version ${needs}, and this program requires at least ${known.oldest}): export it with that version, and import the archive with this version into a different ${another}`;
}
