import { benchClusterSmtp } from './bench-cluster-smtp.ts';
import { benchMailbox } from './bench-mailbox.ts';
import { benchLarge } from './bench-memory.ts';
import { benchSearches } from './bench-operators.ts';
import { startCluster } from './cluster-server.ts';
import type { Row } from './report.ts';
import type { Effort } from './rounds.ts';

/** Measures the cluster store with one SMTP process, unless a row names two. */
export async function benchCluster(effort: Effort): Promise<Row[]> {
  const start = (profileTo?: string) => startCluster(1, profileTo);
  return [
    ...(await benchClusterSmtp(effort)),
    ...(await benchLarge(effort, [['8 concurrent 25 MiB emails', 'attachment', 8, 300]], start)),
    ...(await benchMailbox(effort, start, 0.8)),
    ...(await benchSearches(effort, { start })),
  ];
}
