import { readFileSync } from 'node:fs';
import path from 'node:path';

/** Folder where Kubernetes puts the token of the pod's service account. */
const account = process.env.SERVICE_ACCOUNT_DIR ?? '/var/run/secrets/kubernetes.io/serviceaccount';
const host = process.env.KUBERNETES_SERVICE_HOST ?? 'kubernetes.default.svc';
const api = `https://${host.includes(':') ? `[${host}]` : host}:${process.env.KUBERNETES_SERVICE_PORT ?? '443'}`;

export type Metadata = {
  name: string;
  namespace?: string;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  finalizers?: string[];
  resourceVersion?: string;
  /** Token for a list's next page, if any. */
  continue?: string;
};
/** Parts of a resource, a list or a Status that these jobs read. */
type Body = {
  metadata?: Metadata;
  data?: Record<string, string>;
  items?: { metadata: Metadata }[];
  message?: string;
};

/**
 * Calls the Kubernetes API as the pod's service account. The body of a PATCH is a merge patch. If the status is neither a success nor one
 * of `known`, throws a one-line error.
 */
export async function call(
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
  url: string,
  { known = [], body }: { known?: number[]; body?: object } = {},
): Promise<{ status: number; body: Body }> {
  const response = await fetch(api + url, {
    method,
    headers: {
      authorization: `Bearer ${readFileSync(path.join(account, 'token'), 'utf8').trim()}`,
      'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json',
    },
    ...(body && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(10_000),
  });
  const { status } = response;
  const answer: Body = JSON.parse((await response.text()) || '{}');
  if (!response.ok && !known.includes(status))
    throw new Error(`${method} ${url}: ${status} ${answer.message}`);
  return { status, body: answer };
}
