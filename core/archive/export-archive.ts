import type { AccountStore } from '#core/accounts/account.ts';
import type { DomainStore } from '#core/domains/domain.ts';
import type { Id } from '#core/ids.ts';
import type { MessageStore, Visibility } from '#core/messages/message.ts';
import { visibilityAt } from '#core/messages/retention.ts';
import type { Page, Slice } from '#core/page.ts';
import {
  type ArchivedUser,
  type ArchiveFolder,
  type ArchiveStore,
  beginning,
  type Place,
} from './archive.ts';

type Ports = {
  archive: ArchiveStore;
  domains: DomainStore;
  accounts: AccountStore;
  messages: MessageStore;
  clock: () => Date;
  retentionDays: number;
};

const batch = 200;

/**
 * Writes the whole store into a folder: users, keys' hashes, domains, accounts, and each visible message. A repeated run on
 * the same folder continues after the last message written. Returns the number of messages that it wrote.
 */
export async function exportArchive(ports: Ports, folder: ArchiveFolder): Promise<number> {
  const users = await ports.archive.users();
  await folder.writeUsers(await Promise.all(users.map((user) => describeUser(ports, user))));
  const written = new Map<string, Place>();
  for await (const { email, number, id } of folder.messages()) written.set(email, { number, id });
  const visibility = visibilityAt(ports.clock(), ports.retentionDays);
  let count = 0;
  for (const user of users) {
    count += await exportMessages(ports, folder, user, written.get(user.email) ?? beginning, visibility);
  }
  return count;
}

async function exportMessages(
  { archive, messages }: Ports,
  folder: ArchiveFolder,
  user: { id: Id; email: string },
  start: Place,
  visibility: Visibility,
): Promise<number> {
  let count = 0;
  for (let place = start; ; ) {
    const places = await archive.messagesAfter(user.id, place, batch);
    for (const { id } of places) {
      const message = await messages.find(user.id, id, visibility);
      const raw = await messages.raw(user.id, id, visibility);
      // The message was deleted or has expired since it was listed. An archive has visible messages only.
      if (message === null || raw === null) continue;
      const { envelope, deliveredTo, tag, content, ...rest } = message;
      const { authentication, audit, submission } = content;
      await folder.addMessage(
        {
          ...rest,
          email: user.email,
          envelope,
          deliveredTo,
          tag,
          authentication,
          audit,
          ...(submission && { submission }),
        },
        raw.open(),
      );
      count += 1;
    }
    const last = places.at(-1);
    if (last === undefined) return count;
    place = last;
  }
}

async function describeUser(
  { archive, domains, accounts }: Ports,
  user: { id: Id; email: string; passwordHash: string | null },
): Promise<ArchivedUser> {
  const ownAccounts = await all((page) => accounts.list(user.id, {}, page));
  return {
    email: user.email,
    passwordHash: user.passwordHash,
    apiKeys: await archive.apiKeys(user.id),
    domains: await all((page) => domains.list(user.id, {}, page)),
    accounts: await Promise.all(
      ownAccounts.map(async (account) => ({
        ...account,
        passwordHash: await archive.accountPassword(user.id, account.id),
      })),
    ),
  };
}

/** Reads all items of a list, page by page. */
async function all<T>(list: (page: Page) => Promise<Slice<T>>): Promise<T[]> {
  const items: T[] = [];
  for (let page = 1; ; page += 1) {
    const slice = await list({ page, limit: batch });
    items.push(...slice.items);
    if (slice.items.length < batch) return items;
  }
}
