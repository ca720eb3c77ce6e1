const registry = '/registry/';

/**
 * Removes what tests have created from an API server's etcd: their namespaces with all contents, Leases, and the charts'
 * cluster-wide rights and foreign definitions. No finalizer or controller delays that.
 */
export async function emptyEtcd(url: string): Promise<void> {
  const { kvs = [] } = await call(url, 'range', { ...prefixed(registry), keys_only: true });
  const keys = kvs.map(({ key }) => Buffer.from(key, 'base64').toString());
  const inOwn = /^\/registry\/namespaces\/(?!default$|kube-)/;
  const namespaces = new Set(keys.filter((key) => inOwn.test(key)).map(lastOf));
  const isMade = (key: string) =>
    inOwn.test(key) ||
    namespaces.has(lastOf(key.slice(0, key.lastIndexOf('/')))) ||
    /^\/registry\/(leases\/default\/|cluster(roles|rolebindings)\/.*sandpost)/.test(key) ||
    /\/customresourcedefinitions\/(?!.*\.sandpost\.dev$)/.test(key);
  await Promise.all(keys.filter(isMade).map((key) => call(url, 'deleterange', { key: encoded(key) })));
}

const lastOf = (path: string) => path.slice(path.lastIndexOf('/') + 1);
const encoded = (text: string) => Buffer.from(text).toString('base64');
/** Range of all keys with a prefix that ends with a slash. `0` is the character after the slash. */
const prefixed = (prefix: string) => ({
  key: encoded(prefix),
  range_end: encoded(`${prefix.slice(0, -1)}0`),
});

async function call(url: string, method: string, body: object): Promise<{ kvs?: { key: string }[] }> {
  const response = await fetch(`${url}/v3/kv/${method}`, { method: 'POST', body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`etcd answers ${response.status} to ${method}`);
  return (await response.json()) as { kvs?: { key: string }[] };
}
