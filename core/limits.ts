export const KiB = 1024;
const MiB = 1024 * KiB;
const GiB = 1024 * MiB;

/** All limits of Sandpost. docs/limits.md says what each bounds, for whom, and what happens beyond it. */
const table = {
  /** Requests, mails that are sent by the API, and answers to faults. */
  http: {
    bodyLevels: 20,
    bodyValues: 10_000,
    subjectCharacters: 998,
    recipients: 100,
    assumedNames: 100,
    assumedRecords: 20,
    assumedCharacters: 4 * KiB,
    violations: 20,
    connections: 10_000,
    connectionsPerAddress: 500,
    requestsPerConnection: 32,
    publicBodyBytes: 4 * KiB,
    bodyBytes: 64 * KiB,
    sendBodyBytes: 32 * MiB,
    compareBodyBytes: 1 * MiB,
    bodiesBytes: 64 * MiB,
    bodiesBytesPerAddress: 16 * MiB,
    bodiesBytesPerUser: 32 * MiB,
    bodyPieceBytes: 64,
    bodyPaceBytes: 256 * KiB,
    drafts: 100,
    draftMs: 10_000,
    draftTurnMs: 50,
    draftHeapBytes: 256 * MiB,
    writesAtOnce: 8,
    writes: 1_000,
    readinessMs: 1_000,
  },
  /** Requests in the formats of e-mail providers. */
  submissions: {
    bodyValues: 100_000,
    formFields: 5_000,
    mails: 1_000,
    recipients: 1_000,
    recipientsInAll: 10_000,
    addressBytes: 64 * KiB,
    deliveries: 10_000,
    headerFields: 100,
    headerFieldBytes: 16 * KiB,
    lineCharacters: 998,
    attachments: 100,
    composedBytes: 8 * MiB,
    searched: 64 * MiB,
    places: 100_000,
    shownBytes: 64 * KiB,
    shownBytesInAll: 4 * MiB,
    atOnce: 32,
    atOncePerUser: 4,
    mailsAtOnce: 5,
    waiting: 1_000,
  },
  /** Messages in answers and events, streams, waits and searches. */
  answers: {
    subjectCharacters: 998,
    toAddresses: 50,
    addressCharacters: 320,
    bulkIds: 1_000,
    textBytes: 1 * MiB,
    htmlTextCharacters: 256 * KiB,
    headerFields: 1_000,
    headerFieldBytes: 16 * KiB,
    queryCharacters: 1_000,
    queryTerms: 50,
    turnMs: 5,
    unreadMs: 30_000,
    unreadBytes: 32 * MiB,
    streamBacklogBytes: 1 * MiB,
    streams: 100,
    waits: 100,
    searches: 2,
    fieldSearches: 100,
    searchesAtOnce: 2,
    taggedMessages: 10_000,
    tagNames: 1_000,
    searchSliceMs: 25,
    searchMs: 5_000,
    documents: 100,
    documentMs: 5_000,
    documentPictureBytes: 32 * MiB,
    bulkMs: 10_000,
    bulkAtOnce: 1,
  },
  /** Threads of all work beside the main thread. */
  workshop: {
    turnMs: 50,
    memoryBytes: 192 * MiB,
    heapBytes: 64 * MiB,
    largeBytes: 1 * MiB,
    longMs: 60_000,
    refusedMs: 300_000,
  },
  /** Checks of messages. */
  checks: {
    waiting: 20,
    ms: 2_000,
    spamAtOnce: 2,
    spamMs: 10_000,
    spamBytes: 4 * MiB,
    spamAnswerBytes: 256 * KiB,
  },
  /** Tools for language models (`/mcp`). */
  mcp: {
    waitMs: 50_000,
    repeatMs: 20_000,
    messages: 50,
    textCharacters: 20_000,
    answerCharacters: 60_000,
    attachmentBytes: 256 * KiB,
  },
  /** Assertions about messages. */
  assertions: {
    clauses: 100,
    messages: 10,
    patternCharacters: 1_000,
    waiting: 100,
    patternMs: 100,
    patternsMs: 1_000,
    ms: 10_000,
  },
  /** Comparisons of mails. */
  comparison: {
    mailBytes: 8 * MiB,
    patterns: 20,
    patternCharacters: 1_000,
    waiting: 20,
    ms: 3_000,
    patternMs: 100,
    patternsMs: 1_000,
    diffMs: 200,
    changes: 200,
    changeCharacters: 2_000,
    unifiedCharacters: 64 * KiB,
  },
  /** The SMTP dialogue. */
  smtp: {
    connections: 1_000,
    connectionsPerAddress: 50,
    commandLineBytes: 2 * KiB,
    recipients: 100,
    refusedRecipients: 20,
    refusedCommands: 20,
    loggedMails: 20,
    dsnCharacters: 8 * KiB,
    hops: 100,
    turnMs: 5,
    turnCommands: 100,
    handshakeMs: 15_000,
    idleMs: 300_000,
    paceMs: 60_000,
    paceBytes: 60 * KiB,
    heldBytes: 1 * MiB,
    heldBytesInAll: 64 * MiB,
    drainMs: 20_000,
  },
  /** Additions to a message beside its mail. */
  messages: {
    tags: 20,
    transcriptBytes: 16 * KiB,
    transcriptLines: 256,
    transcriptLineCharacters: 500,
    tagCharacters: 40,
  },
  /** The examination of a mail, and the rules of teams for it. A finding names these limits as its cause. */
  mail: {
    headerBytes: 256 * KiB,
    headerFieldBytes: 64 * KiB,
    parts: 1_000,
    partLevels: 100,
    searchedCharacters: 1 * MiB,
    reportBytes: 256 * KiB,
    signatureMs: 2_000,
    signedHeaderBytes: 128 * KiB,
    signedHeaderLines: 2_000,
    signedHeaderSpaces: 1_000,
    signatureFieldBytes: 16 * KiB,
    signatures: 20,
    dnsMs: 5_000,
    dnsTextBytes: 4 * KiB,
    dnsQuestions: 40,
    addresses: 2_000,
    threadReferences: 100,
    commitRows: 2_000,
    markRun: 30,
    addressBytes: 64 * KiB,
    sharedCheckMs: 100,
    stallMs: 250,
    moves: 3,
    suspectThreads: 2,
    examineMs: 30_000,
    suspectMs: 10_000,
    headerMs: 5_000,
    rulesMs: 100,
    rulesWaitMs: 5_000,
    knownRules: 20_000,
    delays: 20,
    delayedBytes: 64 * MiB,
  },
  /** Reports on mail that fails on purpose. */
  reports: {
    returnedBytes: 64 * KiB,
    autoreplies: 20,
    ofRequest: 1_000,
  },
  /** Sign-ins, of which failed tries count and a success gives its place back; hashes; identity providers. */
  access: {
    failuresPerAddressAndEmail: 10,
    failuresPerAddress: 100,
    failuresPerEmail: 30,
    registrations: 60,
    providerSignIns: 100,
    signIns: 60,
    providerGroups: 1_000,
    failedSubmitters: 10,
    refusedSubmitters: 10_000,
    knownPasswords: 10_000,
    knownPasswordMs: 60_000,
    hashes: 2,
    hashesWaiting: 100,
    providerMs: 5_000,
    providerBytes: 1 * MiB,
    credentialEndMs: 3_000,
  },
  /** Requests to the outside, for checks of links. */
  outbound: {
    links: 100,
    checks: 2,
    atOnce: 32,
    atOncePerHost: 2,
    atOncePerUser: 8,
    linkMs: 10_000,
    checkMs: 60_000,
    redirects: 3,
  },
  /** Quotas of a team, its accounts and its users. Settings override those that name one. */
  owned: {
    sessions: 100,
    domains: 1_000,
    accounts: 10_000,
    storageBytes: 100 * GiB,
    lightMessages: 1_000,
    droppedAtOnce: 500,
    dropRounds: 400,
    mailboxes: 100,
    apiKeys: 1_000,
    savedSearches: 100,
    mailRules: 100,
    failures: 100,
    mxChecks: 200,
    mxChecksPerUser: 5,
  },
  /** Failures on purpose, and what they remember. */
  failures: {
    addresses: 1_000,
    attempts: 100,
    attemptCharacters: 32 * KiB,
    recipients: 20,
  },
  /** Teams, their members and their audit logs. */
  teams: {
    ofUser: 100,
    members: 1_000,
    memberRules: 1_000,
    groups: 500,
    invitations: 100,
    invitationRate: 60,
    auditEntries: 20_000,
    auditRate: 1_000,
  },
  /** Refused mails, recipients and sign-ins. */
  refusals: {
    ofTeam: 1_000,
    recipients: 20,
    addressCharacters: 320,
    replyCharacters: 500,
    waiting: 200,
    waitingPerTeam: 50,
    writeMs: 500,
    peers: 1_000,
    connectionsOfPeer: 20,
  },
};

type Table = typeof table;

/** Limits by section and name: `limits.http.recipients`. */
export const limits: { readonly [Section in keyof Table]: Readonly<Table[Section]> } = table;

/** Name of a limit in docs/limits.md and in the metric `sandpost_limits_reached_total`: `http.recipients`. */
export type LimitName = { [S in keyof Table]: `${S}.${keyof Table[S] & string}` }[keyof Table];

const byName = new Map<string, number>(
  Object.entries(table).flatMap(([section, values]) =>
    Object.entries(values).map(([name, value]) => [`${section}.${name}`, value]),
  ),
);

/** Returns a limit by its name. */
export function limitOf(name: LimitName): number {
  const value = byName.get(name);
  if (value === undefined) throw new Error(`there is no limit ${name}`);
  return value;
}

/** Quotas of a team, from the settings. */
export type Quotas = { domains: number; accounts: number; storageBytes: number };
