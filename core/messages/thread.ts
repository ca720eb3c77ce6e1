import type { Id } from '#core/ids.ts';
import { limits } from '#core/limits.ts';

const { threadReferences, commitRows } = limits.mail;

/** By what a message is linked to others of its account: its own Message-ID, and those that it refers to. */
export type ThreadTokens = { own: string | null; references: string[] };

/** What a store knows about a conversation that a new message is linked to: its key in the store, and its size. */
export type Conversation = { id: Id; size: number };

/**
 * The tokens of a mail that becomes so many messages. References that count are the last ones, which are the nearest
 * ancestors (RFC 5322 section 3.6.4): fewer where the mail goes to many accounts. A reference to itself links a message to
 * nothing: two copies of such a message stay two.
 */
export function threadTokens(
  mail: { msgid: string | null; inReplyTo: string | null; references: string[] },
  messages: number,
): ThreadTokens {
  const { msgid: own, inReplyTo } = mail;
  const most = countedReferences(messages);
  const nearest = [...mail.references.slice(-most), ...(inReplyTo === null ? [] : [inReplyTo])];
  const references = [...new Set(nearest)].slice(-most).filter((token) => token !== own);
  return { own, references };
}

/** References that link each of so many messages: all together they make no more rows than a commit may have. */
export function countedReferences(messages: number): number {
  return Math.min(threadReferences, Math.max(1, Math.floor(commitRows / Math.max(1, messages))));
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
