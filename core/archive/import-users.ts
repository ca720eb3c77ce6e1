import type { User, UserStore } from '#core/access/access.ts';
import type { Id } from '#core/ids.ts';
import type { ArchivedUser } from './archive.ts';

/** Users of the store by their ids in the archive, and by their e-mails. */
export type ImportedUsers = { byOldId: Map<Id, User>; byEmail: Map<string, User> };

/** Creates missing users with their personal teams. Throws an error of one sentence for a user who cannot be made. */
export async function importUsers(
  ports: { users: UserStore },
  archived: ArchivedUser[],
): Promise<ImportedUsers> {
  const imported: ImportedUsers = { byOldId: new Map(), byEmail: new Map() };
  for (const one of archived) {
    const user = await importUser(ports, one);
    imported.byOldId.set(one.id, user);
    imported.byEmail.set(one.email, user);
  }
  return imported;
}

async function importUser(
  { users }: { users: UserStore },
  { email, passwordHash, createdAt, emailVerified, disabledAt, identities }: ArchivedUser,
): Promise<User> {
  const [identity, ...others] = identities;
  const found = await users.findByEmail(email);
  const more = { emailVerified, ...(identity && { identity }) };
  const user = found?.user ?? (await users.insert(email, passwordHash, createdAt, more));
  if (user === null) throw new Error(`the user ${email} cannot be made: another user has their identity`);
  // A user who was found is from an earlier run, or was in the store before. Joining an identity again changes nothing.
  for (const identity of found === null ? others : identities) await users.vouch(user.id, { identity });
  if (disabledAt !== null) await users.setDisabled(user.id, disabledAt);
  return user;
}
