/** Objects of the API as its OpenAPI document defines them. Times are ISO 8601 with offset, sizes are bytes. */
export type List<T> = {
  items: T[];
  pagination: { page: number; limit: number; per_page: number; total: number };
};

/** List of messages. `cursor` is the number of the user's newest event when it was read. */
export type MessageList = List<MessageSummary> & { cursor: number };

export type Session = { id: number; email: string; created_at: string };

type Managed = { managed_by: 'api' | 'kubernetes'; managed_by_resource: string | null };

export type Domain = Managed & {
  id: number;
  domain: string;
  is_active: boolean;
  mx_verified: boolean;
  verification_status: 'pending' | 'verified' | 'failed';
  verification_source: 'manual' | 'mx' | null;
  verification_detail: string | null;
  last_checked_at: string | null;
  created_at: string;
  updated_at: string;
};

export type Mailbox = {
  id: number;
  account_id: number;
  path: string;
  isSystem: boolean;
  totalMessages: number;
  totalUnreadMessages: number;
  created_at: string;
};

export type Account = Managed & {
  id: number;
  domain_id: number;
  address: string;
  is_active: boolean;
  is_catch_all: boolean;
  storage_limit: number;
  used_bytes: number;
  mailboxes: Mailbox[];
  created_at: string;
  updated_at: string;
};

export type MessageSummary = {
  id: number;
  msgid: string | null;
  account_id: number;
  mailbox_id: number;
  subject: string;
  intro: string;
  thread_id: number | null;
  from_address: string;
  from_name: string | null;
  to_addresses: string[];
  received_at: string;
  expires_at: string | null;
  size_bytes: number;
  is_read: boolean;
  is_flagged: boolean;
  has_attachments: boolean;
};

export type Person = { name: string; address: string };

export type Attachment = {
  id: number;
  filename: string | null;
  content_type: string;
  size_bytes: number;
  disposition: string | null;
  content_id: string | null;
  sha256: string;
  downloadUrl: string;
};

export type Part = {
  content_type: string;
  size_bytes: number;
  filename: string | null;
  attachment_id: number | null;
  children: Part[];
};

export type AuditCheck = { id: string; title: string; detail: string };
export type Severity = 'critical' | 'warning' | 'info' | 'passed';

export type Message = MessageSummary & {
  envelope: {
    mail_from: string;
    rcpt_to: string[];
    helo: string | null;
    remote_address: string | null;
    tls: boolean;
    received_by: string;
  };
  delivered_to: string;
  tag: string | null;
  from: Person | null;
  to: Person[];
  cc: Person[];
  bcc: Person[];
  reply_to: Person[];
  date: string | null;
  in_reply_to: string | null;
  references: string[];
  text: string | null;
  text_truncated: boolean;
  html: string | null;
  html_truncated: boolean;
  headers: { name: string; value: string }[];
  attachments: Attachment[];
  spf: { result: string; domain: string | null; explanation: string | null };
  dkim: {
    result: string;
    domain: string | null;
    selector: string | null;
    aligned: boolean;
    info: string | null;
  }[];
  dmarc: {
    result: string;
    domain: string | null;
    policy: string | null;
    aligned_spf: boolean;
    aligned_dkim: boolean;
  };
  arc: { result: string };
  structure: Part;
  audit: {
    message_id: string | null;
    size_bytes: number;
    authentication_results: string;
    checks: Record<Severity, AuditCheck[]>;
  };
  auto_delete: boolean;
  threadId: number | null;
  sourceUrl: string;
  downloadUrl: string;
  codes: { value: string; source: string }[];
  links: { url: string; text: string; kind: string }[];
};

export type Token = {
  id: number;
  name: string;
  prefix: string;
  created_at: string;
  last_used_at: string | null;
};

/** Addresses at which mail is accepted: GET /api/server. */
export type Server = {
  smtp: { host: string; port: number };
  mx_hosts: string[];
  domain_suffixes: string[];
  proposed_domain: string;
};

/** Problem of RFC 9457 with the API's stable `code`. `violations` come with 422 only. */
export type Problem = {
  title: string;
  status: number;
  code: string;
  detail: string;
  violations?: { field: string; message: string }[];
  request_id?: string;
};
