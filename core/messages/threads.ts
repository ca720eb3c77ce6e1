import { hash } from 'node:crypto';
import type { Id } from '#core/ids.ts';
import { limits } from '#core/limits.ts';

const { threadReferences, commitRows } = limits.mail;

/** Message-IDs that link a message to others in its account: the message's own ID, and the IDs that it refers to. */
export type ThreadTokens = { own: string | null; references: string[] };

const hashCharacters = 24;

/** Hashes tokens into the form that stores keep: 24 characters (144 bits) each, however long the Message-ID is. */
export function hashTokens({ own, references }: ThreadTokens): ThreadTokens {
  const hashed = (token: string) => hash('sha256', token, 'base64url').slice(0, hashCharacters);
  return { own: own === null ? null : hashed(own), references: references.map(hashed) };
}

/**
 * Returns an email's tokens. Keeps the last references, which name the nearest ancestors (RFC 5322 section 3.6.4). Drops a message's
 * reference to itself, so two copies of such a message stay separate.
 */
export function threadTokens(mail: {
  msgid: string | null;
  inReplyTo: string | null;
  references: string[];
}): ThreadTokens {
  const { msgid: own, inReplyTo } = mail;
  const nearest = [...mail.references.slice(-threadReferences), ...(inReplyTo === null ? [] : [inReplyTo])];
  // If a reference is repeated, keeps its last position. In-Reply-To names the parent, so it comes last.
  const references = [...new Set(nearest.toReversed())].toReversed().filter((token) => token !== own);
  return { own, references: references.slice(-threadReferences) };
}

/** Keeps the nearest references of an email that becomes `messages` messages: the more messages, the fewer references. */
export function nearestTokens({ own, references }: ThreadTokens, messages: number): ThreadTokens {
  return { own, references: references.slice(-countedReferences(messages)) };
}

/** Returns the maximum number of references that link each of `messages` messages. Together they stay within one commit's rows. */
function countedReferences(messages: number): number {
  return Math.min(threadReferences, Math.max(1, Math.floor(commitRows / Math.max(1, messages))));
}

/**
 * Chooses the conversation for a new message and everything that it is linked to. `linked` are conversations; `single` are messages
 * without one. Keeps the largest conversation, because that changes the fewest rows. `into` is null if a new conversation begins. Returns
 * null for a message without links.
 */
export function joinConversations(
  linked: { id: Id; size: number }[],
  single: Id[],
): { into: Id | null; dissolved: Id[] } | null {
  if (linked.length === 0 && single.length === 0) return null;
  const [largest, ...others] = linked.toSorted((a, b) => b.size - a.size || a.id - b.id);
  return { into: largest?.id ?? null, dissolved: others.map((conversation) => conversation.id) };
}

/** Stored or new message, with the facts that threading needs. `tokens` are hashed. */
export type ThreadMember = {
  id: Id;
  accountId: Id;
  number: number;
  conversationId: Id | null;
  tokens: ThreadTokens;
};

/** Related messages. A conversation of two or more messages is shown as a thread, under the ID of its earliest message. */
export type Conversation = { id: Id; earliest: Id; number: number; size: number };

/** Stored rows that are reached through the new messages' tokens. */
export type KnownThreads = {
  /** Conversations by token key, for tokens that stored messages refer to. */
  byToken: Map<string, Id>;
  /** Stored messages whose own token is referred to by a new message, but not by a stored one. */
  holders: ThreadMember[];
  conversations: Conversation[];
};

/** Rows to write. The conversation IDs are final. */
export type ThreadPlan = {
  /** Conversations by message, for new messages and for stored messages that had no conversation. */
  conversationOf: Map<Id, Id>;
  changed: Conversation[];
  merged: { from: Id; into: Id }[];
  /** Tokens that new messages refer to, by key, with the number of these messages. */
  referrers: Map<string, Referrers>;
};

export type Referrers = { accountId: Id; token: string; conversationId: Id; added: number };

export const tokenKey = (accountId: Id, token: string) => `${accountId}:${token}`;

/**
 * Links new messages, in order, with stored messages and with each other. An account's messages that refer to the same token are in one
 * conversation, which the token's row names. The message whose own token it is joins them. A conversation of a single message is not
 * shown.
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

/** Joins two conversations. Their earliest message is the one with the lowest number or, if equal, the lowest ID. */
function joined(a: Conversation, b: Conversation | undefined): Conversation {
  if (b === undefined) return a;
  const first = a.number < b.number || (a.number === b.number && a.earliest < b.earliest) ? a : b;
  return { ...first, id: b.id, size: a.size + b.size };
}
