import assert from 'node:assert/strict';
import type { Json } from './kubectl.ts';
import { cluster } from './release.ts';

/** Calls the API: GET, or POST with a body. Returns JSON or text. */
type Call = (path: string, body?: object) => Promise<Json>;

/** Calls the API behind a Service with a key, in the tests' own cluster, to which this machine has a route. */
export async function asking<T>(
  { namespace, service, key }: { namespace: string; service: string; key: string },
  work: (call: Call) => Promise<T>,
): Promise<T> {
  const { clusterIP } = (await cluster.get('service', namespace, service)).spec;
  const headers = { 'x-api-key': key, 'content-type': 'application/json', connection: 'close' };
  return work(async (path, body) => {
    const init = { headers, ...(body && { method: 'POST', body: JSON.stringify(body) }) };
    const response = await fetch(`http://${clusterIP}${path}`, init);
    const said = await response.text();
    assert.ok(response.ok, `${path}: ${said}`);
    return said.startsWith('{') ? JSON.parse(said) : said;
  });
}

/** Fields that users set. */
const fields = {
  tokens: ['id', 'name', 'scope', 'expires_at'],
  accounts: ['id', 'address', 'is_active', 'is_capture', 'simulates_failures', 'storage_limit'],
  domains: ['id', 'domain', 'is_active', 'verification_source', 'assumed_client_ip'],
};

/** Reads a team's emails, parsed and raw, and its objects. Omits fields that a release lacks. */
export async function pictureOf(call: Call) {
  const mails: Json[] = [];
  for (const { id } of (await call('/api/messages?limit=100')).items)
    mails.push([await call(`/api/messages/${id}`), await call(`/api/messages/${id}/raw`)]);
  const objects: [string, Json[]][] = [];
  for (const [kind, names] of Object.entries(fields)) {
    const { items } = await call(`/api/${kind}`);
    const picked = items.map((item: Json) =>
      names.filter((name) => name in item).map((name) => [name, item[name]]),
    );
    objects.push([kind, picked.map(Object.fromEntries)]);
  }
  return { mails, ...Object.fromEntries(objects) };
}
