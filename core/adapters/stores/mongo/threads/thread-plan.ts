import type { ConversationRow, MessageRow } from '#core/adapters/stores/mongo/schema/rows.ts';
import type { Id } from '#core/ids.ts';
import { joinConversations, type ThreadTokens } from '#core/messages/thread.ts';

/** What linking needs to know of a message, stored or new. */
export type ThreadMember = Pick<MessageRow, '_id' | 'accountId' | 'number' | 'conversationId'> & {
  tokens: ThreadTokens;
};

/** What the store knows of all that the new messages name. */
export type KnownThreads = {
  /** Conversations by the keys of the tokens that somebody refers to. */
  byToken: Map<string, Id>;
  /** Messages that have one of the tokens as their own, which nobody referred to before. */
  holders: ThreadMember[];
  conversations: ConversationRow[];
};

/** What is to be written; ids of conversations are the final ones. */
export type ThreadPlan = {
  conversationOf: Map<Id, Id>;
  changed: ConversationRow[];
  merged: { from: Id; into: Id }[];
  referrers: Map<string, { conversationId: Id; added: number }>;
};

/** Under what an account's token is kept. */
export const tokenKey = (accountId: Id, token: string) => `${accountId}:${token}`;

/**
 * Links new messages, in their order, with those that are known and with one another.
 *
 * All messages that refer to one token are in one conversation, which the token names; so is whoever has that token as
 * Message-ID, once somebody refers to it. A conversation may have a single message: then nobody sees it.
 */
export function planThreads(arrivals: ThreadMember[], known: KnownThreads): ThreadPlan {
  const conversations = new Map(known.conversations.map((row) => [row._id, { ...row }]));
  const byToken = new Map(known.byToken);
  const holders = Map.groupBy(known.holders, ({ accountId, tokens }) =>
    tokenKey(accountId, tokens.own ?? ''),
  );
  const conversationOf = new Map<Id, Id>();
  const mergedInto = new Map<Id, Id>();
  const referrers: ThreadPlan['referrers'] = new Map();
  const changed = new Set<Id>();

  const settled = (id: Id): Id => {
    const into = mergedInto.get(id);
    return into === undefined ? id : settled(into);
  };
  const current = ({ _id, conversationId }: ThreadMember): Id | null => {
    const id = conversationOf.get(_id) ?? conversationId;
    return id === null ? null : settled(id);
  };
  const admit = (id: Id, member: ThreadMember): void => {
    const { _id: earliest, number } = member;
    const row = conversations.get(id);
    conversations.set(id, joined({ _id: id, earliest, number, size: 1 }, row));
    conversationOf.set(earliest, id);
    changed.add(id);
  };
  const merge = (from: Id, into: Id): void => {
    const [gone, stays] = [conversations.get(from), conversations.get(into)];
    if (gone !== undefined) conversations.set(into, { ...joined(gone, stays), _id: into });
    conversations.delete(from);
    mergedInto.set(from, into);
    changed.add(into);
  };

  for (const member of arrivals) {
    const { accountId, tokens } = member;
    const references = tokens.references.map((token) => tokenKey(accountId, token));
    const own = tokens.own === null ? null : tokenKey(accountId, tokens.own);
    const linked = new Set<Id>();
    const single: ThreadMember[] = [];
    for (const key of own === null ? references : [own, ...references]) {
      const named = byToken.get(key);
      if (named !== undefined) linked.add(settled(named));
      else if (key !== own) {
        for (const holder of holders.get(key) ?? []) {
          const id = current(holder);
          if (id === null) single.push(holder);
          else linked.add(id);
        }
      }
    }
    if (own !== null) holders.set(own, [...(holders.get(own) ?? []), member]);
    if (linked.size === 0 && references.length === 0) continue;
    const sizes = [...linked].map((id) => ({ id, size: conversations.get(id)?.size ?? 0 }));
    const decision = joinConversations(
      sizes,
      single.map(({ _id }) => _id),
    );
    const into = decision?.into ?? member._id;
    for (const other of [...single, member]) admit(into, other);
    for (const from of decision?.dissolved ?? []) merge(from, into);
    for (const key of references) {
      byToken.set(key, into);
      referrers.set(key, { conversationId: into, added: (referrers.get(key)?.added ?? 0) + 1 });
    }
  }
  return {
    conversationOf: new Map([...conversationOf].map(([member, id]) => [member, settled(id)])),
    changed: [...changed].flatMap((id) => conversations.get(id) ?? []),
    merged: [...mergedInto.keys()].map((from) => ({ from, into: settled(from) })),
    referrers: new Map(
      [...referrers].map(([key, { conversationId, added }]) => [
        key,
        { conversationId: settled(conversationId), added },
      ]),
    ),
  };
}

/** One conversation of two: the earliest message is that with the lowest number, then the lowest id. */
function joined(a: ConversationRow, b: ConversationRow | undefined): ConversationRow {
  if (b === undefined) return a;
  const first = a.number < b.number || (a.number === b.number && a.earliest < b.earliest) ? a : b;
  return { ...first, _id: b._id, size: a.size + b.size };
}
