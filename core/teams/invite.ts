import type { RateWindow, User } from '#core/access/access.ts';
import { parseEmail, strangeEmail } from '#core/access/email.ts';
import { hashSecret, newSecret } from '#core/access/secrets.ts';
import { invalid, NotFound, OverQuota, TooMany, withinQuota } from '#core/errors.ts';
import type { Id } from '#core/ids.ts';
import { type LimitName, limits } from '#core/limits.ts';
import type { Invitation, InvitationStore } from './invitation.ts';
import type { Team, TeamOfMember, TeamStore } from './team.ts';

type Ports = { invitations: InvitationStore; clock: () => Date };

const minuteMs = 60_000;
/** Time for which an invitation can be accepted. */
const invitationMs = 7 * 86_400_000;

const quota = { limit: 'teams.invitations', most: limits.teams.invitations, things: 'invitations' } as const;

/**
 * Makes an invitation to a team, for one e-mail if it has one. Returns it with its token, which is stored nowhere. `inviter`
 * is the user or team whose invitations are counted, `createdBy` the owner who makes it, or null, and `latest` the expiry of the key
 * of the call, or null. Throws NotFound, Invalid, TooMany.
 */
export async function invite(
  ports: Ports & { attempts: RateWindow; metrics: { limitReached(limit: LimitName): void } },
  team: Id,
  inviter: Id,
  {
    role,
    email,
    createdBy,
    latest,
  }: Pick<Invitation, 'role' | 'email' | 'createdBy'> & { latest: Date | null },
): Promise<{ invitation: Invitation; token: string }> {
  const { invitations, attempts, metrics, clock } = ports;
  const { slot, resetMs } = await attempts.take(
    `invitations:${inviter}`,
    limits.teams.invitationRate,
    minuteMs,
  );
  if (slot === null) {
    metrics.limitReached('teams.invitationRate');
    throw new TooMany('Too many invitations in a minute', resetMs);
  }
  const token = newSecret();
  const createdAt = clock();
  const sevenDays = createdAt.getTime() + invitationMs;
  const expiresAt = new Date(Math.min(sevenDays, latest?.getTime() ?? sevenDays));
  const invited = email === null ? null : parseEmail(email);
  if (email !== null && invited === null) throw invalid('email', strangeEmail);
  const wanted = { team, role, email: invited, createdBy, createdAt, expiresAt };
  const stored = invitations.insert({ ...wanted, hash: hashSecret(token) }, quota.most);
  const invitation = await withinQuota(stored, 'role', quota);
  if (invitation === null) throw new NotFound('The team, or your ownership of it, ended during the request');
  return { invitation, token };
}

/** Finds an invitation that can still be accepted. Throws NotFound. */
export async function findInvitation(
  { invitations, clock }: Ports,
  token: string,
): Promise<{ invitation: Invitation; team: Team }> {
  const found = await invitations.find(hashSecret(tokenOf(token)), clock());
  if (found === null) throw new NotFound();
  return found;
}

/**
 * Makes a user a member of the team that they were invited to. Throws Invalid for an invitation that was used, has expired or
 * is for another e-mail.
 */
export async function acceptInvitation(
  { invitations, teams, clock }: Ports & { teams: Pick<TeamStore, 'listOf'> },
  user: User,
  token: string,
): Promise<TeamOfMember> {
  const hash = hashSecret(tokenOf(token));
  const { members, ofUser } = limits.teams;
  const accepted = await invitations
    .accept(hash, user, clock(), { members, teams: ofUser })
    .catch(async (error) => {
      if (!(error instanceof OverQuota)) throw error;
      const { total } = await teams.listOf(user.id, { page: 1, limit: 1 });
      throw total >= ofUser
        ? invalid('token', `cannot be used: you are in ${ofUser} teams, which is the limit`, 'teams.ofUser')
        : invalid('token', `leads to a team of ${members} members, which is the limit`, 'teams.members');
    });
  if (accepted === null) {
    const found = await invitations.find(hash, clock());
    throw invalid(
      'token',
      found === null
        ? 'is not that of an invitation that can be accepted: it was used or revoked, or is over seven days old'
        : 'is that of an invitation for another e-mail: sign in with that one',
    );
  }
  return { ...accepted.team, role: accepted.role };
}

/** Returns the token in the address of an invitation, or the text itself. */
function tokenOf(text: string): string {
  return /[A-Za-z0-9_-]{43}\s*$/.exec(text)?.[0].trim() ?? text;
}
