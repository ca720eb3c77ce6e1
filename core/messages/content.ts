import type { Report } from './report.ts';

/** Content of a message. It is read from the raw bytes and the envelope once, at delivery, and never changes. */

/** Name and bare address in the header's spelling. `name` is '' if the header contains no name. */
export type NamedAddress = { name: string; address: string };

/** Result keywords of RFC 8601 section 2.7. */
export const authResults = [
  'none',
  'neutral',
  'pass',
  'fail',
  'softfail',
  'policy',
  'temperror',
  'permerror',
] as const;
export type AuthResult = (typeof authResults)[number];

export type Authentication = {
  spf: { result: AuthResult; domain: string | null; explanation: string | null };
  dkim: {
    result: AuthResult;
    domain: string | null;
    selector: string | null;
    aligned: boolean;
    info: string | null;
  }[];
  dmarc: {
    result: AuthResult;
    domain: string | null;
    policy: string | null;
    alignedSpf: boolean;
    alignedDkim: boolean;
  };
  arc: { result: AuthResult };
  /** Value of the Authentication-Results field that a receiving server would add. */
  header: string;
};

export type AuditCheck = { id: string; title: string; detail: string };
export type AuditChecks = Record<'critical' | 'warning' | 'info' | 'passed', AuditCheck[]>;

/** Transfer encodings that Sandpost decodes. A body in any other encoding stays unchanged. */
export type TransferEncoding = 'base64' | 'quoted-printable' | 'identity';

/**
 * Attachment. `id` is unique within the message and starts at 1. `sizeBytes` and `sha256` (hex) refer to the decoded bytes. `body` is the
 * range of the attachment's encoded bytes in the raw message, which allows extracting it without parsing the message.
 */
export type Attachment = {
  id: number;
  filename: string | null;
  contentType: string;
  sizeBytes: number;
  disposition: 'attachment' | 'inline';
  contentId: string | null;
  sha256: string;
  body: { start: number; end: number; encoding: TransferEncoding };
};

/** Node of a MIME tree. `sizeBytes` is the size of its encoded body. */
export type MimePart = {
  contentType: string;
  sizeBytes: number;
  filename: string | null;
  attachmentId: number | null;
  children: MimePart[];
};

export type Code = { value: string; source: 'header' | 'text' | 'html' | 'subject' };
export const linkKinds = ['verify', 'reset', 'login', 'invite', 'unsubscribe', 'other'] as const;
export type LinkKind = (typeof linkKinds)[number];
export type Link = { url: string; text: string; kind: LinkKind };

/** Provider API request that submitted a message: its head without the key, and its body, truncated. */
export type Submission = { provider: string; request: string };

/** Folded texts that searches examine. `sender` is null if the header has no sender. `recipients` contains one recipient per line. */
export type SearchTexts = { subject: string; sender: string | null; recipients: string; text: string };

export type MessageContent = {
  /** Message-ID including its angle brackets, or null. */
  msgid: string | null;
  subject: string;
  /** First 140 characters of the text, or of the HTML's visible text if the text is a stub, with white space folded. */
  intro: string;
  from: NamedAddress | null;
  to: NamedAddress[];
  cc: NamedAddress[];
  bcc: NamedAddress[];
  replyTo: NamedAddress[];
  date: Date | null;
  inReplyTo: string | null;
  references: string[];
  /** Text, truncated to the limit for responses. */
  text: string | null;
  html: string | null;
  textTruncated: boolean;
  htmlTruncated: boolean;
  /** Lines that the HTML shows but the text lacks, truncated. Absent if there are none, and in messages stored before 0.3.0. */
  htmlText?: { added: string; truncated: boolean };
  headers: { name: string; value: string }[];
  attachments: Attachment[];
  structure: MimePart;
  authentication: Authentication;
  audit: AuditChecks;
  codes: Code[];
  links: Link[];
  /** Main link of the email. Absent in mail stored by earlier versions. */
  mainLink?: string | null;
  /** Trace that the email belongs to (W3C Trace Context). Usually absent. */
  traceId?: string;
  /** Span that sent the email. Absent if the trace is not recorded, and in mail stored by earlier versions. */
  parentSpanId?: string;
  /** Provider API request that submitted the message, if there was one. */
  submission?: Submission;
  /** Contents of the report, if the message is a report. Usually absent. */
  report?: Report;
  /** SMTP dialogue that delivered the email, in the format of `transcript.ts`. */
  transcript?: string;
  search: SearchTexts;
};

/** First code and main link of an email, as list rows show them. Null if it has none. */
export type Found = { code: string | null; mainLink: string | null };
