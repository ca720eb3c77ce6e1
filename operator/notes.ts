import type { Id } from '#core/ids.ts';
import { type AuditAction, kubernetes } from '#core/teams/audit-log.ts';
import { noteAction } from '#core/teams/note-action.ts';
import type { Services } from '#setup/services.ts';

export type NotePorts = Pick<Services, 'auditLog' | 'log' | 'clock'>;

/** Waits for a change of the operator and notes it in the audit log of the namespace's team. Throws the error of the change. */
export async function noted<T>(
  ports: NotePorts,
  team: Id,
  action: AuditAction,
  change: Promise<T>,
  targetOf: (changed: T) => string,
): Promise<void> {
  await noteAction(ports, team, kubernetes, action, targetOf(await change));
}
