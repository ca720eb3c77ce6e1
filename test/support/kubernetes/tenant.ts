import { account, apiKey, domain } from './custom-resources.ts';
import { cluster } from './release.ts';

/** Names that `newTenant` creates in a namespace: a domain, a catch-all account, and a key's Secret. */
export type Tenant = { domain: string; address: string; secret: string };

/** Creates a domain, an account and a key in a namespace, as its team would, and waits until they are ready. */
export async function newTenant(namespace: string): Promise<Tenant> {
  const name = `${namespace}.test`;
  await cluster.apply(
    domain(namespace, 'shop', { domain: name, mxVerified: true }),
    account(namespace, 'all', { address: `*@${name}` }),
    apiKey(namespace, 'mail', {}),
  );
  const resources = ['domain/shop', 'account/all', 'apikey/mail'];
  await cluster.ready(namespace, resources, 180);
  return { domain: name, address: `qa@${name}`, secret: 'mail' };
}

/** Reads the API key from a Secret. */
export async function keyOf(namespace: string, secret: string): Promise<string> {
  const { data } = await cluster.get('secret', namespace, secret);
  return Buffer.from(data.SANDPOST_API_KEY, 'base64').toString();
}
