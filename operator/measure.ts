import type { Services } from '#setup/services.ts';
import { keyOfManager } from './manager.ts';
import type { Informers } from './runtime/informers.ts';

/** Time in ms for which a measurement is reused, because anybody can request one and it reads all accounts. */
const keptMs = 15_000;

/** Creates the leader's measurement: resources by kind and readiness, and accounts' mail by namespace. */
export function createMeasurement(
  { rows, metrics }: Pick<Services, 'rows' | 'metrics'>,
  informers: Pick<Informers, 'all'>,
  isLeading: () => boolean,
): () => Promise<void> {
  const { resources, tenantMessages, tenantBytes, tenantLimitBytes } = metrics;
  let keptUntil = 0;
  return async () => {
    if (isLeading() && performance.now() < keptUntil) return;
    keptUntil = isLeading() ? performance.now() + keptMs : 0;
    const managed = isLeading() ? await rows.read('managedAccountsWithMailboxes', {}) : [];
    for (const gauge of [resources, tenantMessages, tenantBytes, tenantLimitBytes]) gauge.reset();
    if (!isLeading()) return;
    for (const { kind, status } of informers.all()) {
      const condition = status?.conditions?.find(({ type }) => type === 'Ready');
      const { status: ready = 'Unknown', reason = 'Pending' } = condition ?? {};
      resources.inc({ kind, ready, reason });
    }
    for (const { managedBy, usedBytes, storageLimit, mailboxes } of managed) {
      const tenant = keyOfManager('Account', managedBy).namespace;
      for (const { total } of mailboxes) tenantMessages.inc({ tenant }, total);
      tenantBytes.inc({ tenant }, usedBytes);
      tenantLimitBytes.inc({ tenant }, storageLimit);
    }
  };
}
