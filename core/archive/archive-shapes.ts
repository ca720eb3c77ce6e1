import { isIP } from 'node:net';
import { type Identity, keyScopes } from '#core/access/access.ts';
import { confusableEmail, parseEmail } from '#core/access/email.ts';
import { parsePasswordHash } from '#core/access/password-hash.ts';
import type { Grant } from '#core/access/role.ts';
import { roles } from '#core/access/role.ts';
import { type AccountFlags, defaultFlags } from '#core/accounts/account.ts';
import { parseAddress } from '#core/accounts/address.ts';
import type { Verification } from '#core/domains/domain.ts';
import { parseDomainName } from '#core/domains/domain-name.ts';
import { limits } from '#core/limits.ts';
import {
  type AuditCheck,
  type AuditChecks,
  type Authentication,
  type AuthResult,
  authResults,
  type Submission,
} from '#core/messages/content.ts';
import type { Dsn, Envelope, SignedIn, TlsInfo } from '#core/messages/message.ts';
import type { Sender } from '#core/messages/sender.ts';
import { isTraceId } from '#core/messages/trace-context.ts';
import type { RuleWords } from '#core/rules/mail-rule.ts';
import type { SavedSearch } from '#core/search/saved-search.ts';
import {
  count,
  date,
  flag,
  id,
  list,
  nullable,
  oneOf,
  optional,
  record,
  type Shape,
  type Shaped,
  text,
  textThat,
} from './shape.ts';

const line = textThat((value) => value.length <= 1000 && !/\p{Cc}/u.test(value), 'a line of text');
/** Email address in the form in which users are compared. */
const email: Shape<string> = (value, at) => {
  const parsed = parseEmail(line(value, at));
  if (parsed === null) throw new Error(`${at} ${confusableEmail}`);
  return parsed;
};
const passwordHash = nullable(
  textThat((value) => parsePasswordHash(value) !== null, 'an argon2id hash with at most m=19456,t=2,p=1'),
);
const address = textThat((value) => {
  // A domain's wildcard address cannot be a recipient address.
  const plain = value.replace(/^\*@/, 'x@');
  return parseAddress(plain)?.address === plain;
}, 'a lowercase email address');
const clientIp = textThat((value) => isIP(value) > 0, 'an IP address');
const domainName = textThat((value) => parseDomainName(value) === value, 'a lowercase domain');

const identity = record<Identity>({ issuer: line, subject: line });
/** User with the old ID, which is also the old ID of the user's personal team. The password hash keeps the password valid. */
const user = record({
  id,
  email,
  passwordHash,
  createdAt: date,
  emailVerified: flag,
  disabledAt: nullable(date),
  identities: list(identity),
});

export type ArchivedUser = Shaped<typeof user>;

const grant = record<Grant>({ source: oneOf('direct', 'group'), role: oneOf(...roles) });
/** Key, identified by the hash of its value. `createdBy` is an email address. */
const apiKey = record({
  name: line,
  prefix: line,
  hash: line,
  createdAt: date,
  scope: oneOf(...keyScopes),
  expiresAt: nullable(date),
  createdBy: nullable(email),
  managedBy: nullable(line),
});
export type ArchivedKey = Shaped<typeof apiKey>;

const verification = record<Verification>({
  status: oneOf('pending', 'verified', 'failed'),
  source: nullable(oneOf('manual', 'mx')),
  detail: nullable(text),
  refusals: count,
  checkedAt: nullable(date),
  nextCheckAt: nullable(date),
});
/** Account flags. Archives of earlier versions lack some of them. */
const laterFlags = Object.fromEntries(
  Object.keys(defaultFlags).map((name) => [name, optional(flag)]),
) as Record<keyof AccountFlags, Shape<boolean | undefined>>;
const owned = {
  domains: list(
    record({
      name: domainName,
      active: flag,
      verification,
      managedBy: nullable(line),
      assumedClientIp: optional(nullable(clientIp)),
      createdAt: date,
    }),
  ),
  accounts: list(
    record({
      id,
      address,
      ...laterFlags,
      active: flag,
      catchAll: flag,
      storageLimit: count,
      managedBy: nullable(line),
      createdAt: date,
      passwordHash,
      mailboxes: list(record({ id, path: line, system: flag })),
    }),
  ),
};
const rule = record<RuleWords>({
  name: line,
  q: line,
  active: flag,
  tags: list(line),
  mailbox: nullable(line),
  isFlagged: flag,
  isRead: flag,
  expiresIn: nullable(count),
  discard: flag,
});
/**
 * Team with its old ID. Includes only grants from invitations and groups, because the operator recreates those of Kubernetes resources.
 * Mail rules are in their order, without their counts. Archives of earlier versions lack the optional fields. Excludes failure rules and
 * share links, which last a month at most.
 */
const team = record({
  id,
  name: line,
  kind: oneOf('personal', 'shared', 'managed'),
  createdAt: date,
  allowsShares: optional(flag),
  clients: optional(nullable(list(line))),
  members: list(record({ email, grants: list(grant), joinedAt: date })),
  apiKeys: list(apiKey),
  rules: optional(list(rule)),
  searches: optional(list(record<Omit<SavedSearch, 'id'>>({ name: line, q: line }))),
  ...owned,
});

export type ArchivedTeam = Shaped<typeof team>;

export const peopleShape = record({ users: list(user), teams: list(team) });

export type ArchivedPeople = Shaped<typeof peopleShape>;

const result: Shape<AuthResult> = oneOf(...authResults);
const authentication = record<Authentication>({
  spf: record<Authentication['spf']>({ result, domain: nullable(text), explanation: nullable(text) }),
  dkim: list(
    record<Authentication['dkim'][number]>({
      result,
      domain: nullable(text),
      selector: nullable(text),
      aligned: flag,
      info: nullable(text),
    }),
  ),
  dmarc: record<Authentication['dmarc']>({
    result,
    domain: nullable(text),
    policy: nullable(text),
    alignedSpf: flag,
    alignedDkim: flag,
  }),
  arc: record<Authentication['arc']>({ result }),
  header: text,
});
const checks = list(record<AuditCheck>({ id: text, title: text, detail: text }));
const audit = record<AuditChecks>({ critical: checks, warning: checks, info: checks, passed: checks });
const dsn = record<Dsn>({
  ret: nullable(oneOf('FULL', 'HDRS')),
  envid: nullable(text),
  recipients: list(
    record<Dsn['recipients'][number]>({
      address: text,
      notify: list(oneOf('NEVER', 'SUCCESS', 'FAILURE', 'DELAY')),
      orcpt: nullable(text),
    }),
  ),
});
const signedIn = record<SignedIn>({
  kind: oneOf('account', 'api_key'),
  name: text,
  userName: optional(text),
});
const envelope = record<Envelope>({
  mailFrom: text,
  rcptTo: list(text),
  helo: nullable(text),
  remoteAddress: nullable(text),
  tls: flag,
  receivedBy: text,
  authenticatedAs: optional(nullable(signedIn)),
  tlsInfo: optional(nullable(record<TlsInfo>({ version: text, cipher: text, serverName: nullable(text) }))),
  dsn: optional(nullable(dsn)),
  sender: optional(record<Sender>({ namespace: text, pod: text, workload: nullable(text) })),
});
/**
 * Message of a team, with the facts that its raw bytes do not contain. `number` and all IDs, including the team's, are the old ones.
 * `transcript`: SMTP dialogue that delivered the message, as its team may see it.
 */
export const messageShape = record({
  id,
  team: id,
  number: count,
  accountId: id,
  mailboxId: id,
  receivedAt: date,
  expiresAt: nullable(date),
  autoDelete: flag,
  isRead: flag,
  isFlagged: flag,
  copy: flag,
  sizeBytes: count,
  deliveredTo: text,
  tag: nullable(text),
  tags: optional(list(text)),
  traceId: optional(nullable(textThat(isTraceId, 'a trace-id'))),
  envelope,
  authentication,
  audit,
  submission: optional(record<Submission>({ provider: text, request: text })),
  transcript: optional(textThat((value) => value.length <= limits.messages.transcriptBytes, 'a dialogue')),
});

export type ArchivedMessage = Shaped<typeof messageShape>;
