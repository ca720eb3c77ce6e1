import { access } from './access-limits.ts';
import { GiB, KiB, type Limit, limit, MiB, pace } from './limit.ts';
import { submissions } from './submission-limits.ts';
import { teams } from './team-limits.ts';

/** Requests: connections, heads and bodies. */
const http = {
  connections: limit(10_000, 'items', 'process', 'open connections', 'the connection is closed'),
  connectionsPerAddress: limit(500, 'items', 'address', 'open connections', 'the connection is closed'),
  requestsPerConnection: limit(32, 'items', 'connection', 'unanswered requests', 'the connection is closed'),
  publicBodyBytes: limit(4 * KiB, 'bytes', 'request', 'body of a public route', '413'),
  bodyBytes: limit(64 * KiB, 'bytes', 'request', 'body of every other route but sending', '413'),
  sendBodyBytes: limit(32 * MiB, 'bytes', 'request', 'body of sending, or the largest mail', '413'),
  bodyLevels: limit(20, 'items', 'request', 'nesting of a JSON body', '400'),
  bodyValues: limit(10_000, 'items', 'request', 'values in a JSON body', '400 `too_many_values`'),
  bodiesBytes: limit(
    64 * MiB,
    'bytes',
    'process',
    'request bodies',
    '503 `too_busy`, from twice what is free',
  ),
  bodiesBytesPerAddress: limit(16 * MiB, 'bytes', 'visiting address', 'request bodies', '503 `too_busy`'),
  bodiesBytesPerUser: limit(32 * MiB, 'bytes', 'user', 'request bodies', '503 `too_busy`'),
  bodyPieceBytes: limit(64, 'bytes', 'request', 'mean of over 1,000 chunks', 'the connection is closed'),
  bodyPaceBytes: limit(256 * KiB, 'bytes', 'request', 'least bytes in 10 s, or its end', '408'),
  subjectCharacters: limit(998, 'characters', 'sent message', 'subject', '422'),
  recipients: limit(100, 'items', 'sent message', 'addresses of to, cc and bcc together; of replyTo', '422'),
  drafts: limit(100, 'items', 'user and process', 'messages that wait to be composed', '503 `too_busy`'),
  draftMs: limit(10_000, 'ms', 'sent message', 'time to read and compose it', '503 `too_busy`'),
  draftTurnMs: pace(
    50,
    'ms',
    'sent message',
    'processor time in the shared composing thread',
    'it is composed in the other',
  ),
  draftSharedBytes: pace(
    1 * MiB,
    'bytes',
    'sent message',
    'body in the shared composing thread',
    'it is composed in the other',
  ),
  draftHeapBytes: limit(256 * MiB, 'bytes', 'composing thread', 'heap', '503 `too_busy`'),
  writesAtOnce: pace(8, 'items', 'user and process', 'changes under way', 'the others of the user wait'),
  writes: limit(1_000, 'items', 'user and process', 'changes that wait', '429 `rate_limited`'),
  violations: limit(20, 'items', 'request', 'violations told in one answer', 'the rest is left out'),
};

/** Answers and event streams. */
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
  textBytes: limit(1 * MiB, 'bytes', 'message', '`text` and `html` each', 'it is cut and flagged'),
  headerFields: limit(1_000, 'items', 'message', '`headers`', 'the rest is left out'),
  headerFieldBytes: limit(16 * KiB, 'bytes', 'header field', 'name and value', 'it is cut'),
  turnMs: pace(5, 'ms', 'process', 'requests that begin in one turn of the event loop', 'users take turns'),
  unreadMs: limit(30_000, 'ms', 'answer', 'time in which a client reads nothing', 'the connection is cut'),
  unreadBytes: limit(32 * MiB, 'bytes', 'user and process', 'answers not yet read', 'the answer is cut'),
  streamBacklogBytes: limit(1 * MiB, 'bytes', 'stream', 'events not yet read', 'the stream is cut'),
  streams: limit(100, 'items', 'user and process', 'open event streams', '429 `rate_limited`'),
  waits: limit(100, 'items', 'user and process', 'requests that wait', '429 `too_many_waits`'),
  searches: limit(2, 'items', 'user and process', 'searches by `q` under way', '429 `too_many_searches`'),
  fieldSearches: limit(
    100,
    'items',
    'user and process',
    'lists by other filters than `q` under way',
    '429 `too_many_searches`',
  ),
  searchesAtOnce: pace(
    2,
    'items',
    'process, for `q` and for the other filters',
    'searches that the store works on, one a user',
    'the others wait, in turn by user',
  ),
  searchSliceMs: pace(25, 'ms', 'search', 'work of the embedded store in one turn', 'others have their turn'),
  searchMs: limit(5_000, 'ms', 'search', 'time from being asked', '503 `search_timeout`'),
};

/** The SMTP dialogue. */
const smtp = {
  connections: limit(1_000, 'items', 'process (a setting)', 'open connections', '421'),
  connectionsPerAddress: limit(50, 'items', 'address (a setting)', 'open connections', '421'),
  commandLineBytes: limit(
    2 * KiB,
    'bytes',
    'command',
    'line with its CRLF',
    '500, and the connection is closed',
  ),
  recipients: limit(100, 'items', 'mail', 'accepted recipients', '452'),
  refusedRecipients: limit(20, 'items', 'session', 'refused recipients', '421'),
  loggedMails: limit(
    20,
    'items',
    'session',
    'refused mails with a log line each',
    'they are counted in one line',
  ),
  dsnCharacters: limit(
    8 * KiB,
    'characters',
    'mail',
    'ENVID and ORCPT parameters together',
    '452 to the recipient',
  ),
  hops: limit(100, 'items', 'mail', 'Received fields', '554'),
  turnMs: limit(
    5,
    'ms',
    'turn of the event loop',
    'commands of all connections',
    'they go on in turn by address',
  ),
  turnCommands: pace(100, 'items', 'connection', 'commands of one turn', 'others have their turn'),
  handshakeMs: limit(15_000, 'ms', 'connection', 'time of a TLS handshake', 'closed within 5 s'),
  idleMs: limit(300_000, 'ms', 'connection', 'time without a whole command', '421'),
  paceMs: pace(60_000, 'ms', 'DATA', 'time in which `paceBytes` must arrive', '421'),
  paceBytes: limit(60 * KiB, 'bytes', 'DATA', 'least bytes in each `paceMs`', '421'),
  heldBytes: limit(
    1 * MiB,
    'bytes',
    'mail',
    'content in memory while it arrives',
    'it goes to the store in pieces',
  ),
  heldBytesInAll: limit(
    64 * MiB,
    'bytes',
    'process',
    'contents in memory while they arrive',
    'they go to the store in pieces',
  ),
  drainMs: pace(
    20_000,
    'ms',
    'process',
    'time that mails under way have when it stops',
    'the connection is cut',
  ),
};

/** The examination of one mail: parsing, signatures, audit. */
const mail = {
  headerBytes: limit(256 * KiB, 'bytes', 'mail', 'header section that is read', 'the rest is left out'),
  headerFieldBytes: limit(64 * KiB, 'bytes', 'header field', 'what is read of it', 'the rest is left out'),
  parts: limit(1_000, 'items', 'mail', 'MIME parts', 'the others are shown as one'),
  partLevels: limit(100, 'items', 'mail', 'nesting of MIME parts', 'deeper ones are shown as one'),
  searchedCharacters: limit(
    1 * MiB,
    'characters',
    'message',
    'text that `q` looks in',
    'the rest is not searched',
  ),
  signatureMs: limit(
    2_000,
    'ms',
    'mail',
    'processor time of SPF, DKIM, DMARC and ARC together',
    '`temperror`',
  ),
  signedHeaderBytes: limit(
    128 * KiB,
    'bytes',
    'mail',
    'header section whose signatures are checked',
    '`policy`',
  ),
  signedHeaderLines: limit(
    2_000,
    'items',
    'mail',
    'lines of a header section whose signatures are checked',
    '`policy`',
  ),
  signedHeaderSpaces: limit(
    1_000,
    'items',
    'mail',
    'white space in a row in a signed header section',
    '`policy`',
  ),
  signatureFieldBytes: limit(16 * KiB, 'bytes', 'header field', 'DKIM and ARC fields', '`policy`'),
  signatures: limit(20, 'items', 'mail', 'DKIM-Signature fields', '`policy`'),
  dnsMs: limit(5_000, 'ms', 'mail', 'waits for DNS together', '`temperror`'),
  dnsTextBytes: limit(4 * KiB, 'bytes', 'TXT record', 'text of a key or policy', 'it is left out'),
  dnsQuestions: limit(40, 'items', 'mail', 'DNS questions', '`temperror`'),
  addresses: limit(2_000, 'items', 'mail', 'addresses of each kind of field', 'the rest is left out'),
  threadReferences: pace(
    100,
    'items',
    'mail',
    'last References that link it to others',
    'others link nothing',
  ),
  commitRows: pace(2_000, 'items', 'commit', 'rows of mails that are stored together', 'others wait'),
  markRun: pace(30, 'items', 'character', 'combining marks that a search looks at', 'others are not found'),
  addressBytes: limit(
    64 * KiB,
    'characters',
    'mail',
    'fields of addresses, of each kind',
    'the rest is left out',
  ),
  sharedCheckMs: limit(
    100,
    'ms',
    'mail',
    'processor time of the checks in a thread that it shares with others',
    'it is examined apart',
  ),
  stallMs: limit(250, 'ms', 'shared thread', 'processor time without an answer', 'its other mails are moved'),
  moves: limit(3, 'items', 'mail', 'threads that were lost with it beside another', 'it is examined apart'),
  suspectThreads: pace(
    2,
    'items',
    'process',
    'threads for mails that are examined apart',
    'they wait in turn by address',
  ),
  examineMs: limit(
    30_000,
    'ms',
    'mail',
    'time with its waits for DNS',
    'its checks are left out; then its body',
  ),
  suspectMs: limit(10_000, 'ms', 'mail', 'time apart', 'its checks are left out; then its body'),
  headerMs: limit(5_000, 'ms', 'mail', 'time for the header section alone', 'it has no fields'),
};

/** Quotas of a user. Settings override those that name one. */
const owned = {
  mxChecks: pace(200, 'items', 'process', 'MX checks under way', 'the others wait'),
  mxChecksPerUser: pace(5, 'items', 'user', 'MX checks under way', 'the others of the user wait'),
  sessions: limit(100, 'items', 'user', 'web sessions', 'the one that would end first ends'),
  domains: limit(1_000, 'items', 'user (`SANDPOST_MAX_DOMAINS`)', 'domains', '422'),
  accounts: limit(10_000, 'items', 'user (`SANDPOST_MAX_ACCOUNTS`)', 'accounts', '422'),
  storageBytes: limit(
    100 * GiB,
    'bytes',
    'account (`SANDPOST_MAX_STORAGE_LIMIT`)',
    'largest `storage_limit`',
    '422',
  ),
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
  apiKeys: limit(1_000, 'items', 'user', 'API keys', '422'),
};

/** Names of the limits in the metric `sandpost_limits_reached_total` and in docs/limits.md. */
export const limitTable = { http, submissions, answers, smtp, mail, access, owned, teams } satisfies Record<
  string,
  Record<string, Limit>
>;

type Table = typeof limitTable;
type Counted<S> = { [N in keyof S]: S[N] extends { counted: true } ? N : never }[keyof S];

/** Name of a limit that is counted. */
export type LimitName = { [S in keyof Table]: `${S}.${Extract<Counted<Table[S]>, string>}` }[keyof Table];

/** Values alone: `limits.http.bodyBytes`. */
export const limits = Object.fromEntries(
  Object.entries(limitTable).map(([section, entries]) => [
    section,
    Object.fromEntries(Object.entries(entries).map(([name, { value }]) => [name, value])),
  ]),
) as { readonly [S in keyof Table]: { readonly [N in keyof Table[S]]: number } };

/** Quotas of a user, from the settings. */
export type Quotas = { domains: number; accounts: number; storageBytes: number };
