import type { User, UserStore } from '#core/access/access.ts';
import { hashSecret } from '#core/access/secrets.ts';
import { addUser, setDisabled, vouch } from '#core/access/user-changes.ts';
import type { RowLists, RowStore } from '#core/change.ts';
import { unlessTaken } from '#core/errors.ts';
import type { Id } from '#core/ids.ts';
import { type AuditPorts, administrator, recordAction } from '#core/teams/record-action.ts';
import type { ArchivedUser } from './archive-shapes.ts';

/** Users of the store by their IDs in the archive, and by their email addresses. `before`: users whom an import does not change. */
export type ImportedUsers = { byOldId: Map<Id, User>; byEmail: Map<string, User>; before: Set<Id> };

/** `trustPeople`: the import may also change users and teams that were in the store before the archive. */
export type Trust = { trustPeople: boolean; marks: ImportMarks };

/**
 * Creates missing users with their personal teams. Does not change users who were in the store before this archive's first run. Throws an
 * error of one sentence if a user cannot be created.
 */
export async function importUsers(
  ports: { rows: RowStore; users: UserStore },
  archived: ArchivedUser[],
  trust: Trust,
): Promise<ImportedUsers> {
  const imported: ImportedUsers = { byOldId: new Map(), byEmail: new Map(), before: new Set() };
  for (const one of archived) {
    const found = await ports.users.find({ email: one.email });
    const user = found?.user ?? (await makeUser(ports, one, trust));
    imported.byOldId.set(one.id, user);
    imported.byEmail.set(one.email, user);
    if (found !== null && !(await mayChange(user.id, trust))) imported.before.add(user.id);
    else await completeUser(ports, user, one, found === null);
  }
  return imported;
}

/** Checks whether an import may change a team in the store or, for a personal team, its user. */
export async function mayChange(team: Id, { trustPeople, marks }: Trust): Promise<boolean> {
  return trustPeople || (await marks.has(team));
}

async function makeUser(
  { rows }: { rows: RowStore },
  { email, passwordHash, createdAt, emailVerified, identities: [identity] }: ArchivedUser,
  { marks }: Trust,
): Promise<User> {
  const wanted = { email, passwordHash, now: createdAt, emailVerified, ...(identity && { identity }) };
  const user = await unlessTaken(rows.change(addUser, wanted));
  if (user === null)
    throw new Error(`the user ${email} cannot be created: another user has the same identity`);
  await marks.set(user.id);
  return user;
}

async function completeUser(
  { rows }: { rows: RowStore },
  { id: user }: User,
  { disabledAt, identities }: ArchivedUser,
  isNew: boolean,
): Promise<void> {
  // Adding an identity that the user already has changes nothing.
  for (const identity of isNew ? identities.slice(1) : identities)
    await unlessTaken(rows.change(vouch, { user, identity }));
  if (disabledAt !== null) await rows.change(setDisabled, { user, at: disabledAt });
}

/** Number of entries at the start of an audit log that are searched for an import's mark. */
const oldest = 10;

export type MarkPorts = AuditPorts & { rows: RowLists };

/** Marks of the teams that an archive has created. They let a later run of the same archive recognize these teams. */
export type ImportMarks = { set(team: Id): Promise<void>; has(team: Id): Promise<boolean> };

/**
 * Returns an archive's marks. A mark is the first entry of a team's audit log. It is in the store because whoever creates an archive can
 * write to the folder. It contains a digest of the archive's secret, so somebody who reads the log cannot create an archive with the same
 * secret.
 */
export function importMarks(ports: MarkPorts, secret: string): ImportMarks {
  const archive = hashSecret(secret);
  return {
    set: (team) => recordAction(ports, team, administrator, 'team.imported', archive),
    async has(team) {
      const { total } = await ports.rows.list('auditLog', { team }, { page: 1, limit: 1 });
      const page = Math.max(1, Math.ceil(total / oldest));
      const { items } = await ports.rows.list('auditLog', { team }, { page, limit: oldest });
      return items.some(
        ({ actor, action, target }) =>
          actor === administrator.name && action === 'team.imported' && target === archive,
      );
    },
  };
}
