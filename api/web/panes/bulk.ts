import { ApiError, type Client } from '../client/client.ts';
import type { BulkAction, BulkResult } from '../client/shapes.ts';
import { number } from '../parts/size.ts';
import type { Toasts } from '../parts/toasts.ts';

/** Maximum ids per request. */
const mostIds = 1000;

/** Change to many messages. `mailbox` is the path to which messages move, `tag` the tag to add or remove. */
export type BulkChange = { action: BulkAction; mailbox?: string; tag?: string };

const doing: Record<BulkAction, string> = {
  read: 'Marking',
  unread: 'Marking',
  flag: 'Flagging',
  unflag: 'Removing flags',
  move: 'Moving',
  delete: 'Deleting',
  tag: 'Tagging',
  untag: 'Removing the tag',
};

/** Creates changes to many messages with few requests. Each request lists its messages, so newly arrived mail is not affected. */
export function createBulk({ request }: Pick<Client, 'request'>, { tell, tellProgress }: Toasts) {
  /**
   * Changes messages, and passes the messages of each completed request to a callback. If several requests are necessary, shows progress
   * and a stop button. Returns the messages that were not changed.
   */
  async function changeMany(
    ids: number[],
    change: BulkChange,
    done: (ids: number[]) => void,
  ): Promise<number[]> {
    const progress =
      ids.length > mostIds ? tellProgress(`${doing[change.action]} messages`, ids.length) : null;
    let at = 0;
    try {
      for (; at < ids.length && !progress?.isStopped(); at += mostIds) {
        const some = ids.slice(at, at + mostIds);
        await changeSome(some, change);
        done(some);
        progress?.reach(at + some.length);
      }
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const left = number(ids.length - at);
      const not = change.action === 'delete' ? 'Not deleted: ' : '';
      tell(
        ids.length <= mostIds ? not + error.message : `${left} messages were not changed: ${error.message}`,
      );
    } finally {
      progress?.end();
    }
    return ids.slice(at);
  }

  /** Applies one change, with further requests if the API stops at its time limit. */
  async function changeSome(ids: number[], change: BulkChange): Promise<void> {
    for (let cursor: string | null = null, isDone = false; !isDone; ) {
      const body = { ids, ...change, ...(cursor === null ? {} : { cursor }) };
      const answer: BulkResult = await request<BulkResult>('POST', '/api/messages/bulk', body);
      isDone = answer.done || answer.cursor === null;
      cursor = answer.cursor;
    }
  }

  /** Deletes messages while the page closes, with requests that outlive the page. */
  function deleteAtEnd(ids: number[]): void {
    for (let at = 0; at < ids.length; at += mostIds) {
      const body = { ids: ids.slice(at, at + mostIds), action: 'delete' };
      void request('POST', '/api/messages/bulk', body, { keepalive: true }).catch(() => {});
    }
  }
  return { changeMany, deleteAtEnd };
}

export type Bulk = ReturnType<typeof createBulk>;
