import { request } from '../client/request.ts';
import { tell } from '../parts/toast.tsx';
import { hidden } from './hidden.ts';
import { refreshList, removeRow } from './list.ts';
import { runAll } from './run-all.ts';

/** Time in ms during which a deletion can be undone. The API learns of the deletion afterwards. */
const undoMs = 5000;

type Pending = { ids: number[]; timer: ReturnType<typeof setTimeout> };
const pending = new Set<Pending>();

/** Hides messages now, and deletes them unless somebody undoes it in time. */
export function deleteLater(ids: number[]): void {
  hidden.value = new Set([...hidden.value, ...ids]);
  const deletion: Pending = { ids, timer: setTimeout(() => void carryOut(deletion), undoMs) };
  pending.add(deletion);
  const away = tell(
    ids.length === 1 ? 'Message deleted' : `${ids.length} messages deleted`,
    { name: 'Undo', run: () => undo(deletion) },
    undoMs,
  );
  function undo({ timer, ids }: Pending): void {
    clearTimeout(timer);
    pending.delete(deletion);
    forget(ids);
    away();
  }
}

async function carryOut(deletion: Pending): Promise<void> {
  pending.delete(deletion);
  const failed = await runAll(deletion.ids, async (id) => {
    await request('DELETE', `/api/messages/${id}`);
    removeRow(id);
    forget([id]);
  });
  if (failed.length === 0) return;
  forget(failed);
  refreshList();
}

/** Ends the hiding of messages that are deleted, or whose deletion was undone or refused. */
export function forget(ids: number[]): void {
  if (!ids.some((id) => hidden.value.has(id))) return;
  hidden.value = new Set([...hidden.value].filter((id) => !ids.includes(id)));
}

/**
 * Deletes messages at once. The caller has confirmed it. One call a message, since a call for the mailbox would also delete
 * what a filter hides, and what came after the question.
 */
export async function deleteNow(ids: number[]): Promise<void> {
  const failed = await runAll(ids, (id) => request('DELETE', `/api/messages/${id}`));
  tell(`${(ids.length - failed.length).toLocaleString('en')} messages deleted`);
  refreshList();
}

// Leaving the page carries out pending deletions.
addEventListener('pagehide', () => {
  for (const { ids, timer } of pending) {
    clearTimeout(timer);
    for (const id of ids)
      void request('DELETE', `/api/messages/${id}`, undefined, { keepalive: true }).catch(() => {});
  }
  pending.clear();
});
