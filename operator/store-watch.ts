import type { Account } from '#core/accounts/account.ts';
import type { Domain } from '#core/domains/domain.ts';
import type { Services } from '#core/services.ts';
import { pause } from './pause.ts';
import type { Key, Kind } from './resources.ts';

/** A verdict of the MX checks shows in its Domain so soon, and at the latest a second or two later. */
const domainsMs = 3_000;
/** What an account takes changes with every mail: it is told once a minute. */
const accountsMs = 60_000;

type Ports = Pick<Services, 'domains' | 'accounts'> & {
  onChange: (key: Key) => void;
  onTrouble: (error: unknown) => void;
};

/** Looks at what resources made in the store, until `signal`, and tells which resources to look at again. */
export async function watchStore(ports: Ports, signal: AbortSignal): Promise<void> {
  await Promise.all([
    poll(ports, 'Domain', () => ports.domains.listManaged(), fingerprintOfDomain, domainsMs, signal),
    poll(ports, 'Account', () => ports.accounts.listManaged(), fingerprintOfAccount, accountsMs, signal),
  ]);
}

async function poll<T extends { managedBy: string | null }>(
  { onChange, onTrouble }: Ports,
  kind: Kind,
  list: () => Promise<T[]>,
  fingerprint: (item: T) => string,
  everyMs: number,
  signal: AbortSignal,
): Promise<void> {
  let known: Map<string, string> | null = null;
  while (!signal.aborted) {
    try {
      const found = new Map((await list()).map((item) => [item.managedBy ?? '', fingerprint(item)]));
      // The first look tells nothing: all resources are looked at when an operator begins.
      for (const manager of known === null ? [] : changed(known, found)) {
        const [namespace = '', name = ''] = manager.split('/');
        onChange({ kind, namespace, name });
      }
      known = found;
    } catch (error) {
      onTrouble(error);
    }
    await pause(everyMs, signal);
  }
}

/** Names whose value is another, new or gone. */
function changed(before: Map<string, string>, after: Map<string, string>): string[] {
  return [...new Set([...before.keys(), ...after.keys()])].filter(
    (name) => before.get(name) !== after.get(name),
  );
}

function fingerprintOfDomain({ id, active, verification }: Domain): string {
  const { status, source, detail, refusals, checkedAt } = verification;
  return JSON.stringify([id, active, status, source, detail, refusals, checkedAt]);
}

function fingerprintOfAccount({ id, active, catchAll, storageLimit, usedBytes }: Omit<Account, 'mailboxes'>) {
  return JSON.stringify([id, active, catchAll, storageLimit, usedBytes]);
}
