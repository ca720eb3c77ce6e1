import { invalid, NotFound } from '#core/errors.ts';
import type { Id } from '#core/ids.ts';
import { limits } from '#core/limits.ts';
import type { MessageStore, RawMessage } from '#core/messages/message.ts';
import { type ReadPorts, readRaw } from '#core/messages/read-message.ts';
import type { Requester } from '#core/messages/requester.ts';
import type { Comparison } from './comparison.ts';
import type { MaskKind } from './kinds.ts';

/** Email to compare: a stored message, or the bytes of an email. */
export type Side = { messageId: Id } | { raw: Uint8Array<ArrayBuffer> };

/** Bytes of an email, or a stored message whose bytes have not been read yet. */
export type MailSource = Uint8Array<ArrayBuffer> | RawMessage;

/** Values that are not compared: some kinds of values, and matches of the user's regular expressions (flags `gu`). */
export type Masking = { kinds: MaskKind[]; patterns: string[] };

/** Compares emails in a separate thread. */
export type MailComparer = {
  /**
   * Compares the normal forms of two emails. Users take turns, and stored messages are read only at the user's turn. The emails' bytes
   * are transferred to the thread. Throws TooMany and Overloaded, NotFound for a message that has been deleted in the meantime, and
   * Invalid for an email with more text than messages show or for an expression that is invalid or takes too long.
   */
  compare(requester: Requester, left: MailSource, right: MailSource, masking: Masking): Promise<Comparison>;
};

type Ports = ReadPorts & { messages: Pick<MessageStore, 'raw'>; mailComparer: MailComparer };

/**
 * Compares two of a team's emails, except for the values of the masked kinds. Stores nothing. Throws Invalid for a message that the team
 * does not have or an email that is too large; throws TooMany, Overloaded.
 */
export async function compareMails(
  ports: Ports,
  { team, userId }: { team: Id; userId: Id },
  sides: { left: Side; right: Side },
  masking: Masking,
  signal: AbortSignal,
): Promise<Comparison> {
  const left = await sourceOf(ports, team, sides, 'left');
  const right = await sourceOf(ports, team, sides, 'right');
  return ports.mailComparer.compare({ user: userId, signal }, left, right, masking);
}

async function sourceOf(
  ports: Ports,
  team: Id,
  sides: { left: Side; right: Side },
  name: 'left' | 'right',
): Promise<MailSource> {
  const side = sides[name];
  if ('raw' in side) {
    requireWithin(side.raw.length, name);
    return side.raw;
  }
  const raw = await readRaw(ports, team, side.messageId).catch((error) => {
    if (error instanceof NotFound) throw invalid(name, 'does not name one of your messages');
    throw error;
  });
  requireWithin(raw.sizeBytes, name);
  return raw;
}

function requireWithin(sizeBytes: number, name: string): void {
  const most = limits.comparison.mailBytes;
  if (sizeBytes > most)
    throw invalid(
      name,
      `has ${sizeBytes} bytes, but the limit for comparisons is ${most} bytes`,
      'comparison.mailBytes',
    );
}
