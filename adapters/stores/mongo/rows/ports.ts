import { createBatchLoader, type DatedReads } from '#adapters/stores/mongo/cache/read-cache.ts';
import type { Context } from '#adapters/stores/mongo/context.ts';
import { guarded } from '#adapters/stores/mongo/errors.ts';
import { notDeleted } from '#adapters/stores/mongo/schema/rows.ts';
import { type SmallPorts, smallReads, smallWrites } from '#adapters/stores/rows/ports.ts';
import { bound, runAsync } from '#adapters/stores/rows/steps.ts';
import { mailboxes as mailboxTable } from '#adapters/stores/rows/tables.ts';
import type { AccountStore } from '#core/accounts/account.ts';
import type { Id } from '#core/ids.ts';
import { mongoQueries } from './custom-queries.ts';
import { rowDriver, rowFrom } from './driver.ts';

export function openSmallPorts(context: Context): SmallPorts['reads'] & SmallPorts['writes'] {
  const run = rowDriver(context.db, mongoQueries(context));
  const ports: Record<string, object> = {};
  for (const part of [smallReads, smallWrites])
    for (const [noun, methods] of Object.entries(part))
      ports[noun] = { ...ports[noun], ...bound(methods, (steps) => runAsync(steps, run)) };
  const opened = Object.entries(ports).map(([noun, methods]) => [noun, guarded(methods)]);
  return Object.fromEntries(opened) as SmallPorts['reads'] & SmallPorts['writes'];
}

const mailboxBytes = 500;

export function cachedMailboxes({ collections, cachedRead }: Context): DatedReads['mailboxes'] {
  return {
    find: (owner, accountId, id, notBefore) =>
      cachedRead(owner, `mailbox ${accountId} ${id}`, {
        async read() {
          const row = await collections.mailboxes.findOne({ _id: id, owner, accountId, ...notDeleted });
          return row && rowFrom(mailboxTable, row);
        },
        bytes: () => mailboxBytes,
        isFresh: () => true,
        notBefore,
      }),
  };
}

/** Finds capture accounts. Simultaneous emails share one query. */
export function captureFinder({ collections }: Context): Pick<AccountStore, 'findCapture'> {
  return {
    findCapture: createBatchLoader<Id, string>(async (owners) => {
      const rows = collections.accounts.find({ owner: { $in: owners }, capture: true, ...notDeleted });
      return new Map(await rows.map((row): [Id, string] => [row.owner, row.address]).toArray());
    }),
  };
}
