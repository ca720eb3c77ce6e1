import { computed, signal } from '@preact/signals';
import { ApiError, type Client } from './client.ts';
import type { Account, Domain } from './shapes.ts';

/** Domains and accounts of the team. */
export function createDirectory({ readAll, hasLeft }: Pick<Client, 'readAll' | 'hasLeft'>) {
  /** Domains of the team, and accounts with their mailboxes. Null until first read. */
  const directory = signal<{ domains: Domain[]; accounts: Account[] } | null>(null);

  /** Number of unread messages of all accounts. */
  const unread = computed(() =>
    (directory.value?.accounts ?? [])
      .flatMap(({ mailboxes }) => mailboxes)
      .reduce((sum, { totalUnreadMessages }) => sum + totalUnreadMessages, 0),
  );

  /** Reads the directory again, after a change of a domain, account or mailbox. Throws ApiError. */
  async function reloadDirectory(): Promise<void> {
    const [domains, accounts] = await Promise.all([
      // A key limited to accounts may read no domains.
      readAll<Domain>('/api/domains').catch((error) => {
        if (error instanceof ApiError && error.status === 403) return [];
        throw error;
      }),
      readAll<Account>('/api/accounts'),
    ]);
    directory.value = { domains, accounts };
  }

  hasLeft.subscribe((left) => {
    if (left) directory.value = null;
  });
  return { directory, unread, reloadDirectory };
}

export type Directory = ReturnType<typeof createDirectory>;
