import type { Db, Document } from 'mongodb';

/** Returns mongod's profile entries of the operations that `work` causes. An entry contains the executed plan. */
export async function profiled(db: Db, work: () => Promise<unknown>): Promise<Document[]> {
  await db.command({ profile: 2 });
  await work().finally(() => db.command({ profile: 0 }));
  const ours = { appName: 'sandpost', ns: { $not: /system\.profile$/ } };
  const noted = await db.collection('system.profile').find(ours).toArray();
  await db.collection('system.profile').drop();
  return noted;
}
