import type { User } from '#core/access/access.ts';
import { type AttemptPorts, countAttempt } from '#core/access/attempts.ts';
import { readEmail } from '#core/access/email.ts';
import type { Invitation, Team } from '#core/access/people.ts';
import { hashSecret, newSecret } from '#core/access/secrets.ts';
import type { RowStore } from '#core/change.ts';
import { NotFound } from '#core/errors.ts';
import type { Id } from '#core/ids.ts';
import { limits } from '#core/limits.ts';
import { acceptInvitation, cannotBeAccepted } from './member-changes.ts';
import type { TeamOfMember, TeamStore } from './team.ts';
import { addInvitation } from './team-changes.ts';

type Ports = { rows: RowStore; clock: () => Date };

/** Time in ms for which an invitation can be accepted. */
const invitationMs = 7 * 86_400_000;

/**
 * Creates an invitation to a team, for a certain email address if `email` is set. Returns it with its token, which is not stored.
 * `inviter` is the user or team whose invitations are counted. `createdBy` is the owner who creates the invitation, or null. `latest` is
 * the expiration of the key that makes the call, or null. Throws NotFound, Invalid, TooMany.
 */
export async function invite(
  ports: Ports & AttemptPorts,
  team: Id,
  inviter: Id,
  {
    role,
    email,
    createdBy,
    latest,
  }: Pick<Invitation, 'role' | 'email' | 'createdBy'> & { latest: Date | null },
): Promise<{ invitation: Invitation; token: string }> {
  const { rows, clock } = ports;
  const sentence = 'Too many invitations in one minute';
  await countAttempt(ports, `invitations:${inviter}`, 'teams.invitationRate', sentence);
  const token = newSecret();
  const now = clock();
  const sevenDays = now.getTime() + invitationMs;
  const expiresAt = new Date(Math.min(sevenDays, latest?.getTime() ?? sevenDays));
  const invited = email === null ? null : readEmail(email);
  const wanted = { team, role, email: invited, now, expiresAt, hash: hashSecret(token) };
  const most = limits.teams.invitations;
  const by = createdBy === null ? {} : { user: createdBy };
  const invitation = await rows.change(addInvitation, { ...wanted, ...by, most });
  return { invitation, token };
}

/** Finds an invitation that can still be accepted. Throws NotFound. */
export async function findInvitation(
  { rows, teams, clock }: Pick<Ports, 'rows' | 'clock'> & { teams: Pick<TeamStore, 'find'> },
  token: string,
): Promise<{ invitation: Invitation; team: Team }> {
  const invitation = await rows.read('invitation', { invitation: hashSecret(tokenOf(token)), now: clock() });
  const team = invitation && (await teams.find(invitation.team));
  if (invitation === null || team === null) throw new NotFound();
  return { invitation, team };
}

/**
 * Makes a user a member of the team that invited the user. Throws Invalid if the invitation was used, has expired or is for another email
 * address.
 */
export async function joinByInvitation(
  { rows, clock }: Ports,
  user: User,
  token: string,
): Promise<TeamOfMember> {
  const invitation = hashSecret(tokenOf(token));
  const found = await rows.read('invitation', { invitation, now: clock() });
  if (found === null) throw cannotBeAccepted();
  const { members, ofUser: teams } = limits.teams;
  const place = { team: found.team, user: user.id, invitation };
  return rows.change(acceptInvitation, { ...place, now: clock(), most: { members, teams } });
}

/** Returns the token at the end of an invitation's URL. Returns any other text unchanged. */
function tokenOf(text: string): string {
  return /[A-Za-z0-9_-]{43}\s*$/.exec(text)?.[0].trim() ?? text;
}
