import type { Db, Document } from 'mongodb';

/** Returns mongod's profile entries for the operations that `work` causes. An entry contains the executed plan. */
export async function profiled(db: Db, work: () => Promise<unknown>): Promise<Document[]> {
  await db.command({ profile: 2 });
  await work().finally(() => db.command({ profile: 0 }));
  const ours = { appName: 'sandpost', ns: { $not: /system\.profile$/ } };
  const noted = await db.collection('system.profile').find(ours).toArray();
  await db.collection('system.profile').drop();
  return noted;
}

/** Maximum rows that one query with several parts may read in a test. The profile does not show its parts' plans. */
const mostExamined = 40;

/** Returns the operations without an index for their conditions or their order. */
export function careless(operations: Document[]): string[] {
  const readsTooMuch = ({ command: { pipeline = [] }, docsExamined }: Document) =>
    pipeline.some((stage: Document) => '$lookup' in stage) && docsExamined > mostExamined;
  return operations
    .filter(
      (operation) =>
        operation.planSummary?.includes('COLLSCAN') || operation.hasSortStage || readsTooMuch(operation),
    )
    .map(({ ns, planSummary, command }) => `${ns} ${planSummary} ${JSON.stringify(command).slice(0, 300)}`);
}
