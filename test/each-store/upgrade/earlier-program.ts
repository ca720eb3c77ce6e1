import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { TestContext } from 'node:test';
import { MongoClient } from 'mongodb';
import { openMongoStore } from '#adapters/stores/mongo/open.ts';
import { openSqliteStore } from '#adapters/stores/sqlite/open.ts';
import type { Store } from '#core/store.ts';
import { onCluster } from '#test/support/program/program.ts';
import { uriOf } from './fixture.ts';

/** Reads and writes of a store beside a program, by the names in the first version with migrations. */
export type EarlierProgram = {
  /** Number that the program compares with its own before it uses the store. */
  version(): Promise<number>;
  setVersion(version: number): Promise<void>;
  /** Writes a copy of a message under a new ID, in the columns that it knows. Returns the ID. */
  deliverCopy(id: number): Promise<number>;
  /** Counts the messages, and those whose code and link are not filled. */
  count(): Promise<{ messages: number; unfilled: number }>;
};

/** Opens a stopped program's store, without upkeep, until the end of a test. */
export async function openStore(t: TestContext, dataDir: string): Promise<Store> {
  const store = onCluster
    ? await openMongoStore({ uri: await uriOf(dataDir) })
    : await openSqliteStore({ dataDir });
  t.after(() => store.close());
  return store;
}

/** Runs `work` as an earlier program would, on the store of a program that may run beside it. */
export async function asEarlier<T>(
  dataDir: string,
  work: (earlier: EarlierProgram) => Promise<T>,
): Promise<T> {
  if (onCluster) {
    const client = new MongoClient(await uriOf(dataDir));
    return work(onMongo(client)).finally(() => client.close());
  }
  const db = new DatabaseSync(path.join(dataDir, 'sandpost.db'), { timeout: 5000 });
  return work(onSqlite(db)).finally(() => db.close());
}

/** Version 15 columns of a new `message` row, in a statement that copies a row. */
const messageColumns = `owner, account_id, mailbox_id, number, copy, received_at, expires_at, auto_delete, is_read, is_flagged,
  has_attachments, size_bytes, body_id, conversation_id, msgid, from_address, from_name, subject, intro, to_addresses,
  own_recipients`;

function onSqlite(db: DatabaseSync): EarlierProgram {
  const number = (sql: string) => Number(Object.values(db.prepare(sql).get() ?? {})[0]);
  return {
    version: async () => number('PRAGMA user_version'),
    async setVersion(version) {
      db.exec(`PRAGMA user_version = ${version}`);
    },
    async deliverCopy(of) {
      const from = `FROM message WHERE id = ${of}`;
      db.exec('BEGIN IMMEDIATE');
      db.exec(`INSERT INTO message (${messageColumns}) SELECT ${messageColumns} ${from}`);
      const id = number('SELECT max(id) FROM message');
      db.exec(`
        INSERT INTO trace SELECT ${id}, delivered_to, tag, envelope, own_token, reference_tokens FROM trace
          WHERE message_id = ${of};
        UPDATE body SET messages = messages + 1 WHERE id = (SELECT body_id ${from});
        UPDATE mailbox SET total = total + 1, unread = unread + 1, bytes = bytes + (SELECT size_bytes ${from})
          WHERE id = (SELECT mailbox_id ${from});
        UPDATE account SET used_bytes = used_bytes + (SELECT size_bytes ${from})
          WHERE id = (SELECT account_id ${from});
        COMMIT`);
      return id;
    },
    count: async () => ({
      messages: number('SELECT count(*) FROM message'),
      unfilled: number('SELECT count(*) FROM message WHERE code IS NULL'),
    }),
  };
}

/** Message fields that a later version has added. */
const laterFields = ['code', 'mainLink', 'countedBytes', 'traits', 'keys', 'tags'];

type CopiedRow = Record<'_id' | 'owner' | 'mailboxId' | 'accountId' | 'sizeBytes', number>;

function onMongo(client: MongoClient): EarlierProgram {
  const rows = <T extends { _id: unknown }>(name: string) => client.db().collection<T>(name);
  const messages = rows<CopiedRow>('messages');
  const meta = rows<{ _id: string; version: number }>('meta');
  return {
    version: async () => (await meta.findOne({ _id: 'schema' }))?.version ?? 0,
    async setVersion(version) {
      await meta.updateOne({ _id: 'schema' }, { $set: { version } });
    },
    async deliverCopy(of) {
      const copied = await messages.findOne({ _id: of });
      if (copied === null) throw new Error('there is no message to copy');
      const counter = await rows<{ _id: string; last: number }>('counters').findOneAndUpdate(
        { _id: 'messages' },
        { $inc: { last: 1 } },
        { returnDocument: 'after' },
      );
      const id = counter?.last ?? 0;
      const row = { ...copied, _id: id };
      for (const field of laterFields) Reflect.deleteProperty(row, field);
      await messages.insertOne(row);
      const { mailboxId, accountId, sizeBytes: bytes } = copied;
      const counts = { total: 1, unread: 1, bytes };
      await rows<{ _id: number }>('mailboxes').updateOne({ _id: mailboxId }, { $inc: counts });
      await rows<{ _id: number }>('teamVersions').updateOne({ _id: copied.owner }, { $inc: { version: 1 } });
      await rows<{ _id: number }>('accounts').updateOne({ _id: accountId }, { $inc: { usedBytes: bytes } });
      return id;
    },
    count: async () => ({
      messages: await messages.countDocuments(),
      unfilled: await messages.countDocuments({ code: null }),
    }),
  };
}
