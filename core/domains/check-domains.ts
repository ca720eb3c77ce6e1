import type { DomainStore, Verification } from './domain.ts';
import type { MxResolver } from './mx-answer.ts';
import { type CheckPace, judgeMx } from './verdict.ts';

/** Domains checked side by side in one round. */
const roundSize = 20;

/**
 * Asks the DNS about every domain whose check is due and writes the verdicts, each counted once however many processes
 * check. Gives what changed, for the log.
 */
export async function checkDueDomains(
  ports: { domains: DomainStore; mx: MxResolver; clock: () => Date },
  mxHosts: string[],
  pace: CheckPace,
): Promise<{ name: string; answer: string; before: Verification; after: Verification }[]> {
  const due = await ports.domains.dueForCheck(ports.clock(), roundSize);
  const checks = due.map(async ({ id, name, verification: before }) => {
    const answer = await ports.mx.resolveMx(name);
    const after = judgeMx(before, answer, mxHosts, ports.clock(), pace);
    const written = await ports.domains.writeVerdict(id, before.checkedAt, after);
    return written ? [{ name, answer: answer.kind, before, after }] : [];
  });
  return (await Promise.all(checks)).flat();
}
