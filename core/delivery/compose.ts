import { type Invalid, invalid } from '#core/errors.ts';
import type { Id } from '#core/ids.ts';

/** Message that a user writes. Addresses are bare. Absent texts are left out. */
export type Draft = Addressees & { subject: string; text: string | null; html: string | null };

export type Addressees = { to: string[]; cc: string[]; bcc: string[]; replyTo: string[] };

/** Header fields of a message that its sender does not choose. */
export type Origin = {
  from: string;
  date: Date;
  /** Right side of the Message-ID. */
  messageIdDomain: string;
};

/** Request to send, not parsed yet. `reader`: module for another thread that exports a DraftReader as `readDraft`. */
export type DraftRequest = { bytes: Uint8Array; reader: URL };

/** Reads a request to send. Throws Malformed and Invalid. */
export type DraftReader = (bytes: Uint8Array) => Draft;

export type Composed = { addressees: Addressees; message: Uint8Array };

/** Makes RFC 5322 messages with CRLF line ends and without Bcc. */
export type MailComposer = {
  /** Composes a message. Users take turns. Throws what the reader throws, Invalid and Overloaded. */
  compose(user: Id, request: DraftRequest, origin: Origin, maxBytes: number): Promise<Composed>;
  close(): Promise<void>;
};

/** Throws Invalid. */
export function checkDraft(draft: Draft): void {
  if (/[\r\n\0]/.test(draft.subject)) throw invalid('subject', 'must not contain line breaks or NUL');
}

export function overlong(maxBytes: number): Invalid {
  return invalid('text', `makes a message over ${maxBytes} bytes`);
}
