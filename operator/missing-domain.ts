import { notReady, type Report } from './reconcile.ts';
import { waiting } from './runtime/conditions.ts';
import type { Resource } from './runtime/resource.ts';

/** Age in ms up to which a resource may wait for its Domain without a warning, because one file may contain both in any order. */
const newMs = 10_000;
/**
 * Interval in ms at which a new resource checks whether its Domain exists. When the Domain appears, the resource is checked immediately.
 */
const pendingMs = 1_000;

/** Checks for a resource so new that its Domain may still appear. */
export function isNewAt({ metadata }: Resource, now: Date): boolean {
  return now.getTime() - Date.parse(metadata.creationTimestamp ?? '') < newMs;
}

/**
 * Returns the report on a resource whose domain is missing. For a new resource, the report contains no warning, because the Domain may
 * appear soon.
 */
export function withoutDomain<R extends Resource>(
  { metadata }: R,
  domain: string,
  isNew: boolean,
): Report<R> {
  const { namespace } = metadata;
  if (!isNew) {
    const message = `the namespace ${namespace} has no domain ${domain}: create a Domain for it`;
    return notReady(waiting('DomainMissing', message));
  }
  const message = `waiting for a Domain for ${domain} in the namespace ${namespace}`;
  const findings = waiting('DomainPending', message).map(({ event: _, ...finding }) => finding);
  return { ...notReady(findings), requeueAfterMs: pendingMs };
}
