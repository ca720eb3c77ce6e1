/** Pod of a Kubernetes cluster that sent a mail. `workload`: kind and name of what created it, such as Deployment/shop, or null. */
export type Sender = { namespace: string; pod: string; workload: string | null };

/** Time after which a table that nobody writes is forgotten, ms: other pods may get its addresses. */
export const senderLifeMs = 10_000;

/** Pods of a cluster by their addresses. One process writes the table, and those that receive mail read it. */
export type SenderTable = {
  /** Returns the pod that has an address now. Null where it is unknown, or the table does not answer in time. */
  find(address: string): Promise<Sender | null>;
  /** Replaces the table. `changed`: addresses in which it differs from the one before; null for all. The table expires unless it is written. */
  write(table: ReadonlyMap<string, Sender>, changed: string[] | null): Promise<void>;
};

/** Returns the keys of the messages that a pod sends (`traits.ts`). A workload has a key with its kind, and one without. */
export function senderKeys({ namespace, pod, workload }: Sender): string[] {
  const whole = workload?.toLowerCase() ?? '';
  const names = whole === '' ? [] : [whole, whole.slice(whole.indexOf('/') + 1)];
  return [`n:${namespace}`, `p:${pod}`, ...names.map((name) => `w:${name}`)];
}
