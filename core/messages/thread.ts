import type { Id } from '#core/ids.ts';

/** References that count: the last ones, which are the nearest ancestors (RFC 5322 section 3.6.4). */
const mostReferences = 100;

/** By what a message is linked to others of its account: its own Message-ID, and those that it refers to. */
export type ThreadTokens = { own: string | null; references: string[] };

/** What a store knows about a conversation that a new message is linked to: its key in the store, and its size. */
export type Conversation = { id: Id; size: number };

/** The tokens of a message. A reference to itself links it to nothing: two copies of such a message stay two. */
export function threadTokens(message: {
  msgid: string | null;
  inReplyTo: string | null;
  references: string[];
}): ThreadTokens {
  const { msgid: own, inReplyTo } = message;
  const nearest = [...message.references.slice(-mostReferences), ...(inReplyTo === null ? [] : [inReplyTo])];
  const references = [...new Set(nearest)].slice(-mostReferences).filter((token) => token !== own);
  return { own, references };
}

/** Two messages of an account are linked when one refers to the other, or both to the same message. */
export function isLinked(a: ThreadTokens, b: ThreadTokens): boolean {
  return (
    (a.own !== null && b.references.includes(a.own)) ||
    (b.own !== null && a.references.includes(b.own)) ||
    a.references.some((token) => b.references.includes(token))
  );
}

/**
 * What a new message makes of the messages that it is linked to: which conversation takes them all in (null: a new one
 * begins), and which are dissolved into it. The largest stays, so that the fewest rows change. Null: linked to none.
 */
export function joinConversations(
  linked: Conversation[],
  single: Id[],
): { into: Id | null; dissolved: Id[] } | null {
  if (linked.length === 0 && single.length === 0) return null;
  const [largest, ...others] = linked.toSorted((a, b) => b.size - a.size || a.id - b.id);
  return { into: largest?.id ?? null, dissolved: others.map((conversation) => conversation.id) };
}
