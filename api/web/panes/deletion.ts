import { request } from '../client/request.ts';
import type { Emptied } from '../client/shapes.ts';
import { tell } from '../parts/toast.tsx';
import { hidden } from './hidden.ts';
import { currentScope, refreshList, removeRow } from './list.ts';
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

/** Deletes the whole list at once. The caller has confirmed it. A whole mailbox is deleted by one call. */
export async function deleteEverything(ids: number[]): Promise<void> {
  const { account, mailbox, q } = currentScope();
  if (account !== null && q === '') {
    const path = `/api/accounts/${account}/mailboxes/${mailbox}/messages`;
    const { deleted } = await request<Emptied>('DELETE', path);
    tell(`${deleted.toLocaleString('en')} messages deleted`);
  } else {
    const failed = await runAll(ids, (id) => request('DELETE', `/api/messages/${id}`));
    tell(`${(ids.length - failed.length).toLocaleString('en')} messages deleted`);
  }
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
