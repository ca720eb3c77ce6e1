import type { User } from '#core/access/access.ts';
import type { TakeOver } from '#core/access/take-over.ts';
import type { Id } from '#core/ids.ts';
import type { Actor, AuditAction } from './audit-log.ts';
import { type NotePorts, noteAction } from './note-action.ts';

/** Writes a takeover to the audit log of the personal team, and to those of the teams that the user leaves. */
export async function noteTakeOver(
  ports: NotePorts,
  actor: Actor,
  { id, email }: User,
  { left, keys, accounts, invitations }: TakeOver,
): Promise<void> {
  const note = (team: Id, action: AuditAction, targets: string[]) =>
    noteAction(ports, team, actor, action, targets);
  const names = new Map(left.map(({ team }) => [team.id, team.name]));
  const placed = (text: string, team: Id) =>
    team === id ? text : `${text} in ${names.get(team) ?? `team ${team}`}`;
  await note(id, 'user.taken_over', [email]);
  const removed = left.map(({ user, team }) => placed(user.email, team.id));
  await note(id, 'member.removed', removed);
  const revoked = keys.map(({ name, team }) => placed(name, team));
  await note(id, 'api_key.revoked', revoked);
  await note(
    id,
    'account.password_removed',
    accounts.map(({ address }) => address),
  );
  const ended = invitations.map((invitation) => placed(String(invitation.id), invitation.team));
  await note(id, 'invitation.revoked', ended);
  for (const team of new Set(left.map((one) => one.team.id))) {
    if (team === id) continue;
    await note(team, 'member.removed', [email]);
  }
  for (const { team, name } of keys) if (team !== id) await note(team, 'api_key.revoked', [name]);
}
