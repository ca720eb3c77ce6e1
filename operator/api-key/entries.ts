import { standardEntries, userName } from '../secret-keys.ts';
import { wantedOf } from '../spec.ts';
import type { ApiKeyView } from './view.ts';

/** Names that a template may use in double braces. */
const placeholders = ['address', 'host', 'key', 'password', 'port', 'url', 'username'] as const;

type Placeholder = (typeof placeholders)[number];

/** Placeholder in a template. White space is allowed within the braces, as in Helm. */
const pattern = /\{\{([^{}]*)\}\}/g;

/** Maximum number of faults that a message names. */
const maxFaults = 5;

const isPlaceholder = (name: string): name is Placeholder => placeholders.some((known) => known === name);

const namesIn = (text: string) => [...text.matchAll(pattern)].map(([, name = '']) => name.trim());

/** Checks whether a template uses the address of an account. */
export function usesAddress({ template = {} }: { template?: Record<string, string> }): boolean {
  return Object.values(template).some((text) => namesIn(text).includes('address'));
}

/** Human-readable faults in a template: unknown placeholders. */
export function faultsOf(template: Record<string, string> = {}): string[] {
  const faults = Object.entries(template).flatMap(([entry, text]) =>
    namesIn(text)
      .filter((name) => !isPlaceholder(name))
      .map((name) => `spec.template.${entry} contains {{${name}}}`),
  );
  return [...new Set(faults)].slice(0, maxFaults);
}

/** Human-readable list of placeholders. */
export const knownPlaceholders = placeholders.map((name) => `{{${name}}}`).join(', ');

/** Names of the entries that only the operator has written, except the standard entries. */
function earlierNames({ secret, addresses }: ApiKeyView): string[] {
  const standard = standardEntries(addresses, '');
  return secret?.isOurs ? secret.written.filter((name) => !(name in standard)).sort() : [];
}

/** Entries from an earlier template. An entry that begins with the prefix is a standard entry from earlier settings. */
function earlierEntries(view: ApiKeyView): Record<string, string> {
  const names = earlierNames(view).filter((name) => !name.startsWith('SANDPOST_'));
  return Object.fromEntries(names.map((name) => [name, view.secret?.data[name] ?? '']));
}

/**
 * Returns the Secret's wanted entries for a key. Entries from an earlier template stay if the spec may lack the template only because an
 * earlier release's definition has removed it.
 */
export function entriesOf(view: ApiKeyView, key: string): Record<string, string> {
  const { addresses, address } = view;
  const { template } = view.resource.spec;
  const values: Record<Placeholder, string> = {
    ...{ key, address: address ?? '', username: userName, password: key },
    ...{
      host: addresses.SANDPOST_SMTP_HOST,
      port: addresses.SANDPOST_SMTP_PORT,
      url: addresses.SANDPOST_URL,
    },
  };
  const textFor = (whole: string, given: string) => {
    const name = given.trim();
    return isPlaceholder(name) ? values[name] : whole;
  };
  const rendered = Object.entries(template ?? {}).map(([entry, text]) => [
    entry,
    text.replace(pattern, textFor),
  ]);
  return {
    ...(template === undefined && keptTemplate(view).length > 0 && earlierEntries(view)),
    ...Object.fromEntries(rendered),
    ...standardEntries(addresses, key),
  };
}

/** Returns the template as a kept field if the spec omits the template and its entries stay. */
export function keptTemplate(view: ApiKeyView) {
  const { template } = view.resource.spec;
  const said = template === undefined ? undefined : Object.keys(template).sort().join(', ');
  const stored = Object.keys(earlierEntries(view)).join(', ');
  return said === undefined
    ? wantedOf(view, { template: said }, { template: '' }, { template: stored }).kept
    : [];
}

/** Returns the Secret's entries that the operator has written but that are no longer wanted. */
export function staleEntries(view: ApiKeyView, wanted: Record<string, string>): string[] {
  return earlierNames(view).filter((name) => !(name in wanted));
}
