import type { RowReader } from '#core/change.ts';
import type { Id } from '#core/ids.ts';
import { type ManagedKind, type ManagerStore, never } from '#core/managers/manager.ts';

/** Fate of an object in the store when its resource is deleted. */
export type DeletionPolicy = 'Delete' | 'Retain';

type StoredThing = { owner: Id; kind: ManagedKind; id: Id };

/**
 * Reads an object's policy. The store records a retained object as an orphan whose grace period never begins, so the object survives even
 * if its resource is lost with the cluster.
 */
export async function policyOf(rows: RowReader, { kind, id }: StoredThing): Promise<DeletionPolicy> {
  const marks = await rows.read('orphans', { orphan: { kind, id } });
  return marks.some(({ since }) => since >= never) ? 'Retain' : 'Delete';
}

export async function setPolicy(
  managers: Pick<ManagerStore, 'markOrphan'>,
  object: StoredThing,
  policy: DeletionPolicy,
): Promise<void> {
  // An orphan that is already recorded would keep its earlier time.
  await managers.markOrphan(object, null);
  if (policy === 'Retain') await managers.markOrphan(object, never);
}

/** Returns a function that returns true for retained objects, whoever owns them. */
export async function retainedObjects(rows: RowReader): Promise<(kind: ManagedKind, id: Id) => boolean> {
  const marks = (await rows.read('orphans', {})).filter(({ since }) => since >= never);
  const names = new Set(marks.map(({ kind, id }) => `${kind}/${id}`));
  return (kind, id) => names.has(`${kind}/${id}`);
}
