import { invalid, NotFound } from '#core/errors.ts';
import type { Id } from '#core/ids.ts';
import { limits } from '#core/limits.ts';
import type { MessageStore, RawMessage } from '#core/messages/message.ts';
import { type ReadPorts, readRaw } from '#core/messages/read-message.ts';
import type { Requester } from '#core/messages/requester.ts';
import type { Comparison } from './comparison.ts';
import type { MaskKind } from './masks.ts';

/** Mail that is compared: a stored message, or the bytes of a mail. */
export type Side = { messageId: Id } | { raw: Uint8Array<ArrayBuffer> };

/** Bytes of a mail, or a stored message whose bytes are not read yet. */
export type MailSource = Uint8Array<ArrayBuffer> | RawMessage;

/** Values that are not compared: those of some kinds, and what regular expressions of the user match (flags `gu`). */
export type Masking = { kinds: MaskKind[]; patterns: string[] };

/** Compares mails, in another thread than the caller's. */
export type MailComparer = {
  /**
   * Compares the normal forms of two mails, users in turn. Reads stored messages when it is the turn of the user. The bytes
   * move to the thread. Throws TooMany, Overloaded, NotFound for a message that was deleted meanwhile, and Invalid for a mail
   * whose text is longer than what messages show of it, and for an expression that is none or takes too long.
   */
  compare(requester: Requester, left: MailSource, right: MailSource, masking: Masking): Promise<Comparison>;
};

type Ports = ReadPorts & { messages: Pick<MessageStore, 'raw'>; mailComparer: MailComparer };

/**
 * Compares two mails of a team, without the values of the masked kinds. Stores nothing. Throws Invalid for a message that the
 * team does not have and a mail that is too large, TooMany, Overloaded.
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
