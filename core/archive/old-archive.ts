import { namespacePrefix } from '#core/teams/team.ts';
import type { ArchivedKey, ArchivedMessage, ArchivedPeople, ArchivedTeam } from './archive.ts';

/** User in an archive of the first format, from before there were teams. Users owned what teams own now. */
export type OldUser = Pick<ArchivedTeam, 'domains' | 'accounts'> & {
  email: string;
  passwordHash: string | null;
  apiKeys: Pick<ArchivedKey, 'name' | 'prefix' | 'hash' | 'createdAt'>[];
};

/** Message in an archive of the first format. */
export type OldMessage = Omit<ArchivedMessage, 'team'> & { email: string };

/**
 * Returns the users and teams of an archive of the first format: a managed team for a user that a Kubernetes namespace had
 * (`namespace/<name>`), and a user with a personal team for any other. Teams get the ids 1, 2 and so on.
 */
export function peopleOf(old: OldUser[], now: Date): ArchivedPeople {
  const people: ArchivedPeople = { users: [], teams: [] };
  for (const { email, passwordHash, apiKeys, domains, accounts } of old) {
    const managed = email.startsWith(namespacePrefix);
    const member = { email, grants: [{ source: 'direct', role: 'owner' } as const], joinedAt: now };
    const id = people.teams.length + 1;
    if (!managed) people.users.push({ id, email, passwordHash, ...unknown, createdAt: now });
    people.teams.push({
      id,
      name: email,
      kind: managed ? 'managed' : 'personal',
      createdAt: now,
      members: managed ? [] : [member],
      apiKeys: apiKeys.map((key) => ({ ...key, ...usual, createdBy: managed ? null : email })),
      domains,
      accounts,
    });
  }
  return people;
}

/** Values of fields that archives of the first format lack. */
const unknown = { emailVerified: false, disabledAt: null, identities: [] };
const usual = { scope: 'full', expiresAt: null, managedBy: null } as const;

/** Returns a function that gives messages of either format the id of their team. Throws for a user whom the archive does not name. */
export function withTeams({
  users,
  teams,
}: ArchivedPeople): (message: ArchivedMessage | OldMessage) => ArchivedMessage {
  const managed = teams.filter(({ kind }) => kind === 'managed');
  const ids = new Map([
    ...managed.map(({ name, id }) => [name, id] as const),
    ...users.map(({ email, id }) => [email, id] as const),
  ]);
  return (message) => {
    if ('team' in message) return message;
    const { email, ...rest } = message;
    const team = ids.get(email);
    if (team === undefined)
      throw new Error(`message ${message.id} of the archive is for ${email}, whom the archive does not name`);
    return { ...rest, team };
  };
}
