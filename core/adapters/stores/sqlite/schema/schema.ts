import { limits } from '#core/limits.ts';
import { pathKey } from '#core/mailboxes/mailbox.ts';

const { textBytes } = limits.answers;
const sentKey = pathKey('Sent');

/** Marks a SQLite file as ours, in its header (`application_id`): "SPST". */
export const applicationId = 0x53505354;

/** The version of the tables below, in the header as `user_version`. */
export const schemaVersion = 8;

const managedIndexes = `
CREATE INDEX domain_managed ON domain (managed_by) WHERE managed_by IS NOT NULL AND buried_at IS NULL;
CREATE INDEX account_managed ON account (managed_by) WHERE managed_by IS NOT NULL AND buried_at IS NULL;
`;

const managerTables = `
CREATE TABLE IF NOT EXISTS claim (owner INTEGER PRIMARY KEY, cluster TEXT NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS orphan (
  kind TEXT NOT NULL, id INTEGER NOT NULL, owner INTEGER NOT NULL, since INTEGER NOT NULL, PRIMARY KEY (kind, id)
) STRICT, WITHOUT ROWID;
`;

const domainPathIndex = 'CREATE INDEX domain_path ON domain (path) WHERE buried_at IS NULL;\n';

const sessionTable = `
CREATE TABLE session (
  hash TEXT PRIMARY KEY, user_id INTEGER NOT NULL, key_id INTEGER, begun_at INTEGER NOT NULL, expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX session_user ON session (user_id, expires_at);
CREATE INDEX session_expiry ON session (expires_at);
`;

/** An address is unique on its domain: a domain that is deleted keeps no address from the next one of its name. */
const accountIndexes = `
CREATE UNIQUE INDEX account_address ON account (address, domain_id) WHERE buried_at IS NULL;
CREATE INDEX account_owner ON account (owner, id, domain_id, active) WHERE buried_at IS NULL;
`;

/** Keep the counters of a domain: its living mailboxes, their messages, and which of these lists over all leave out. */
const domainCounters = `
CREATE TRIGGER mailbox_made AFTER INSERT ON mailbox BEGIN
  UPDATE domain SET mailboxes = mailboxes + 1 WHERE id = new.domain_id;
END;
CREATE TRIGGER mailbox_counted AFTER UPDATE OF total, copies ON mailbox BEGIN
  UPDATE domain SET total = total + new.total - old.total,
    copies = copies + iif(new.path_key = '${sentKey}', new.copies - old.copies, 0) WHERE id = new.domain_id;
END;
CREATE TRIGGER mailbox_buried AFTER UPDATE OF buried_at ON mailbox WHEN old.buried_at IS NULL BEGIN
  UPDATE domain SET mailboxes = mailboxes - 1, total = total - old.total,
    copies = copies - iif(old.path_key = '${sentKey}', old.copies, 0) WHERE id = old.domain_id;
END;
`;

/**
 * What makes a file of an earlier version one of the next; the first stands for version 1. `fold_text` is
 * `foldText`, `domain_path` is `domainPath`; `shown_…` cut a text, a field or a list of addresses to what is shown.
 */
export const migrations = [
  `ALTER TABLE api_key ADD COLUMN managed_by TEXT; ${managedIndexes}`,
  // Mails that name nobody in To were searched by all recipients of their envelope, of whichever user.
  `UPDATE search SET recipients = (
     SELECT coalesce(group_concat(fold_text((person ->> 'name') || ' ' || (person ->> 'address')), char(10)), '')
     FROM (SELECT value AS person FROM json_each(d.detail, '$.cc')
           UNION ALL SELECT value FROM json_each(d.detail, '$.bcc')))
   FROM content d WHERE d.body_id = search.body_id AND instr(d.detail, '"to":[],') > 0`,
  managerTables,
  // Earlier sessions did not tell the key that they were made with, and could outlive it: all sign in again.
  `DROP TABLE session; ${sessionTable}`,
  `ALTER TABLE domain ADD COLUMN path TEXT NOT NULL DEFAULT ''; UPDATE domain SET path = domain_path(name);
   ${domainPathIndex}`,
  `UPDATE content SET detail = json_set(detail, '$.textTruncated', json(iif(octet_length(text) > ${textBytes}, 'true', 'false')),
       '$.htmlTruncated', json(iif(octet_length(html) > ${textBytes}, 'true', 'false'))),
     text = shown_text(text), html = shown_text(html)
     WHERE octet_length(text) > ${textBytes} OR octet_length(html) > ${textBytes};
   UPDATE message SET msgid = shown_field(msgid), subject = shown_field(subject), from_address = shown_address(from_address),
     to_addresses = shown_addresses(to_addresses)
     WHERE octet_length(msgid) > 998 OR octet_length(subject) > 998 OR octet_length(from_address) > 320
       OR octet_length(to_addresses) > 320`,
  `DROP INDEX mailbox_owner; DROP INDEX account_address; DROP INDEX account_owner; ${accountIndexes}
   ALTER TABLE mailbox ADD COLUMN domain_id INTEGER NOT NULL DEFAULT 0;
   UPDATE mailbox SET domain_id = (SELECT domain_id FROM account WHERE account.id = account_id)
     WHERE account_id IN (SELECT id FROM account);
   ALTER TABLE domain ADD COLUMN mailboxes INTEGER NOT NULL DEFAULT 0;
   ALTER TABLE domain ADD COLUMN total INTEGER NOT NULL DEFAULT 0;
   ALTER TABLE domain ADD COLUMN copies INTEGER NOT NULL DEFAULT 0;
   UPDATE domain SET mailboxes = counted.mailboxes, total = counted.total, copies = counted.copies
     FROM (SELECT domain_id, count(*) AS mailboxes, sum(total) AS total,
         sum(iif(path_key = '${sentKey}', copies, 0)) AS copies
       FROM mailbox WHERE buried_at IS NULL GROUP BY domain_id) AS counted
     WHERE counted.domain_id = domain.id;
   ${domainCounters}`,
];

/**
 * All tables. Times are milliseconds since 1970, truth values 0 or 1, ids never reused (AUTOINCREMENT). What lists show
 * stands in `message`; what only a reader of one message needs stands beside it, so that a list reads no body: `trace`
 * belongs to one message, `content`, `search` and `body_piece` to a body, which the messages of one mail share.
 * A row with `buried_at` is invisible and waits for its messages to be removed. A domain's makes all that it holds
 * invisible, whose own rows get it later (`bury.ts`).
 */
export const schema = `
CREATE TABLE probe (id INTEGER PRIMARY KEY, at INTEGER NOT NULL) STRICT;

CREATE TABLE user (
  id INTEGER PRIMARY KEY AUTOINCREMENT, email TEXT NOT NULL UNIQUE, password_hash TEXT, created_at INTEGER NOT NULL,
  head INTEGER NOT NULL DEFAULT 0
) STRICT;
${sessionTable}CREATE TABLE api_key (
  id INTEGER PRIMARY KEY AUTOINCREMENT, owner INTEGER NOT NULL, name TEXT NOT NULL, prefix TEXT NOT NULL,
  hash TEXT NOT NULL UNIQUE, created_at INTEGER NOT NULL, last_used_at INTEGER, managed_by TEXT
) STRICT;
CREATE INDEX api_key_owner ON api_key (owner, id);

CREATE TABLE domain (
  id INTEGER PRIMARY KEY AUTOINCREMENT, owner INTEGER NOT NULL, name TEXT NOT NULL, active INTEGER NOT NULL,
  status TEXT NOT NULL, source TEXT, detail TEXT, refusals INTEGER NOT NULL, checked_at INTEGER, next_check_at INTEGER,
  managed_by TEXT, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, buried_at INTEGER,
  path TEXT NOT NULL DEFAULT '', mailboxes INTEGER NOT NULL DEFAULT 0, total INTEGER NOT NULL DEFAULT 0,
  copies INTEGER NOT NULL DEFAULT 0
) STRICT;
${domainPathIndex}CREATE UNIQUE INDEX domain_name ON domain (name) WHERE buried_at IS NULL;
CREATE INDEX domain_owner ON domain (owner, id) WHERE buried_at IS NULL;
CREATE INDEX domain_due ON domain (next_check_at) WHERE buried_at IS NULL AND next_check_at IS NOT NULL;
CREATE INDEX domain_buried ON domain (buried_at) WHERE buried_at IS NOT NULL;

CREATE TABLE account (
  id INTEGER PRIMARY KEY AUTOINCREMENT, owner INTEGER NOT NULL, domain_id INTEGER NOT NULL, address TEXT NOT NULL,
  active INTEGER NOT NULL, catch_all INTEGER NOT NULL, storage_limit INTEGER NOT NULL,
  used_bytes INTEGER NOT NULL DEFAULT 0, password_hash TEXT, managed_by TEXT, created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL, buried_at INTEGER
) STRICT;
${accountIndexes}CREATE UNIQUE INDEX account_catch_all ON account (domain_id) WHERE catch_all = 1 AND buried_at IS NULL;
CREATE INDEX account_domain ON account (domain_id) WHERE buried_at IS NULL;
CREATE INDEX account_buried ON account (buried_at) WHERE buried_at IS NOT NULL;

CREATE TABLE mailbox (
  id INTEGER PRIMARY KEY AUTOINCREMENT, owner INTEGER NOT NULL, account_id INTEGER NOT NULL, path TEXT NOT NULL,
  path_key TEXT NOT NULL, system INTEGER NOT NULL, total INTEGER NOT NULL DEFAULT 0, unread INTEGER NOT NULL DEFAULT 0,
  bytes INTEGER NOT NULL DEFAULT 0, copies INTEGER NOT NULL DEFAULT 0, created_at INTEGER NOT NULL, buried_at INTEGER,
  domain_id INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE UNIQUE INDEX mailbox_path ON mailbox (account_id, path_key) WHERE buried_at IS NULL;
CREATE INDEX mailbox_account ON mailbox (account_id, id) WHERE buried_at IS NULL;
CREATE INDEX mailbox_buried ON mailbox (buried_at) WHERE buried_at IS NOT NULL;
${domainCounters}
CREATE TABLE message (
  id INTEGER PRIMARY KEY AUTOINCREMENT, owner INTEGER NOT NULL, account_id INTEGER NOT NULL,
  mailbox_id INTEGER NOT NULL, number INTEGER NOT NULL, copy INTEGER NOT NULL, received_at INTEGER NOT NULL,
  expires_at INTEGER, auto_delete INTEGER NOT NULL, is_read INTEGER NOT NULL, is_flagged INTEGER NOT NULL,
  has_attachments INTEGER NOT NULL, size_bytes INTEGER NOT NULL, body_id INTEGER NOT NULL, conversation_id INTEGER,
  msgid TEXT, from_address TEXT NOT NULL, subject TEXT NOT NULL, intro TEXT NOT NULL, to_addresses TEXT NOT NULL,
  own_recipients TEXT
) STRICT;
CREATE INDEX message_mailbox ON message (mailbox_id, number DESC, id DESC);
CREATE INDEX message_account ON message (account_id, number DESC, id DESC);
CREATE INDEX message_owner ON message (owner, number DESC, id DESC);
CREATE INDEX message_received ON message (received_at);
CREATE INDEX message_expiry ON message (expires_at) WHERE auto_delete = 1 AND expires_at IS NOT NULL;
CREATE INDEX message_conversation ON message (conversation_id, id) WHERE conversation_id IS NOT NULL;
CREATE TABLE trace (
  message_id INTEGER PRIMARY KEY, delivered_to TEXT NOT NULL, tag TEXT, envelope TEXT NOT NULL,
  own_token BLOB, reference_tokens BLOB NOT NULL
) STRICT;

CREATE TABLE conversation (id INTEGER PRIMARY KEY AUTOINCREMENT, earliest INTEGER NOT NULL) STRICT;
CREATE TABLE thread_token (
  account_id INTEGER NOT NULL, token BLOB NOT NULL, is_reference INTEGER NOT NULL, message_id INTEGER NOT NULL,
  PRIMARY KEY (account_id, token, is_reference, message_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE body (
  id INTEGER PRIMARY KEY AUTOINCREMENT, size_bytes INTEGER NOT NULL, messages INTEGER NOT NULL, begun_at INTEGER NOT NULL
) STRICT;
CREATE INDEX body_unclaimed ON body (begun_at) WHERE messages = 0;
CREATE TABLE body_piece (id INTEGER PRIMARY KEY, bytes BLOB NOT NULL) STRICT;
CREATE TABLE content (body_id INTEGER PRIMARY KEY, detail TEXT NOT NULL, text TEXT, html TEXT) STRICT;
CREATE TABLE search (
  body_id INTEGER PRIMARY KEY, subject TEXT NOT NULL, sender TEXT NOT NULL, recipients TEXT NOT NULL, text TEXT NOT NULL
) STRICT;

CREATE TABLE event (
  owner INTEGER NOT NULL, number INTEGER NOT NULL, type TEXT NOT NULL, message_id INTEGER NOT NULL,
  message_number INTEGER NOT NULL, account_id INTEGER NOT NULL, mailbox_id INTEGER NOT NULL, at INTEGER NOT NULL,
  subject TEXT, is_read INTEGER, is_flagged INTEGER,
  PRIMARY KEY (owner, number)
) STRICT, WITHOUT ROWID;
CREATE INDEX event_deleted ON event (message_id) WHERE type = 'message.deleted';
${managedIndexes}${managerTables}`;
