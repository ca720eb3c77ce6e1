/**
 * Version of a store. `needs` is the oldest program that works with it, by the newest migration that such a program knows.
 * `applied` are the migrations that were applied to it. A program of an earlier release may find some that it does not know.
 */
export type StoreVersion = { needs: number; applied: number[] };

/** Step to the version `to`, with its effect in words. It only adds, so that programs of the version before work on. */
export type Migration = { to: number; adds: string };

/** Versions that a program works with: stores from `oldest` on, brought up to date by its migrations. */
export type KnownVersions<M extends Migration = Migration> = { oldest: number; migrations: M[] };

/**
 * Way from a stored version to that of a program: `missing` are the migrations that it takes. Programs of the version `needs` and
 * later ones work with the store before, meanwhile and afterwards.
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

/** Plans the way of a store to the version of a program. Returns the reason where there is none. */
export function planUpgrade<M extends Migration>(
  { needs, applied }: StoreVersion,
  known: KnownVersions<M>,
): Upgrade<M> | 'newer' | 'older' {
  const to = versionOf(known);
  if (needs > to) return 'newer';
  if (needs < known.oldest) return 'older';
  const missing = known.migrations.filter((step) => step.to > needs && !applied.includes(step.to));
  // Bounded: the migrations of this project.
  return { needs, from: Math.max(needs, ...applied), to, missing };
}

/** Sentence for what a program would do to a store. null: there is no store yet. */
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

/** Sentence for a store that a program cannot use. `another` names the setting for another store. */
export function refusalOf(
  reason: 'newer' | 'older',
  store: string,
  { needs, known, another }: { needs: number; known: KnownVersions; another: string },
): string {
  return reason === 'newer'
    ? `${store} is from a later version of Sandpost (the store is at version ${needs}, and this program supports versions up to ${versionOf(known)}): use that version, or a different ${another}`
    : `${store} is from an earlier version of Sandpost (the store is at version ${needs}, and this program requires at least ${known.oldest}): export it with that version, and import the archive with this version into a different ${another}`;
}
