/** Pod in a Kubernetes cluster that sent an email. `workload`: kind and name of its creator, such as Deployment/shop, or null. */
export type Sender = { namespace: string; pod: string; workload: string | null };

/** Time in ms after which a table that nobody writes is forgotten, because other pods may get its addresses. */
export const senderLifeMs = 10_000;

/** Pods of a cluster by address. One process writes the table, and processes that receive mail read it. */
export type SenderTable = {
  /** Returns the pod that currently has an address. Null if it is unknown, or the table does not answer in time. */
  find(address: string): Promise<Sender | null>;
  /**
   * Replaces the table. `changed`: addresses that differ from the previous table; null for all. The table expires unless it is
   * written again.
   */
  write(table: ReadonlyMap<string, Sender>, changed: string[] | null): Promise<void>;
};

/** Returns the keys of a pod's messages (`traits.ts`). A workload has one key with its kind and one without. */
export function senderKeys({ namespace, pod, workload }: Sender): string[] {
  const whole = workload?.toLowerCase() ?? '';
  const names = whole === '' ? [] : [whole, whole.slice(whole.indexOf('/') + 1)];
  return [`n:${namespace}`, `p:${pod}`, ...names.map((name) => `w:${name}`)];
}
