import type { Write } from '#core/change.ts';
import { domainPath } from '#core/domains/domain-name.ts';
import { pathKey } from '#core/mailboxes/mailbox.ts';
import { all, customQuery, insert, put, remove, type Steps, set, type Where } from './steps.ts';
import type { KeyRow } from './tables.ts';
import * as tables from './tables.ts';

const some = <Value>(values: Value[] | undefined) => values && { in: values };

const writers: { [Do in Write['do']]: (write: Extract<Write, { do: Do }>) => Steps<unknown> } = {
  'add-team': ({ team }) => insert(tables.teams, team),
  'set-team': ({ team: id, set: values }) => set(tables.teams, { id }, values),
  'delete-team': ({ team, now }) => customQuery('hideTeam', team, now),
  'add-user': ({ user }) => insert(tables.users, { ...user, disabledAt: null }),
  *'set-user'({ user: id, set: { groups, ...values } }) {
    if (Object.keys(values).length > 0) yield* set(tables.users, { id }, values);
    if (values.disabledAt !== undefined) yield* customQuery('suspend', id, values.disabledAt !== null);
    if (groups !== undefined) yield* customQuery('setGroups', id, groups);
  },
  *'remove-user'({ user: id }) {
    yield* customQuery('removeIdentities', id);
    yield* customQuery('setGroups', id, []);
    yield* remove(tables.users, { id });
  },
  'add-identity': ({ user, identity }) => customQuery('addIdentity', user, identity),
  'put-member': ({ team, user, grants, joinedAt, suspended }) =>
    customQuery('putMember', team, user, { grants, joinedAt, suspended }),
  'remove-members': ({ where }) => customQuery('removeMembers', where),
  'add-key': ({ key: { createdBy, ...key }, hash }) =>
    insert(tables.apiKeys, { ...key, createdBy: createdBy?.id ?? null, hash }),
  'set-key': ({ key: id, set: values }) => set(tables.apiKeys, { id }, values),
  *'end-keys'({ where: { ids, team: owner, createdBy } }) {
    const keys = { id: some(ids), owner, createdBy };
    yield* endSessionsOfKeys(keys);
    yield* remove(tables.apiKeys, keys);
  },
  'add-session': ({ session }) => insert(tables.sessions, session),
  'end-sessions': ({ hashes }) => remove(tables.sessions, { hash: { in: hashes } }),
  *'end-sessions-of'({ user: userId, keep, ofKeys }) {
    yield* remove(tables.sessions, { userId, hash: { not: keep ?? '' } });
    if (ofKeys) yield* endSessionsOfKeys({ createdBy: userId });
  },
  'add-invitation': ({ invitation, hash }) => insert(tables.invitations, { ...invitation, hash }),
  'end-invitations': ({ where: { ids, team, createdBy } }) =>
    remove(tables.invitations, { id: some(ids), team, createdBy }),
  'put-rule': ({ rule }) => put(tables.memberRules, rule),
  'remove-rules': ({ where }) => remove(tables.memberRules, where),
  'remove-passwords': ({ accounts: ids }) =>
    set(tables.accounts, { id: { in: ids } }, { passwordHash: null }),
  *'add-domain'({ domain }) {
    yield* insert(tables.domains, { ...domain, path: domainPath(domain.name) });
    yield* customQuery('joinTeam', domain.id, domain.owner);
  },
  'set-domain': ({ domain: id, set: values }) => set(tables.domains, { id }, values),
  'delete-domain': ({ domain, now }) => customQuery('hideDomain', domain, now),
  *'add-account'({ account: { mailboxes: own, ...account }, passwordHash }) {
    yield* insert(tables.accounts, { ...account, passwordHash });
    yield* customQuery('addMailboxes', own, account.owner);
  },
  'set-account': ({ account: id, set: values, room }) =>
    set(tables.accounts, { id }, { ...values, ...(room && { fullAt: null }) }),
  'delete-account': ({ account, now }) => customQuery('hideAccount', account, now),
  'add-mailbox': ({ mailbox, owner }) => customQuery('addMailboxes', [mailbox], owner),
  'rename-mailbox': ({ mailbox: id, path }) =>
    set(tables.mailboxes, { id }, { path, pathKey: pathKey(path) }),
  'delete-mailbox': ({ mailbox, account, now }) => customQuery('hideMailbox', mailbox, account, now),
  'put-search': ({ team, search }) => put(tables.savedSearches, { ...search, team }),
  'remove-searches': ({ where }) => remove(tables.savedSearches, where),
  *'put-mail-rules'({ team, rules }) {
    for (const { id, position, matched: _, discarded: _d, ...words } of rules) {
      const row = { id, team, position, words, matched: 0, discarded: 0 };
      yield* put(tables.mailRules, row, ['matched', 'discarded']);
    }
    yield* customQuery('renewRules', team);
  },
  *'remove-mail-rules'({ team, ids }) {
    yield* remove(tables.mailRules, { team, id: some(ids) });
    yield* customQuery('renewRules', team);
  },
  'put-failure'({ team, key, failure: { id, createdAt, expiresAt, hits, attempts, window, ...words } }) {
    return put(tables.failures, { id, team, key, words, createdAt, expiresAt, hits, attempts, window });
  },
  'remove-failures': ({ team, ids, over }) =>
    remove(tables.failures, { team, id: some(ids), expiresAt: over && { upTo: over } }),
  'renew-failures': ({ team }) => customQuery('renewFailures', team),
  'add-share': ({ share, hash }) => insert(tables.shares, { ...share, hash }),
  'set-share': ({ share: id, set: values }) => set(tables.shares, { id }, values),
  'end-shares': ({ where: { ids, team, createdBy } }) =>
    remove(tables.shares, { id: some(ids), team, createdBy }),
};

function* endSessionsOfKeys(where: Where<KeyRow>): Steps<void> {
  const keys = yield* all(tables.apiKeys, where);
  if (keys.length > 0) yield* remove(tables.sessions, { keyId: { in: keys.map(({ id }) => id) } });
}

/** Writes a plan's rows, in the transaction in which it was planned. */
export function* writeRows(writes: Write[]): Steps<void> {
  for (const write of writes) yield* writers[write.do](write as never);
}
