import type { Id } from '#core/ids.ts';
import type { AuditAction } from '#core/teams/audit-log.ts';
import { noteAction } from '#core/teams/note-action.ts';
import type { Services } from '#setup/services.ts';
import type { Caller, Ctx } from './context.ts';

/** Returns the caller as the audit log names them. */
function actorOf({ user, keyName }: Caller, ctx: Ctx): { name: string; remoteAddress: string } {
  return { name: user?.email ?? `API key ${keyName}`, remoteAddress: ctx.ip };
}

/** Writes the action of a request to the audit logs of teams, by default that of the one that it acts in. */
export function note(
  { services, caller, ctx }: { services: Services; caller: Caller; ctx: Ctx },
  action: AuditAction,
  target: string,
  teams: Id | Id[] = caller.team,
  options: { ofOthers?: boolean } = {},
): Promise<void> {
  return noteAction(services, teams, actorOf(caller, ctx), action, target, options);
}
