/** A mail that people write: addresses are bare; absent texts are left out. */
export type Draft = {
  from: string;
  to: string[];
  cc: string[];
  bcc: string[];
  replyTo: string[];
  subject: string;
  text: string | null;
  html: string | null;
  date: Date;
  /** The right side of the Message-ID. */
  messageIdDomain: string;
};

/** Makes an RFC 5322 message with CRLF line ends; Bcc is not written into it. */
export type MailComposer = { compose(draft: Draft): Promise<Uint8Array> };
