import type { Id } from '#core/ids.ts';
import { joinConversations, type ThreadTokens } from './thread.ts';

/** Message, stored or new, with the facts that threading needs. `tokens` are hashed. */
export type ThreadMember = {
  id: Id;
  accountId: Id;
  number: number;
  conversationId: Id | null;
  tokens: ThreadTokens;
};

/**
 * Messages that belong together. A conversation of two or more is shown as a thread, under the id of its earliest message.
 */
export type Conversation = { id: Id; earliest: Id; number: number; size: number };

/** Stored rows that the tokens of the new messages lead to. */
export type KnownThreads = {
  /** Conversations by token key, for tokens that a stored message refers to. */
  byToken: Map<string, Id>;
  /** Stored messages whose own token is referred to by a new message, and by no stored one. */
  holders: ThreadMember[];
  conversations: Conversation[];
};

/** Rows to be written. Ids of conversations are final. */
export type ThreadPlan = {
  /** Conversations by message, for new messages and for stored ones that were in none. */
  conversationOf: Map<Id, Id>;
  changed: Conversation[];
  merged: { from: Id; into: Id }[];
  /** Tokens that new messages refer to, by key, and how many of these messages there are. */
  referrers: Map<string, Referrers>;
};

export type Referrers = { accountId: Id; token: string; conversationId: Id; added: number };

/** Key of a token within its account. */
export const tokenKey = (accountId: Id, token: string) => `${accountId}:${token}`;

/**
 * Links new messages, in their order, with stored ones and with one another. Messages of an account that refer to the same
 * token are in one conversation, which the token's row names. The message whose own token it is joins them. A conversation
 * of a single message is not shown.
 */
export function planThreads(arrivals: ThreadMember[], known: KnownThreads): ThreadPlan {
  const conversations = new Map(known.conversations.map((row) => [row.id, { ...row }]));
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
  const current = ({ id: member, conversationId }: ThreadMember): Id | null => {
    const id = conversationOf.get(member) ?? conversationId;
    return id === null ? null : settled(id);
  };
  const admit = (id: Id, { id: earliest, number }: ThreadMember): void => {
    conversations.set(id, joined({ id, earliest, number, size: 1 }, conversations.get(id)));
    conversationOf.set(earliest, id);
    changed.add(id);
  };
  const merge = (from: Id, into: Id): void => {
    const [gone, stays] = [conversations.get(from), conversations.get(into)];
    if (gone !== undefined) conversations.set(into, { ...joined(gone, stays), id: into });
    conversations.delete(from);
    mergedInto.set(from, into);
    changed.add(into);
  };

  for (const member of arrivals) {
    const { accountId, tokens } = member;
    const references = tokens.references.map((token) => ({ token, key: tokenKey(accountId, token) }));
    const own = tokens.own === null ? null : tokenKey(accountId, tokens.own);
    const linked = new Set<Id>();
    const single: ThreadMember[] = [];
    const children = own === null ? undefined : byToken.get(own);
    if (children !== undefined) linked.add(settled(children));
    for (const { key } of references) {
      const named = byToken.get(key);
      if (named !== undefined) linked.add(settled(named));
      else {
        for (const holder of holders.get(key) ?? []) {
          const id = current(holder);
          if (id === null) single.push(holder);
          else linked.add(id);
        }
      }
    }
    if (own !== null) {
      const others = holders.get(own);
      if (others === undefined) holders.set(own, [member]);
      else others.push(member);
    }
    if (linked.size === 0 && references.length === 0) continue;
    const sizes = [...linked].map((id) => ({ id, size: conversations.get(id)?.size ?? 0 }));
    const decision = joinConversations(
      sizes,
      single.map(({ id }) => id),
    );
    const into = decision?.into ?? member.id;
    for (const other of [...single, member]) admit(into, other);
    for (const from of decision?.dissolved ?? []) merge(from, into);
    for (const { token, key } of references) {
      byToken.set(key, into);
      const added = (referrers.get(key)?.added ?? 0) + 1;
      referrers.set(key, { accountId, token, conversationId: into, added });
    }
  }
  return {
    conversationOf: new Map([...conversationOf].map(([member, id]) => [member, settled(id)])),
    changed: [...changed].flatMap((id) => conversations.get(id) ?? []),
    merged: [...mergedInto.keys()].map((from) => ({ from, into: settled(from) })),
    referrers: new Map(
      [...referrers].map(([key, row]) => [key, { ...row, conversationId: settled(row.conversationId) }]),
    ),
  };
}

/** Joins two conversations. The earliest message is that with the lowest number, then the lowest id. */
function joined(a: Conversation, b: Conversation | undefined): Conversation {
  if (b === undefined) return a;
  const first = a.number < b.number || (a.number === b.number && a.earliest < b.earliest) ? a : b;
  return { ...first, id: b.id, size: a.size + b.size };
}
