import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { call } from './kubernetes-api.ts';

/**
 * Creates the Secrets that a release needs, once. Keeps existing values, and adds missing keys. Replaces Helm's `lookup`, which finds
 * nothing under `helm template` and would therefore create new passwords each time.
 */
type Settings = {
  namespace: string;
  labels: Record<string, string>;
  /** Values by Secret and key. `{hex:n}` and `{base64url:n}` are n random bytes, `{key}` is another value in the Secret. */
  secrets: Record<string, Record<string, string>>;
};

const settings: Settings = JSON.parse(readFileSync(path.join(import.meta.dirname, 'settings.json'), 'utf8'));
const secrets = `/api/v1/namespaces/${settings.namespace}/secrets`;

/** Returns the missing values, with their placeholders filled in, in base64 as the API requires. */
function missing(wanted: Record<string, string>, present: Record<string, string>): Record<string, string> {
  const values = new Map(
    Object.entries(present).map(([key, value]) => [key, Buffer.from(value, 'base64').toString()]),
  );
  const fill = (text: string): string =>
    text
      .replaceAll(/\{(hex|base64url):(\d+)\}/g, (_all, form: 'hex' | 'base64url', count: string) =>
        randomBytes(Number(count)).toString(form),
      )
      .replaceAll(/\{([a-z-]+)\}/g, (_all, key: string) => values.get(key) ?? '');
  // Random values come first because other values are derived from them.
  const order = Object.entries(wanted).sort(([, a], [, b]) => Number(isDerived(a)) - Number(isDerived(b)));
  const added: Record<string, string> = {};
  for (const [key, text] of order) {
    if (values.has(key)) continue;
    const value = fill(text);
    values.set(key, value);
    added[key] = Buffer.from(value).toString('base64');
  }
  return added;
}

const isDerived = (text: string) => /\{[a-z-]+\}/.test(text);

/** Creates a Secret, or adds its missing keys. Returns a word for the log. */
async function ensure(name: string, wanted: Record<string, string>): Promise<string> {
  const found = await call('GET', `${secrets}/${name}`, { known: [404] });
  if (found.status === 404) {
    const metadata = { name, labels: settings.labels };
    const body = { apiVersion: 'v1', kind: 'Secret', metadata, data: missing(wanted, {}) };
    const made = await call('POST', secrets, { body, known: [409] });
    // Another run of this Job has created the Secret in the meantime.
    return made.status === 409 ? ensure(name, wanted) : 'created';
  }
  const data = missing(wanted, found.body.data ?? {});
  if (Object.keys(data).length === 0) return 'already exists';
  await call('PATCH', `${secrets}/${name}`, { body: { data } });
  return `added ${Object.keys(data).join(', ')}`;
}

for (const [name, wanted] of Object.entries(settings.secrets)) {
  console.log(`Secret ${name}: ${await ensure(name, wanted)}`);
}
