import type { User } from '#core/access/access.ts';
import { beginSession, endSession } from '#core/access/sessions.ts';
import type { SignedIn } from '#core/access/sign-in.ts';
import { found } from '#core/errors.ts';
import { applyMemberRules } from '#core/teams/member-rules.ts';
import { recordAction, recordEverywhere } from '#core/teams/record-action.ts';
import type { TeamStore } from '#core/teams/team.ts';
import type { Services } from '#setup/services.ts';
import type { Caller, Ctx } from './context.ts';
import { readSessionCookie, sendSessionCookie } from './middleware/session-cookie.ts';

/**
 * Starts a session with a new secret, and ends the browser's previous session (session fixation). `groups` come from the identity
 * provider, or are null for another way to sign in.
 */
export async function startSession(
  services: Services,
  ctx: Ctx,
  { holder, origin }: SignedIn,
  groups: string[] | null = null,
): Promise<User> {
  const key = 'key' in holder ? holder.key : null;
  const user = 'key' in holder ? holder.key.createdBy : holder.user;
  const team = key?.owner ?? user?.id ?? 0;
  if ('user' in holder) await applyMemberRules(services, holder.user, groups);
  const secret = await beginSession(services, user?.id ?? team, origin);
  const old = readSessionCookie(ctx, services.config);
  if (old !== null) await endSession(services, old);
  sendSessionCookie(ctx, secret, services.config);
  const shown = await shownUser(services, { user, team });
  const actor = { name: user?.email ?? `API key ${key?.name}`, remoteAddress: ctx.ip };
  if (key !== null) await recordAction(services, team, actor, 'session.created', `API key ${key.name}`);
  else await recordEverywhere(services, shown.id, actor, 'session.created', shown.email);
  return shown;
}

/** Returns a caller's user. A key without a user appears as its team. */
export async function shownUser(
  { teams }: { teams: Pick<TeamStore, 'find'> },
  { user, team }: Pick<Caller, 'user' | 'team'>,
): Promise<User> {
  if (user !== null) return user;
  const { id, name, createdAt } = found(await teams.find(team));
  return { id, email: name, createdAt };
}
