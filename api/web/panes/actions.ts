import { request } from '../client/request.ts';
import type { Message, MessageSummary } from '../client/shapes.ts';
import { inTeam } from '../client/team.ts';
import { tell } from '../parts/toast.tsx';
import { goMail, mailPlace } from '../place.ts';
import { deleteLater } from './deletion.ts';
import { copyFound } from './found.tsx';
import { indexOfMessage, messageAt } from './hidden.ts';
import { changeRow, currentRows, currentScope, removeRow } from './list.ts';
import { runAll } from './run-all.ts';
import { active, clearSelection } from './selection.ts';

/** Fields that an update can change. */
type Change = Partial<Pick<MessageSummary, 'is_read' | 'is_flagged' | 'expires_at'>>;

/** Changes messages. A message whose change is refused is shown as before. */
export async function change(ids: number[], update: Change): Promise<void> {
  const before = ids.map((id) => currentRows().find(id)).filter((row) => row !== undefined);
  for (const { id } of before) changeRow(id, update);
  const failed = await runAll(ids, async (id) => {
    const { is_read, is_flagged, expires_at } = await request<Message>(
      'PATCH',
      `/api/messages/${id}`,
      update,
    );
    changeRow(id, { is_read, is_flagged, expires_at });
  });
  for (const row of before) if (failed.includes(row.id)) changeRow(row.id, row);
}

/** Marks messages as read, or as unread if all of them are read. */
export async function toggleRead(ids: number[]): Promise<void> {
  const someUnread = ids.some((id) => currentRows().find(id)?.is_read === false);
  await change(ids, { is_read: someUnread });
}

export async function toggleFlag(ids: number[]): Promise<void> {
  const someUnflagged = ids.some((id) => currentRows().find(id)?.is_flagged !== true);
  await change(ids, { is_flagged: someUnflagged });
}

/** Marks those of the messages as read that are not. */
export async function markRead(ids: number[]): Promise<void> {
  const read = new Set(
    currentRows()
      .known()
      .flatMap(({ id, is_read }) => (is_read ? [id] : [])),
  );
  await change(
    ids.filter((id) => !read.has(id)),
    { is_read: true },
  );
}

/** Moves messages within their account. If the open message leaves the list, the next one is opened in its place. */
export async function moveTo(ids: number[], mailbox: number): Promise<void> {
  const { account } = currentScope();
  if (account !== null) advance(ids);
  await runAll(ids, async (id) => {
    const { account_id, mailbox_id } = await summaryOf(id);
    const path = `/api/accounts/${account_id}/mailboxes/${mailbox_id}/messages/${id}/move`;
    await request<Message>('PUT', path, { mailbox_id: mailbox });
    if (account === null) changeRow(id, { mailbox_id: mailbox });
    else removeRow(id);
  });
}

/** Returns a message's row, or reads the message if it is open but not in the list. */
const summaryOf = async (id: number): Promise<MessageSummary> =>
  currentRows().find(id) ?? (await request<Message>('GET', `/api/messages/${id}`));

/** Copies the code of a message, or else its main link. */
export async function copyOf(id: number): Promise<void> {
  try {
    await copyFound(await summaryOf(id));
  } catch (error) {
    tell(error instanceof Error ? error.message : String(error));
  }
}

export function remove(ids: number[]): void {
  if (ids.length === 0) return;
  advance(ids);
  deleteLater(ids);
}

/** Saves each message as a file, `message-7.eml`. */
export function download(ids: number[]): void {
  for (const id of ids) {
    const link = document.createElement('a');
    link.href = inTeam(`/api/messages/${id}/raw`);
    link.download = `message-${id}.eml`;
    link.click();
  }
}

/** Moves on to the message after those that leave the list. Opens it if one of them is open, else only makes it active. */
function advance(ids: number[]): void {
  const leaving = new Set(ids);
  const last = Math.max(...ids.map(indexOfMessage));
  let index = last + 1;
  let next = last < 0 ? undefined : messageAt(index);
  while (next !== undefined && leaving.has(next.id)) next = messageAt(++index);
  for (index = last - 1; next === undefined && index >= 0; index--) {
    const earlier = messageAt(index);
    if (earlier !== undefined && !leaving.has(earlier.id)) next = earlier;
  }
  const { message } = mailPlace.value;
  clearSelection();
  active.value = next?.id ?? null;
  if (message !== null && leaving.has(message)) {
    goMail({ message: next?.id ?? null, tab: next ? mailPlace.value.tab : null }, { replace: true });
  }
}
