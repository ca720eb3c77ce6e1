import { hash } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { query } from '#core/adapters/stores/sqlite/workers/query.ts';
import type { Id } from '#core/ids.ts';
import { joinConversations, type ThreadTokens } from '#core/messages/thread.ts';

/** Tokens as they are stored: 16 bytes each, however long a Message-ID somebody sends. */
export type HashedTokens = { own: Uint8Array | null; references: Uint8Array[] };

const tokenBytes = 16;

export function hashTokens({ own, references }: ThreadTokens): HashedTokens {
  const hashed = (token: string) => hash('sha256', token, 'buffer').subarray(0, tokenBytes);
  return { own: own === null ? null : hashed(own), references: references.map(hashed) };
}

/** The references of a message as one value, and back. */
export function packTokens(tokens: Uint8Array[]): Uint8Array {
  return Buffer.concat(tokens);
}

export function unpackTokens(packed: Uint8Array): Uint8Array[] {
  const count = packed.length / tokenBytes;
  return Array.from({ length: count }, (_, i) => packed.subarray(i * tokenBytes, (i + 1) * tokenBytes));
}

type Member = { id: number; conversation_id: number | null };

export type Conversations = {
  /** Links a message, whose row is there already, with the others of its account. */
  join(accountId: Id, messageId: Id, tokens: HashedTokens): void;
  /** Takes a message, whose row is gone already, out of its conversation. */
  leave(accountId: Id, messageId: Id, conversationId: Id | null, tokens: HashedTokens): void;
};

/**
 * Messages that share a reference, or of which one is referred to, are always in one conversation already: of all those
 * that a reference leads to, one is enough. Only where nobody referred to a message yet can several share its id and
 * still be apart.
 */
export function conversations(db: DatabaseSync): Conversations {
  const member = (condition: string) =>
    query<Member>(
      db,
      `SELECT m.id, m.conversation_id FROM thread_token t CROSS JOIN message m ON m.id = t.message_id
       WHERE t.account_id = :account AND t.token = :token AND ${condition}`,
    );
  const referrer = member('t.is_reference = 1 LIMIT 1');
  const holders = member('t.is_reference = 0');
  const insertToken = query(
    db,
    'INSERT INTO thread_token (account_id, token, is_reference, message_id) VALUES (:account, :token, :kind, :message)',
  );
  const deleteToken = query(
    db,
    `DELETE FROM thread_token
     WHERE account_id = :account AND token = :token AND is_reference = :kind AND message_id = :message`,
  );
  const size = query<{ size: number }>(
    db,
    'SELECT count(*) AS size FROM message WHERE conversation_id = :conversation',
  );
  const create = query(db, 'INSERT INTO conversation (earliest) VALUES (0)');
  const admit = query(db, 'UPDATE message SET conversation_id = :into WHERE id = :message');
  const merge = query(db, 'UPDATE message SET conversation_id = :into WHERE conversation_id = :from');
  const remove = query(db, 'DELETE FROM conversation WHERE id = :conversation');
  const firstTwo = query<{ id: number }>(
    db,
    'SELECT id FROM message WHERE conversation_id = :conversation ORDER BY id LIMIT 2',
  );
  const setEarliest = query(db, 'UPDATE conversation SET earliest = :earliest WHERE id = :conversation');

  const linkedTo = (account: Id, { own, references }: HashedTokens): Member[] => {
    const members: Member[] = [];
    const child = own === null ? undefined : referrer.get({ account, token: own });
    if (child !== undefined) members.push(child);
    for (const token of references) {
      const sibling = referrer.get({ account, token });
      members.push(...(sibling === undefined ? holders.all({ account, token }) : [sibling]));
    }
    return members;
  };

  /** Points the conversation at its earliest message; one message alone is none. */
  const settle = (conversation: Id): void => {
    const [first, second] = firstTwo.all({ conversation });
    if (first !== undefined && second !== undefined) {
      setEarliest.run({ conversation, earliest: first.id });
      return;
    }
    if (first !== undefined) admit.run({ into: null, message: first.id });
    remove.run({ conversation });
  };

  return {
    join(account, message, tokens) {
      const members = linkedTo(account, tokens);
      const known = new Set(members.flatMap(({ conversation_id }) => conversation_id ?? []));
      const single = members.filter((other) => other.conversation_id === null).map((other) => other.id);
      const sizes = [...known].map((id) => ({
        id,
        // One conversation has nothing to be compared with, and counting a long one takes time.
        size: known.size > 1 ? (size.get({ conversation: id })?.size ?? 0) : 0,
      }));
      const decision = joinConversations(sizes, single);
      if (decision !== null) {
        const into = decision.into ?? create.run().id;
        for (const id of [...single, message]) admit.run({ into, message: id });
        for (const from of decision.dissolved) {
          merge.run({ into, from });
          remove.run({ conversation: from });
        }
        settle(into);
      }
      if (tokens.own !== null) insertToken.run({ account, token: tokens.own, kind: 0, message });
      for (const token of tokens.references) insertToken.run({ account, token, kind: 1, message });
    },
    leave(account, message, conversation, { own, references }) {
      if (own !== null) deleteToken.run({ account, token: own, kind: 0, message });
      for (const token of references) deleteToken.run({ account, token, kind: 1, message });
      if (conversation !== null) settle(conversation);
    },
  };
}
