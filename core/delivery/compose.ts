import { Invalid, invalid, type Violation } from '#core/errors.ts';
import { limits } from '#core/limits.ts';
import type { NamedAddress } from '#core/messages/content.ts';
import type { CaptureRefusal } from './accept-recipient.ts';

/** Message to compose. `headers` are additional to those from the other fields. `note`: value returned unchanged with the outcome. */
export type Draft = {
  from: NamedAddress;
  to: NamedAddress[];
  cc: NamedAddress[];
  bcc: NamedAddress[];
  replyTo: NamedAddress[];
  subject: string;
  text: string | null;
  html: string | null;
  headers: { name: string; value: string }[];
  attachments: DraftAttachment[];
  note?: string;
};

/** File of a draft. If it has a `contentId` (without angle brackets), it is shown within the HTML. */
export type DraftAttachment = {
  filename: string | null;
  contentType: string | null;
  contentId: string | null;
  bytes: Uint8Array;
};

/** Message that its sender has already composed, with its envelope. */
export type RawDraft = { raw: Uint8Array; mailFrom: string; recipients: string[] };

/** Draft that is refused without affecting the other drafts in its request. `limits`: the limits that it exceeds. */
export type RefusedDraft = Pick<Invalid, 'violations' | 'limits'>;

/** Error for an email that is refused because of its recipients. `reason`: why the first refused recipient was refused. */
export class RefusedMail extends Invalid {
  readonly mail: { mailFrom: string; rcptTo: string[]; reason: CaptureRefusal | 'try-again' };
  constructor(violations: Violation[], mail: RefusedMail['mail']) {
    super(violations);
    this.mail = mail;
  }
}

export type Addressees = { to: string[]; cc: string[]; bcc: string[]; replyTo: string[] };

/** Message in RFC 5322 form. `messageId` is without angle brackets, and null if its sender composed it without one. `note`: its draft's. */
export type Composed = Pick<Draft, 'note'> & {
  mailFrom: string;
  addressees: Addressees;
  messageId: string | null;
  message: Uint8Array;
};

/** Maximum bytes of a single message, and of all messages in a request. */
export type ComposeBounds = { messageBytes: number; requestBytes: number };

/** Checks the number and length of a message's recipient addresses. Throws Invalid. */
export function checkRecipients(recipients: string[]): void {
  const { recipients: most, addressBytes } = limits.submissions;
  if (recipients.length > most) {
    throw invalid(
      'to',
      `to, cc and bcc together may have at most ${most} addresses`,
      'submissions.recipients',
    );
  }
  if (recipients.join().length > addressBytes) {
    throw invalid(
      'to',
      `all addresses together may have at most ${addressBytes} characters`,
      'submissions.addressBytes',
    );
  }
}

export function recipientsOf(draft: Draft | RawDraft): string[] {
  if ('raw' in draft) return draft.recipients;
  return [...draft.to, ...draft.cc, ...draft.bcc].map(({ address }) => address);
}

/** Throws Invalid. */
export function checkDraft(draft: Draft): void {
  if (/[\r\n\0]/.test(draft.subject)) throw invalid('subject', 'must not contain line breaks or NUL');
}

export function overlong(maxBytes: number): Invalid {
  return invalid('text', `would make the message larger than ${maxBytes} bytes`);
}
