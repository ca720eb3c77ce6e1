import { GiB, KiB, type Limit, limit, MiB, type NamesIn, pace, valuesOf } from './limit.ts';
import { mail, reports } from './mail-limits.ts';

/** Content of requests, mails that are sent by the API, and answers to faults. */
const http = {
  bodyLevels: limit(20, 'items', 'request', 'nesting of a JSON body', '400'),
  bodyValues: limit(10_000, 'items', 'request', 'values in a JSON body', '400 `too_many_values`'),
  subjectCharacters: limit(998, 'characters', 'sent message', 'subject', '422'),
  recipients: limit(100, 'items', 'sent message', 'addresses of to, cc and bcc together; of replyTo', '422'),
  assumedNames: limit(100, 'items', 'request', 'names and types of assumed DNS records', '422'),
  assumedRecords: limit(20, 'items', 'name and type', 'assumed DNS records', '422'),
  assumedCharacters: limit(4 * KiB, 'characters', 'assumed DNS record', 'its data', '422'),
  violations: limit(20, 'items', 'request', 'violations told in one answer', 'the rest is left out'),
};

/** Requests in the formats of e-mail providers. */
const submissions = {
  bodyValues: limit(100_000, 'items', 'request', 'values in a JSON body', '400'),
  formFields: limit(5_000, 'items', 'request', 'fields and files of a form', '400'),
  mails: limit(1_000, 'items', 'request', 'mails that it makes', '422'),
  recipients: limit(1_000, 'items', 'mail', 'addresses of to, cc and bcc together', '422'),
  recipientsInAll: limit(10_000, 'items', 'request', 'addresses of to, cc and bcc of all mails', '422'),
  addressBytes: limit(64 * KiB, 'characters', 'mail', 'its recipients together', '422'),
  deliveries: limit(10_000, 'items', 'mail', 'its accounts times its recipients', '422'),
  headerFields: limit(100, 'items', 'mail', 'header fields of its sender', '422'),
  headerFieldBytes: limit(
    16 * KiB,
    'characters',
    'header field',
    'name and value; bytes of the header of a part of a form',
    '422',
  ),
  lineCharacters: limit(
    998,
    'characters',
    'mail',
    'subject, Message-ID and Reply-To; each name of an address or a file',
    '422',
  ),
  attachments: limit(100, 'items', 'mail', 'attachments', '422'),
  composedBytes: limit(8 * MiB, 'bytes', 'request', 'mails that it makes, beyond twice its body', '422'),
  searched: limit(
    64 * MiB,
    'characters',
    'request',
    'texts that values are filled into, of all mails together; a text counts once for every 256 characters of tags',
    '422',
  ),
  places: limit(100_000, 'items', 'request', 'places that are filled in, of all mails together', '422'),
  shownBytes: pace(64 * KiB, 'bytes', 'message', 'request that it came by', 'it is cut'),
  shownBytesInAll: pace(4 * MiB, 'bytes', 'request', 'the same in all of its messages', 'it is cut'),
};

/** Messages in answers and events. */
const answers = {
  subjectCharacters: limit(
    998,
    'characters',
    'message',
    'subject in lists, in events and in the journal; msgid in lists',
    'it is cut',
  ),
  toAddresses: limit(50, 'items', 'message', '`to_addresses` in lists', 'the rest is left out'),
  addressCharacters: limit(320, 'characters', 'address', 'addresses in lists', 'it is cut'),
  bulkIds: limit(1_000, 'items', 'bulk change', '`ids`', '422'),
  textBytes: limit(1 * MiB, 'bytes', 'message', '`text` and `html` each', 'it is cut and flagged'),
  htmlTextCharacters: limit(256 * KiB, 'characters', 'message', '`html_text`', 'it is cut and flagged'),
  headerFields: limit(1_000, 'items', 'message', '`headers`', 'the rest is left out'),
  headerFieldBytes: limit(16 * KiB, 'bytes', 'header field', 'name and value', 'it is cut'),
  queryCharacters: limit(1_000, 'characters', 'search', 'its text', '422'),
  queryTerms: limit(50, 'items', 'search', 'its words and operators', '422'),
};

/** Additions to a message beside its mail. */
const messages = {
  tags: limit(20, 'items', 'message', 'tags', '422; the rest of `X-Tags` is left out'),
  transcriptBytes: pace(
    16 * KiB,
    'bytes',
    'message',
    'SMTP dialogue that brought it',
    'the rest is left out',
  ),
  transcriptLines: pace(256, 'items', 'message', 'lines of its recipients', 'the rest is left out'),
  transcriptLineCharacters: pace(500, 'characters', 'line of the dialogue', 'its text', 'it is cut'),
  tagCharacters: limit(40, 'characters', 'tag', 'its name', '422; `X-Tags` loses it'),
};

/** Assertions about messages. */
const assertions = {
  clauses: limit(100, 'items', 'assertion', '`expect`', '422'),
  messages: limit(10, 'items', 'assertion', '`count`', '422'),
  patternCharacters: limit(1_000, 'characters', 'regular expression', 'its text', '422'),
};

/** Comparisons of mails. */
const comparison = {
  mailBytes: limit(8 * MiB, 'bytes', 'compared mail', 'its bytes', '422'),
  patterns: limit(20, 'items', 'comparison', '`mask_patterns`', '422'),
  patternCharacters: limit(1_000, 'characters', 'regular expression of `mask_patterns`', 'its text', '422'),
};

/** Signing in. Failed tries count; a success gives its place back. */
const access = {
  failuresPerAddressAndEmail: limit(
    10,
    'a minute',
    'address (IPv6: /64) and e-mail',
    'failed sign-ins',
    '429',
  ),
  failuresPerAddress: limit(100, 'a minute', 'address (IPv6: its /64)', 'failed sign-ins', '429'),
  failuresPerEmail: limit(30, 'an hour', 'e-mail', 'failed sign-ins', '429'),
  registrations: limit(60, 'a minute', 'address (IPv6: its /64)', 'registrations', '429'),
  providerSignIns: limit(
    100,
    'a minute',
    'address (IPv6: its /64)',
    'sign-ins by the identity provider begun',
    '429',
  ),
  signIns: limit(60, 'a minute', 'user', 'web sessions begun', '429'),
  providerGroups: limit(
    1_000,
    'items',
    'sign-in',
    'groups that the identity provider names',
    'the rest is left out',
  ),
};

/** Quotas of a team, its accounts and its users. Settings override those that name one. */
const owned = {
  sessions: limit(100, 'items', 'user', 'web sessions', 'the one that would end first ends'),
  domains: limit(1_000, 'items', 'team', 'domains', '422'),
  accounts: limit(10_000, 'items', 'team', 'accounts', '422'),
  storageBytes: limit(100 * GiB, 'bytes', 'account', 'largest `storage_limit`', '422'),
  lightMessages: pace(
    1_000,
    'items',
    'account',
    'messages that take their bytes alone',
    'with more, each takes at least 1 KiB of `storage_limit`',
  ),
  droppedAtOnce: pace(
    500,
    'items',
    'commit',
    'oldest messages that `sandpost dev` drops to make room',
    'the next commit drops more',
  ),
  dropRounds: pace(400, 'items', 'mail', 'such commits', 'the mail is refused: 552'),
  mailboxes: limit(100, 'items', 'account', 'mailboxes', '422'),
  apiKeys: limit(1_000, 'items', 'team', 'API keys', '422'),
  savedSearches: limit(100, 'items', 'team', 'saved searches', '422'),
  mailRules: limit(100, 'items', 'team', 'rules for mail', '422'),
  failures: limit(100, 'items', 'team', 'failure rules', '422'),
};

/** Failures on purpose, and what they remember. */
const failures = {
  addresses: pace(
    1_000,
    'items',
    'team',
    'failures that are counted by their address',
    'the oldest count begins anew',
  ),
  attempts: pace(100, 'items', 'failure', 'attempts', 'the oldest are removed'),
  attemptCharacters: pace(
    32 * KiB,
    'characters',
    'failure',
    'its attempts together',
    'the oldest are removed',
  ),
  recipients: pace(20, 'items', 'attempt', '`rcpt_to`', 'the rest is left out'),
};

/** Teams, their members and their audit logs. */
const teams = {
  ofUser: limit(100, 'items', 'user', 'teams that the user is in', '422'),
  members: limit(1_000, 'items', 'team', 'members', '422'),
  memberRules: limit(1_000, 'items', 'team', 'Member resources', 'condition Ready is False'),
  groups: limit(500, 'items', 'user', 'groups of the identity provider', 'further ones are ignored'),
  invitations: limit(100, 'items', 'team', 'invitations that have not been accepted', '422'),
  invitationRate: limit(60, 'a minute', 'user', 'invitations made', '429'),
  auditEntries: pace(
    20_000,
    'items',
    'team and actor',
    'entries of the audit log',
    'the oldest of the actor are removed',
  ),
  auditRate: pace(
    1_000,
    'an hour',
    'team, actor and action',
    'entries of the audit log',
    'one entry counts the rest',
  ),
};

/** Mails, recipients and sign-ins that were refused, and the dialogues that brought mails. */
const refusals = {
  ofTeam: pace(
    1_000,
    'items',
    'team',
    'refusals of the last 24 h',
    'the oldest of the address with the most go',
  ),
  recipients: pace(20, 'items', 'refusal', '`rcpt_to`', 'the rest is left out'),
  addressCharacters: pace(320, 'characters', 'refusal', 'each address and name', 'it is cut'),
  replyCharacters: pace(500, 'characters', 'refusal', 'its reply', 'it is cut'),
};

/** Rules of the product and of formats: lengths, counts and quotas. What bounds load stands in `gate/limits.ts`. */
export const ruleTable = {
  http,
  submissions,
  answers,
  assertions,
  comparison,
  messages,
  mail,
  reports,
  access,
  owned,
  failures,
  teams,
  refusals,
} satisfies Record<string, Record<string, Limit>>;

/** Name of a counted rule. */
export type LimitName = NamesIn<typeof ruleTable>;

/** Values alone: `limits.http.recipients`. */
export const limits = valuesOf(ruleTable);

/** Quotas of a team, from the settings. */
export type Quotas = { domains: number; accounts: number; storageBytes: number };
