import type { DatabaseSync } from 'node:sqlite';
import { query } from '#adapters/stores/sqlite/workers/query.ts';
import type { Id } from '#core/ids.ts';
import type { ThreadTokens } from '#core/messages/threads.ts';
import {
  type Conversation,
  type KnownThreads,
  planThreads,
  type ThreadMember,
  type ThreadPlan,
  tokenKey,
} from '#core/messages/threads.ts';

export type Conversations = {
  /**
   * Links new messages, in order, with other messages in their accounts. Returns the new messages' conversations, whose rows the caller
   * writes.
   */
  join(arrivals: ThreadMember[]): Map<Id, Id>;
  /** Removes a message from its conversation. The message's row has already been deleted. */
  leave(accountId: Id, messageId: Id, conversationId: Id | null, tokens: ThreadTokens): void;
};

export function conversations(db: DatabaseSync): Conversations {
  const known = knownThreads(db);
  const write = threadWriter(db);
  return {
    join(arrivals) {
      const plan = planThreads(arrivals, known(arrivals));
      write(plan, arrivals);
      return plan.conversationOf;
    },
    leave: threadLeaver(db),
  };
}

/** Reads the rows that the new messages' tokens refer to. */
function knownThreads(db: DatabaseSync): (arrivals: ThreadMember[]) => KnownThreads {
  const named = query<{ conversation_id: number }>(
    db,
    'SELECT conversation_id FROM reference_token WHERE account_id = :account AND token = :token',
  );
  const holding = query<{ id: number; number: number; conversation_id: number | null }>(
    db,
    `SELECT m.id, m.number, m.conversation_id FROM message_token t CROSS JOIN message m ON m.id = t.message_id
     WHERE t.account_id = :account AND t.token = :token`,
  );
  const conversation = query<Conversation>(
    db,
    'SELECT id, earliest, number, size FROM conversation WHERE id = :id',
  );
  return (arrivals) => {
    const byToken = new Map<string, Id>();
    const holders = new Map<string, ThreadMember[]>();
    const lookUp = (account: Id, token: string): boolean => {
      const key = tokenKey(account, token);
      if (byToken.has(key)) return true;
      const id = named.get({ account, token })?.conversation_id;
      if (id !== undefined) byToken.set(key, id);
      return id !== undefined;
    };
    for (const { accountId, tokens } of arrivals) {
      if (tokens.own !== null) lookUp(accountId, tokens.own);
      for (const token of tokens.references) {
        const key = tokenKey(accountId, token);
        if (lookUp(accountId, token) || holders.has(key)) continue;
        const found = holding.all({ account: accountId, token });
        const member = { accountId, tokens: { own: token, references: [] } };
        holders.set(
          key,
          found.map(({ id, number, conversation_id: conversationId }) => ({
            ...member,
            ...{ id, number, conversationId },
          })),
        );
      }
    }
    const members = [...holders.values()].flat();
    const ids = new Set([
      ...byToken.values(),
      ...members.flatMap(({ conversationId }) => conversationId ?? []),
    ]);
    const conversations = [...ids].flatMap((id) => conversation.get({ id }) ?? []);
    return { byToken, holders: members, conversations };
  };
}

function threadWriter(db: DatabaseSync): (plan: ThreadPlan, arrivals: ThreadMember[]) => void {
  const merge = [
    'UPDATE message SET conversation_id = :into WHERE conversation_id = :from',
    'UPDATE reference_token SET conversation_id = :into WHERE conversation_id = :from',
  ].map((sql) => query(db, sql));
  const dissolve = query(db, 'DELETE FROM conversation WHERE id = :from');
  const admit = query(db, 'UPDATE message SET conversation_id = :into WHERE id = :message');
  const change = query(
    db,
    `INSERT INTO conversation (id, earliest, number, size) VALUES (:id, :earliest, :number, :size)
     ON CONFLICT (id) DO UPDATE SET earliest = :earliest, number = :number, size = :size`,
  );
  const refer = query(
    db,
    `INSERT INTO reference_token (account_id, token, conversation_id, referrers)
     VALUES (:account, :token, :conversation, :added)
     ON CONFLICT (account_id, token) DO UPDATE SET conversation_id = :conversation, referrers = referrers + :added`,
  );
  const insertOwn = query(
    db,
    'INSERT INTO message_token (account_id, token, message_id) VALUES (:account, :token, :message)',
  );
  return ({ conversationOf, changed, merged, referrers }, arrivals) => {
    for (const { from, into } of merged) {
      for (const update of merge) update.run({ from, into });
      dissolve.run({ from });
    }
    const arrived = new Set(arrivals.map(({ id }) => id));
    for (const [message, into] of conversationOf) if (!arrived.has(message)) admit.run({ message, into });
    for (const conversation of changed) change.run(conversation);
    for (const { accountId: account, token, conversationId: conversation, added } of referrers.values()) {
      refer.run({ account, token, conversation, added });
    }
    for (const { id: message, accountId: account, tokens } of arrivals) {
      if (tokens.own !== null) insertOwn.run({ account, token: tokens.own, message });
    }
  };
}

function threadLeaver(db: DatabaseSync): Conversations['leave'] {
  const forgetOwn = query(
    db,
    'DELETE FROM message_token WHERE account_id = :account AND token = :token AND message_id = :message',
  );
  const release = query<{ referrers: number }>(
    db,
    `UPDATE reference_token SET referrers = referrers - 1 WHERE account_id = :account AND token = :token
     RETURNING referrers`,
  );
  const forget = query(db, 'DELETE FROM reference_token WHERE account_id = :account AND token = :token');
  const first = query<{ id: number; number: number }>(
    db,
    'SELECT id, number FROM message WHERE conversation_id = :conversation ORDER BY number, id LIMIT 1',
  );
  const shrink = query(
    db,
    'UPDATE conversation SET earliest = :earliest, number = :number, size = size - 1 WHERE id = :conversation',
  );
  const remove = query(db, 'DELETE FROM conversation WHERE id = :conversation');
  return (account, message, conversation, { own, references }) => {
    if (own !== null) forgetOwn.run({ account, token: own, message });
    for (const token of references) {
      if (release.get({ account, token })?.referrers === 0) forget.run({ account, token });
    }
    if (conversation === null) return;
    const stays = first.get({ conversation });
    if (stays === undefined) remove.run({ conversation });
    else shrink.run({ conversation, earliest: stays.id, number: stays.number });
  };
}
