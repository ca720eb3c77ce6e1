import type { Db, Document } from 'mongodb';

/** What mongod noted of each operation that `work` made it do: its profile holds the plan that was executed. */
export async function profiled(db: Db, work: () => Promise<unknown>): Promise<Document[]> {
  await db.command({ profile: 2 });
  await work().finally(() => db.command({ profile: 0 }));
  const ours = { appName: 'sandpost', ns: { $not: /system\.profile$/ } };
  const noted = await db.collection('system.profile').find(ours).toArray();
  await db.collection('system.profile').drop();
  return noted;
}
