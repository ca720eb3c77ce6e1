import { pathKey } from '#core/mailboxes/mailbox.ts';

const sentKey = pathKey('Sent');

/** Application id in this program's SQLite file headers (`application_id`): "SPST". */
export const applicationId = 0x53505354;

/** List order, then the columns that let a list skip and count rows by index entries alone. */
export const listColumns = 'number DESC, id DESC, copy, is_read, is_flagged, has_attachments';

/**
 * Triggers that update a domain's counters: its mailboxes that are not deleted, their messages, and the copies in Sent, which
 * lists over all mailboxes exclude.
 */
const domainCounters = `
CREATE TRIGGER mailbox_made AFTER INSERT ON mailbox BEGIN
  UPDATE domain SET mailboxes = mailboxes + 1 WHERE id = new.domain_id;
END;
CREATE TRIGGER mailbox_counted AFTER UPDATE OF total, copies ON mailbox BEGIN
  UPDATE domain SET total = total + new.total - old.total,
    copies = copies + iif(new.path_key = '${sentKey}', new.copies - old.copies, 0) WHERE id = new.domain_id;
END;
CREATE TRIGGER mailbox_deleted AFTER UPDATE OF deleted_at ON mailbox WHEN old.deleted_at IS NULL BEGIN
  UPDATE domain SET mailboxes = mailboxes - 1, total = total - old.total,
    copies = copies - iif(old.path_key = '${sentKey}', old.copies, 0) WHERE id = old.domain_id;
END;
`;

/**
 * Tables of version 15, which the migrations extend. Times are milliseconds since 1970, booleans are 0 or 1, and ids are never reused
 * (AUTOINCREMENT). Table `message` contains the fields that lists show. Fields needed only for reading a single message are in other
 * tables, so a list reads no body: `trace` belongs to one message, and `content`, `search` and `body_piece` to a body, which the messages
 * of one email share. A row with `deleted_at` is soft-deleted: it is invisible until its messages are removed. A soft-deleted domain
 * hides its accounts and mailboxes, whose own rows are marked later (`soft-delete.ts`).
 */
export const schema = `
CREATE TABLE probe (id INTEGER PRIMARY KEY, at INTEGER NOT NULL) STRICT;

CREATE TABLE team (
  id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, kind TEXT NOT NULL, created_at INTEGER NOT NULL,
  deleted_at INTEGER, head INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE UNIQUE INDEX team_name ON team (name) WHERE kind = 'managed' AND deleted_at IS NULL;
CREATE INDEX team_shared ON team (id) WHERE kind <> 'personal' AND deleted_at IS NULL;
CREATE INDEX team_deleted ON team (id) WHERE deleted_at IS NOT NULL;

CREATE TABLE user (
  id INTEGER PRIMARY KEY, email TEXT NOT NULL UNIQUE, password_hash TEXT, created_at INTEGER NOT NULL,
  email_verified INTEGER NOT NULL DEFAULT 0, disabled_at INTEGER
) STRICT;
CREATE TABLE identity (
  issuer TEXT NOT NULL, subject TEXT NOT NULL, user_id INTEGER NOT NULL,
  PRIMARY KEY (issuer, subject), UNIQUE (user_id, issuer)
) STRICT, WITHOUT ROWID;
CREATE TABLE membership (
  team_id INTEGER NOT NULL, user_id INTEGER NOT NULL, source TEXT NOT NULL, role INTEGER NOT NULL, at INTEGER NOT NULL,
  PRIMARY KEY (team_id, user_id, source)
) STRICT, WITHOUT ROWID;
CREATE INDEX membership_user ON membership (user_id, team_id);
CREATE INDEX membership_source ON membership (source, team_id, user_id, role);
CREATE TABLE user_group (
  user_id INTEGER NOT NULL, name TEXT NOT NULL,
  PRIMARY KEY (user_id, name)
) STRICT, WITHOUT ROWID;
CREATE INDEX user_group_name ON user_group (name, user_id);
CREATE TABLE member_rule (
  id INTEGER PRIMARY KEY AUTOINCREMENT, source TEXT NOT NULL UNIQUE, team_id INTEGER NOT NULL, email TEXT, group_name TEXT,
  role INTEGER
) STRICT;
CREATE INDEX member_rule_team ON member_rule (team_id);
CREATE INDEX member_rule_email ON member_rule (email);
CREATE INDEX member_rule_group ON member_rule (group_name);
CREATE TABLE invitation (
  id INTEGER PRIMARY KEY AUTOINCREMENT, team_id INTEGER NOT NULL, role INTEGER NOT NULL, email TEXT, hash TEXT NOT NULL UNIQUE,
  created_by INTEGER, created_at INTEGER NOT NULL, expires_at INTEGER NOT NULL
) STRICT;
CREATE INDEX invitation_team ON invitation (team_id, id);
CREATE INDEX invitation_creator ON invitation (created_by, team_id);
CREATE INDEX invitation_expiry ON invitation (expires_at);
CREATE TABLE audit_entry (
  id INTEGER PRIMARY KEY AUTOINCREMENT, team_id INTEGER NOT NULL, at INTEGER NOT NULL, actor TEXT NOT NULL,
  action TEXT NOT NULL, target TEXT NOT NULL, remote_address TEXT
) STRICT;
CREATE INDEX audit_entry_team ON audit_entry (team_id, id);
CREATE INDEX audit_entry_age ON audit_entry (at);

CREATE TABLE session (
  hash TEXT PRIMARY KEY, user_id INTEGER NOT NULL, key_id INTEGER, begun_at INTEGER NOT NULL, expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX session_user ON session (user_id, expires_at);
CREATE INDEX session_expiry ON session (expires_at);
CREATE INDEX session_key ON session (key_id) WHERE key_id IS NOT NULL;
CREATE TABLE api_key (
  id INTEGER PRIMARY KEY AUTOINCREMENT, owner INTEGER NOT NULL, name TEXT NOT NULL, prefix TEXT NOT NULL,
  hash TEXT NOT NULL UNIQUE, scope TEXT NOT NULL, expires_at INTEGER, created_by INTEGER, created_at INTEGER NOT NULL,
  last_used_at INTEGER, managed_by TEXT
) STRICT;
CREATE INDEX api_key_owner ON api_key (owner, id);
CREATE INDEX api_key_creator ON api_key (created_by) WHERE created_by IS NOT NULL;

CREATE TABLE domain (
  id INTEGER PRIMARY KEY AUTOINCREMENT, owner INTEGER NOT NULL, name TEXT NOT NULL, active INTEGER NOT NULL,
  status TEXT NOT NULL, source TEXT, detail TEXT, refusals INTEGER NOT NULL, checked_at INTEGER, next_check_at INTEGER,
  managed_by TEXT, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, deleted_at INTEGER,
  path TEXT NOT NULL DEFAULT '', mailboxes INTEGER NOT NULL DEFAULT 0, total INTEGER NOT NULL DEFAULT 0,
  copies INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX domain_path ON domain (path) WHERE deleted_at IS NULL;
CREATE UNIQUE INDEX domain_name ON domain (name) WHERE deleted_at IS NULL;
CREATE INDEX domain_owner ON domain (owner, id) WHERE deleted_at IS NULL;
CREATE INDEX domain_due ON domain (next_check_at) WHERE deleted_at IS NULL AND next_check_at IS NOT NULL;
CREATE INDEX domain_deleted ON domain (deleted_at) WHERE deleted_at IS NOT NULL;

CREATE TABLE account (
  id INTEGER PRIMARY KEY AUTOINCREMENT, owner INTEGER NOT NULL, domain_id INTEGER NOT NULL, address TEXT NOT NULL,
  active INTEGER NOT NULL, catch_all INTEGER NOT NULL, capture INTEGER NOT NULL, storage_limit INTEGER NOT NULL,
  used_bytes INTEGER NOT NULL DEFAULT 0, password_hash TEXT, managed_by TEXT, created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL, deleted_at INTEGER
) STRICT;
CREATE UNIQUE INDEX account_address ON account (address, domain_id) WHERE deleted_at IS NULL;
CREATE INDEX account_owner ON account (owner, id, domain_id, active) WHERE deleted_at IS NULL;
CREATE UNIQUE INDEX account_catch_all ON account (domain_id) WHERE catch_all = 1 AND deleted_at IS NULL;
CREATE INDEX account_capture ON account (owner) WHERE capture = 1 AND deleted_at IS NULL;
CREATE INDEX account_domain ON account (domain_id) WHERE deleted_at IS NULL;
CREATE INDEX account_deleted ON account (deleted_at) WHERE deleted_at IS NOT NULL;

CREATE TABLE mailbox (
  id INTEGER PRIMARY KEY AUTOINCREMENT, owner INTEGER NOT NULL, account_id INTEGER NOT NULL, path TEXT NOT NULL,
  path_key TEXT NOT NULL, system INTEGER NOT NULL, total INTEGER NOT NULL DEFAULT 0, unread INTEGER NOT NULL DEFAULT 0,
  bytes INTEGER NOT NULL DEFAULT 0, copies INTEGER NOT NULL DEFAULT 0, created_at INTEGER NOT NULL, deleted_at INTEGER,
  domain_id INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE UNIQUE INDEX mailbox_path ON mailbox (account_id, path_key) WHERE deleted_at IS NULL;
CREATE INDEX mailbox_account ON mailbox (account_id, id) WHERE deleted_at IS NULL;
CREATE INDEX mailbox_owner ON mailbox (owner) WHERE deleted_at IS NULL;
CREATE INDEX mailbox_deleted ON mailbox (deleted_at) WHERE deleted_at IS NOT NULL;
${domainCounters}
CREATE TABLE message (
  id INTEGER PRIMARY KEY AUTOINCREMENT, owner INTEGER NOT NULL, account_id INTEGER NOT NULL,
  mailbox_id INTEGER NOT NULL, number INTEGER NOT NULL, copy INTEGER NOT NULL, received_at INTEGER NOT NULL,
  expires_at INTEGER, auto_delete INTEGER NOT NULL, is_read INTEGER NOT NULL, is_flagged INTEGER NOT NULL,
  has_attachments INTEGER NOT NULL, size_bytes INTEGER NOT NULL, body_id INTEGER NOT NULL, conversation_id INTEGER,
  msgid TEXT, from_address TEXT NOT NULL, from_name TEXT, subject TEXT NOT NULL, intro TEXT NOT NULL,
  to_addresses TEXT NOT NULL, own_recipients TEXT
) STRICT;
CREATE INDEX message_mailbox ON message (mailbox_id, ${listColumns});
CREATE INDEX message_account ON message (account_id, ${listColumns});
CREATE INDEX message_owner ON message (owner, ${listColumns});
CREATE INDEX message_received ON message (received_at);
CREATE INDEX message_expiry ON message (expires_at) WHERE auto_delete = 1 AND expires_at IS NOT NULL;
CREATE INDEX message_conversation ON message (conversation_id, number, id) WHERE conversation_id IS NOT NULL;
CREATE TABLE trace (
  message_id INTEGER PRIMARY KEY, delivered_to TEXT NOT NULL, tag TEXT, envelope TEXT NOT NULL,
  own_token TEXT, reference_tokens TEXT NOT NULL
) STRICT;

CREATE TABLE conversation (
  id INTEGER PRIMARY KEY, earliest INTEGER NOT NULL, number INTEGER NOT NULL, size INTEGER NOT NULL
) STRICT;
CREATE TABLE reference_token (
  account_id INTEGER NOT NULL, token TEXT NOT NULL, conversation_id INTEGER NOT NULL, referrers INTEGER NOT NULL,
  PRIMARY KEY (account_id, token)
) STRICT, WITHOUT ROWID;
CREATE INDEX reference_token_conversation ON reference_token (conversation_id);
CREATE TABLE message_token (
  account_id INTEGER NOT NULL, token TEXT NOT NULL, message_id INTEGER NOT NULL,
  PRIMARY KEY (account_id, token, message_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE body (
  id INTEGER PRIMARY KEY AUTOINCREMENT, size_bytes INTEGER NOT NULL, messages INTEGER NOT NULL, begun_at INTEGER NOT NULL
) STRICT;
CREATE INDEX body_orphan ON body (begun_at) WHERE messages = 0;
CREATE TABLE body_piece (id INTEGER PRIMARY KEY, bytes BLOB NOT NULL) STRICT;
CREATE TABLE content (body_id INTEGER PRIMARY KEY, json TEXT NOT NULL, text TEXT, html TEXT) STRICT;
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

CREATE INDEX domain_managed ON domain (managed_by) WHERE managed_by IS NOT NULL AND deleted_at IS NULL;
CREATE INDEX account_managed ON account (managed_by) WHERE managed_by IS NOT NULL AND deleted_at IS NULL;

CREATE TABLE installation (name TEXT NOT NULL) STRICT;
INSERT INTO installation VALUES (lower(hex(randomblob(16))));

CREATE TABLE claim (owner INTEGER PRIMARY KEY, cluster TEXT NOT NULL) STRICT;
CREATE TABLE orphan (
  kind TEXT NOT NULL, id INTEGER NOT NULL, owner INTEGER NOT NULL, since INTEGER NOT NULL, PRIMARY KEY (kind, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX orphan_owner ON orphan (owner);
`;
