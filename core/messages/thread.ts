import { hash } from 'node:crypto';
import type { Id } from '#core/ids.ts';
import { limits } from '#core/limits.ts';

const { threadReferences, commitRows } = limits.mail;

/** Message-IDs that link a message to others of its account: its own, and those that it refers to. */
export type ThreadTokens = { own: string | null; references: string[] };

const hashCharacters = 24;

/** Hashes tokens into the form in which stores keep them: 24 characters (144 bits) each, however long a Message-ID is. */
export function hashTokens({ own, references }: ThreadTokens): ThreadTokens {
  const hashed = (token: string) => hash('sha256', token, 'base64url').slice(0, hashCharacters);
  return { own: own === null ? null : hashed(own), references: references.map(hashed) };
}

/**
 * Returns the tokens of a mail. The last references count, which are the nearest ancestors (RFC 5322 section 3.6.4). A
 * reference to the message itself is dropped, so that two copies of such a message stay apart.
 */
export function threadTokens(mail: {
  msgid: string | null;
  inReplyTo: string | null;
  references: string[];
}): ThreadTokens {
  const { msgid: own, inReplyTo } = mail;
  const nearest = [...mail.references.slice(-threadReferences), ...(inReplyTo === null ? [] : [inReplyTo])];
  // Keeps the last place of a reference that occurs twice. In-Reply-To names the parent, and comes last.
  const references = [...new Set(nearest.toReversed())].toReversed().filter((token) => token !== own);
  return { own, references: references.slice(-threadReferences) };
}

/** Leaves the nearest references of a mail that becomes `messages` messages: fewer where it goes to many accounts. */
export function nearestTokens({ own, references }: ThreadTokens, messages: number): ThreadTokens {
  return { own, references: references.slice(-countedReferences(messages)) };
}

/** Most references that link each of `messages` messages: together they stay within the rows of one commit. */
export function countedReferences(messages: number): number {
  return Math.min(threadReferences, Math.max(1, Math.floor(commitRows / Math.max(1, messages))));
}

/**
 * Chooses the conversation of a new message and of all that it is linked to. `linked` are conversations, `single` messages
 * that are in none. The largest conversation is kept, so that the fewest rows change. `into` is null where a new one begins.
 * Returns null for a message that is linked to nothing.
 */
export function joinConversations(
  linked: { id: Id; size: number }[],
  single: Id[],
): { into: Id | null; dissolved: Id[] } | null {
  if (linked.length === 0 && single.length === 0) return null;
  const [largest, ...others] = linked.toSorted((a, b) => b.size - a.size || a.id - b.id);
  return { into: largest?.id ?? null, dissolved: others.map((conversation) => conversation.id) };
}
