/** Pod in a Kubernetes cluster that sent an email. `workload`: kind and name of the pod's creator, such as Deployment/shop, or null. */
export type Sender = { namespace: string; pod: string; workload: string | null };

/** Time in ms after which the table is forgotten if nobody writes it, because other pods may have received its addresses. */
export const senderLifeMs = 10_000;

/** Pods of a cluster by address. One process writes the table, and processes that receive mail read it. */
export type SenderTable = {
  /** Returns the pod that currently has an address. Returns null if no such pod is known, or if the table does not answer in time. */
  find(address: string): Promise<Sender | null>;
  /**
   * Replaces the table. `changed`: addresses whose entries differ from the previous table, or null for all. The table expires unless it
   * is written again.
   */
  write(table: ReadonlyMap<string, Sender>, changed: string[] | null): Promise<void>;
};

/** Returns the keys (`traits.ts`) of messages that a pod sent. A workload has two keys: one with its kind and one without. */
export function senderKeys({ namespace, pod, workload }: Sender): string[] {
  const whole = workload?.toLowerCase() ?? '';
  const names = whole === '' ? [] : [whole, whole.slice(whole.indexOf('/') + 1)];
  return [`n:${namespace}`, `p:${pod}`, ...names.map((name) => `w:${name}`)];
}
