import type { User } from '#core/access/access.ts';
import type { TakeOver } from '#core/access/take-over.ts';
import type { RowLists } from '#core/change.ts';
import type { Id } from '#core/ids.ts';
import { limits } from '#core/limits.ts';
import type { Actor, AuditAction, AuditStore } from './audit-log.ts';

export type AuditPorts = {
  auditLog: AuditStore;
  log: Record<'info' | 'error', (fields: object, message: string) => void>;
  clock: () => Date;
};

/** Person who runs one of the program's commands. */
export const administrator: Actor = { name: 'administrator', remoteAddress: null };

/** Writes an action to teams' audit logs, one entry for each target. Failing that, logs the entries, without undoing the action. */
export async function recordAction(
  ports: AuditPorts,
  teams: Id | Id[],
  { name, remoteAddress }: Actor,
  action: AuditAction,
  targets: string | string[],
  { ofOthers = action.startsWith('member.') && action !== 'member.joined' }: { ofOthers?: boolean } = {},
): Promise<void> {
  const at = ports.clock();
  const entries = [teams]
    .flat()
    .flatMap((team) =>
      [targets].flat().map((target) => ({ team, at, actor: name, action, target, remoteAddress, ofOthers })),
    );
  if (entries.length === 0) return;
  // The process's own log contains each action with its target, including actions that the audit log only counts.
  for (const { team, target } of entries)
    ports.log.info({ event: 'audit.noted', team, actor: name, action, target, remoteAddress }, 'action');
  try {
    const { auditEntries: most, auditRate: mostAnHour } = limits.teams;
    await ports.auditLog.record(entries, { most, mostAnHour });
  } catch (err) {
    ports.log.error({ event: 'audit.failed', err, entries }, 'could not write an audit log entry');
  }
}

/** Writes a user's action to the audit logs of all the user's teams. */
export async function recordEverywhere(
  ports: AuditPorts & { rows: RowLists },
  user: Id,
  actor: Actor,
  action: AuditAction,
  target: string,
): Promise<void> {
  const { items } = await ports.rows.list('teamsOf', { user }, { page: 1, limit: 200 });
  await recordAction(
    ports,
    items.map(({ id }) => id),
    actor,
    action,
    target,
  );
}

/** Writes a takeover to the audit logs of the personal team and of the teams that the user leaves. */
export async function recordTakeOver(
  ports: AuditPorts,
  actor: Actor,
  { id, email }: User,
  { left, keys, accounts, invitations }: TakeOver,
): Promise<void> {
  const record = (team: Id, action: AuditAction, targets: string[]) =>
    recordAction(ports, team, actor, action, targets);
  const names = new Map(left.map(({ team }) => [team.id, team.name]));
  const placed = (text: string, team: Id) =>
    team === id ? text : `${text} in ${names.get(team) ?? `team ${team}`}`;
  await record(id, 'user.taken_over', [email]);
  const removed = left.map(({ user, team }) => placed(user.email, team.id));
  await record(id, 'member.removed', removed);
  const revoked = keys.map(({ name, team }) => placed(name, team));
  await record(id, 'api_key.revoked', revoked);
  await record(
    id,
    'account.password_removed',
    accounts.map(({ address }) => address),
  );
  const ended = invitations.map((invitation) => placed(String(invitation.id), invitation.team));
  await record(id, 'invitation.revoked', ended);
  for (const team of new Set(left.map((one) => one.team.id))) {
    if (team === id) continue;
    await record(team, 'member.removed', [email]);
  }
  for (const { team, name } of keys) if (team !== id) await record(team, 'api_key.revoked', [name]);
}
