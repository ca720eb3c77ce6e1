import { KiB, type Limit, limit, MiB, type NamesIn, pace, valuesOf } from '#core/limit.ts';
import { ruleTable } from '#core/limits.ts';
import { mcp } from './mcp-limits.ts';
import { assertions, checks, comparison } from './message-limits.ts';

/** Connections, heads and bodies of requests, and the work on them. */
const http = {
  connections: limit(10_000, 'items', 'process', 'open connections', 'the connection is closed'),
  connectionsPerAddress: limit(500, 'items', 'address', 'open connections', 'the connection is closed'),
  requestsPerConnection: limit(32, 'items', 'connection', 'unanswered requests', 'the connection is closed'),
  publicBodyBytes: limit(4 * KiB, 'bytes', 'request', 'body of a public route', '413'),
  bodyBytes: limit(64 * KiB, 'bytes', 'request', 'body of every other route but sending', '413'),
  sendBodyBytes: limit(32 * MiB, 'bytes', 'request', 'body of sending, or the largest mail', '413'),
  compareBodyBytes: limit(1 * MiB, 'bytes', 'request', 'body of a comparison or an assertion', '413'),
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
  readinessMs: pace(1_000, 'ms', 'process', 'age of an answer of `/readyz`', 'the store is asked again'),
};

/** Requests in the formats of e-mail providers. */
const submissions = {
  atOnce: pace(32, 'items', 'process', 'requests whose mails are made and stored', 'users take turns'),
  atOncePerUser: pace(4, 'items', 'user and process', 'the same', 'the others wait'),
  mailsAtOnce: pace(5, 'items', 'request', 'mails that are examined at a time', 'the others wait'),
  waiting: limit(1_000, 'items', 'user and process', 'requests that wait for that', '429'),
};

/** Answers, event streams, waits and searches. */
const answers = {
  turnMs: pace(5, 'ms', 'process', 'requests that begin in one turn of the event loop', 'users take turns'),
  unreadMs: limit(30_000, 'ms', 'answer', 'time in which a client reads nothing', 'the connection is cut'),
  unreadBytes: limit(32 * MiB, 'bytes', 'user and process', 'answers not yet read', 'the answer is cut'),
  streamBacklogBytes: limit(1 * MiB, 'bytes', 'stream', 'events not yet read', 'the stream is cut'),
  streams: limit(100, 'items', 'user and process', 'open event streams', '429 `rate_limited`'),
  waits: limit(
    100,
    'items',
    'user and process',
    'requests that wait, beside a tenth of them for each other key',
    '429 `too_many_waits`',
  ),
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
  taggedMessages: pace(
    10_000,
    'items',
    'request',
    'newest messages with tags whose tags are counted',
    'older ones are not counted',
  ),
  tagNames: pace(1_000, 'items', 'request', 'tags of `GET /api/tags`', 'those of few messages are left out'),
  searchSliceMs: pace(25, 'ms', 'search', 'work of the embedded store in one turn', 'others have their turn'),
  searchMs: limit(5_000, 'ms', 'search', 'time from being asked', '503 `search_timeout`'),
  documents: limit(100, 'items', 'user and process', 'HTML documents that wait to be made', '429'),
  documentMs: limit(5_000, 'ms', 'HTML document', 'time to sanitise it', '503 `too_busy`'),
  documentPictureBytes: pace(
    32 * MiB,
    'bytes',
    'HTML document',
    'pictures of its mail, each time they are shown',
    'further ones are left out',
  ),
  bulkMs: pace(10_000, 'ms', 'bulk change', 'time in which it begins batches', '`cursor` goes on'),
  bulkAtOnce: pace(1, 'items', 'user and process', 'bulk changes under way', 'the others wait'),
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
  refusedCommands: limit(20, 'items', 'session', 'other refusals of it', 'they are not listed'),
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

/** Guesses, hashes, and requests to an identity provider. */
const access = {
  failedSubmitters: limit(
    10,
    'a minute',
    'address (IPv6: its /64), and user name',
    'failed sign-ins by SMTP',
    '454 to passwords of addresses that failed',
  ),
  refusedSubmitters: pace(
    10_000,
    'items',
    'process',
    'addresses and user names that must wait',
    'others may try',
  ),
  knownPasswords: pace(
    10_000,
    'items',
    'process',
    'account passwords that were right lately',
    'they are hashed again',
  ),
  knownPasswordMs: pace(60_000, 'ms', 'account password', 'time that it is remembered', 'it is hashed again'),
  hashes: pace(2, 'items', 'process', 'passwords being hashed, half for accounts', 'they wait in turn'),
  hashesWaiting: limit(
    100,
    'items',
    'address that signs in, with each team of SMTP; user name that many guess',
    'passwords to be hashed',
    '429, 454',
  ),
  providerMs: limit(5_000, 'ms', 'request to the identity provider', 'time to its whole answer', '503'),
  providerBytes: limit(1 * MiB, 'bytes', 'request to the identity provider', 'its answer', '503'),
  credentialEndMs: pace(3_000, 'ms', 'credential', 'time until its end is seen everywhere', 'it is refused'),
};

/** Rules of teams for mail. */
const mail = {
  rulesMs: limit(100, 'ms', 'mail and team', 'processor time of rules', 'the others are not applied'),
  rulesWaitMs: limit(5_000, 'ms', 'mail and team', 'rules of earlier mail, waited for', 'none is applied'),
  knownRules: pace(
    20_000,
    'items',
    'process, of each kind',
    'rules kept in memory',
    'the oldest are read again',
  ),
  delays: limit(
    20,
    'items',
    'team and process',
    'sessions and requests delayed on purpose',
    'the others are answered at once',
  ),
};

/** Requests to the outside, for checks of links. */
const outbound = {
  links: pace(100, 'items', 'check of links', 'links', 'the others are left out'),
  checks: limit(2, 'items', 'user and process', 'checks of links under way', '429 `rate_limited`'),
  atOnce: pace(32, 'items', 'process', 'requests under way', 'users take turns'),
  atOncePerHost: pace(2, 'items', 'host and process', 'requests under way', 'users take turns'),
  atOncePerUser: pace(8, 'items', 'user and process', 'requests under way', 'the others wait'),
  linkMs: limit(10_000, 'ms', 'link', 'time of its requests', 'it has an error'),
  checkMs: limit(60_000, 'ms', 'check of links', 'time', 'further links have an error'),
  redirects: pace(3, 'items', 'link', 'redirects that are followed', 'it has an error'),
};

/** Work on what a team owns. */
const owned = {
  mxChecks: pace(200, 'items', 'process', 'MX checks under way', 'the others wait'),
  mxChecksPerUser: pace(5, 'items', 'team', 'MX checks under way', 'the others of the team wait'),
};

/** Refusals that a process collects. */
const refusals = {
  waiting: limit(
    200,
    'items',
    'process',
    'refusals that wait to be written',
    'the oldest of the team with the most goes',
  ),
  waitingPerTeam: limit(
    50,
    'items',
    'team and process',
    'the same',
    'the oldest of the sender with the most goes',
  ),
  writeMs: pace(500, 'ms', 'process', 'time from one write of them to the next', 'they wait'),
  peers: pace(1_000, 'items', 'process', 'client addresses whose team is known', 'the oldest goes'),
  connectionsOfPeer: pace(20, 'items', 'address', 'refused connections a minute', 'they are logged alone'),
};

/**
 * All limits: the rules of the core, and what bounds load, time and concurrency. Names of the limits in the metric
 * `sandpost_limits_reached_total` and in docs/limits.md.
 */
export const limitTable = {
  http: { ...ruleTable.http, ...http },
  submissions: { ...ruleTable.submissions, ...submissions },
  answers: { ...ruleTable.answers, ...answers },
  checks,
  mcp,
  assertions: { ...ruleTable.assertions, ...assertions },
  comparison: { ...ruleTable.comparison, ...comparison },
  smtp,
  messages: ruleTable.messages,
  mail: { ...ruleTable.mail, ...mail },
  reports: ruleTable.reports,
  access: { ...ruleTable.access, ...access },
  outbound,
  owned: { ...ruleTable.owned, ...owned },
  failures: ruleTable.failures,
  teams: ruleTable.teams,
  refusals: { ...ruleTable.refusals, ...refusals },
} satisfies Record<string, Record<string, Limit>>;

/** Name of a limit that is counted. */
export type LimitName = NamesIn<typeof limitTable>;

/** Values alone: `limits.http.bodyBytes`. */
export const limits = valuesOf(limitTable);
