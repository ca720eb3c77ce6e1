import { MongoClient } from 'mongodb';
import type { BoundServer } from './bound-server.ts';
import { bindMongod, initiate, writable } from './mongod.ts';

/** Three-member replica set for failover tests. */
export type TestReplicaSet = {
  uri: string;
  members: BoundServer[];
  /** Returns the member that currently accepts writes. */
  primary(): Promise<BoundServer>;
  /** Asks the primary to step down. Another member is elected. */
  stepDown(): Promise<void>;
  close(): Promise<void>;
};

/** Starts three members and waits until they have a primary. */
export async function startReplicaSet(): Promise<TestReplicaSet> {
  const name = 'sandpost3';
  const members = await Promise.all([1, 2, 3].map(() => bindMongod(name)));
  await Promise.all(members.map((member) => member.start()));
  const ports = members.map((member) => member.port);
  await initiate(name, ports);
  const hosts = ports.map((port) => `127.0.0.1:${port}`).join(',');
  const uri = `mongodb://${hosts}/sandpost_test?replicaSet=${name}`;
  await writable(uri);
  return {
    uri,
    members,
    async primary() {
      const { primary } = await admin(uri, { hello: 1 });
      const found = members.find((member) => `127.0.0.1:${member.port}` === primary);
      if (found === undefined) throw new Error('the replica set has no primary');
      return found;
    },
    async stepDown() {
      await admin(uri, { replSetStepDown: 10, secondaryCatchUpPeriodSecs: 5 });
    },
    async close() {
      await Promise.all(members.map((member) => member.remove()));
    },
  };
}

async function admin(uri: string, command: Record<string, unknown>): Promise<Record<string, unknown>> {
  const client = new MongoClient(uri);
  try {
    return await client.db('admin').command(command);
  } finally {
    await client.close();
  }
}
