import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import { SearchTimeout } from '#core/errors.ts';
import { pathKey } from '#core/mailboxes/mailbox.ts';
import type { MessageFilter, MessageStore } from '#core/messages/message.ts';
import { offsetOf } from '#core/page.ts';
import type { Sync } from './calls.ts';
import { type SummaryRow, summaryColumns, toSummary } from './message-rows.ts';
import {
  bindScope,
  bindVisibility,
  messagesOf,
  newestFirst,
  scopeOf,
  unexpired,
  withoutCopies,
} from './message-scope.ts';
import { query, transaction } from './query.ts';

/** Lists that have to look at many rows: they run in a thread of their own. */
export type MessageSearch = { search: Sync<Pick<MessageStore, 'list'>>['list'] };

/** Searches longer than `limitMs` throw SearchTimeout. */
export function messageSearch(db: DatabaseSync, limitMs: number): MessageSearch {
  let deadline = 0;
  db.function('in_time', () => {
    if (performance.now() > deadline) throw new SearchTimeout('The search took too long');
    return 1;
  });
  const byId = query<SummaryRow>(db, `SELECT ${summaryColumns} FROM message m WHERE m.id = :id`);
  const head = query<{ head: number }>(db, 'SELECT head FROM user WHERE id = :owner');
  return {
    search: (owner, filter, page, visibility) =>
      transaction(db, 'DEFERRED', () => {
        deadline = performance.now() + limitMs;
        const scope = scopeOf(owner, filter);
        const { conditions, bound } = conditionsOf(filter);
        const matches = query<{ id: number }>(
          db,
          `SELECT m.id ${messagesOf[scope.by]} AND in_time() AND ${unexpired} ${conditions.join(' ')} ${newestFirst}`,
        ).all({ ...bindScope(owner, scope, filter), ...bindVisibility(visibility), ...bound });
        const shown = matches.slice(offsetOf(page), offsetOf(page) + page.limit);
        const items = shown.flatMap(({ id }) => byId.get({ id }) ?? []).map(toSummary);
        return { items, total: matches.length, cursor: head.get({ owner })?.head ?? 0 };
      }),
  };
}

/** Recipients are those of the header, and the owner's own ones of the envelope: `own_recipients`. */
const fields = {
  subject: ['s.subject'],
  from: ['s.sender'],
  to: ['s.recipients', 'm.own_recipients'],
  word: ['s.subject', 's.text', 's.sender', 's.recipients', 'm.own_recipients'],
};

function conditionsOf(filter: MessageFilter) {
  const conditions: string[] = [];
  const texts: string[] = [];
  const bound: Record<string, SQLInputValue> = {};
  const contain = (columns: string[], text: string | undefined) => {
    if (text === undefined) return;
    const name = `text${texts.length}`;
    bound[name] = text;
    texts.push(`(${columns.map((column) => `ifnull(instr(${column}, :${name}), 0)`).join(' OR ')})`);
  };
  if (filter.mailboxPath !== undefined) {
    bound.path = pathKey(filter.mailboxPath);
    conditions.push('AND b.path_key = :path');
  } else if (filter.mailboxId === undefined) {
    conditions.push(`AND ${withoutCopies}`);
  }
  contain(fields.from, filter.from);
  contain(fields.to, filter.to);
  contain(fields.subject, filter.subject);
  for (const word of filter.words ?? []) contain(fields.word, word);
  if (texts.length > 0) {
    // The text is read only for messages that everything else lets pass.
    conditions.push(
      `AND EXISTS (SELECT 1 FROM search s WHERE s.body_id = m.body_id AND ${texts.join(' AND ')})`,
    );
  }
  return { conditions, bound };
}
