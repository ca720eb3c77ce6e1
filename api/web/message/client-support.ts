import type { ClientChecks } from '../client/shapes.ts';

type Client = ClientChecks['clients'][number];

const many = (client: Client, support: Client['support']) =>
  client.features.filter((feature) => feature.support === support).length;

/** Sorts clients by the number of an email's features that they do not show, worst first. */
export const worstFirst = (clients: Client[]): Client[] =>
  clients.toSorted(
    (a, b) =>
      many(b, 'no') - many(a, 'no') ||
      many(b, 'partial') - many(a, 'partial') ||
      a.client.localeCompare(b.client),
  );

/** Checks whether a client belongs to a family with which most people read mail. */
export const isWidelyUsed = ({ client }: Pick<Client, 'client'>): boolean =>
  /^(gmail|apple-mail|outlook)\./.test(client);

/** Counts the features that a client does not support, and those that it supports partially. */
export const countsOf = (client: Client) => ({ no: many(client, 'no'), partial: many(client, 'partial') });

/** Words in client names that need more than a capital first letter. */
const spelled: Record<string, string> = {
  aol: 'AOL',
  gmx: 'GMX',
  hey: 'HEY',
  sfr: 'SFR',
  ios: 'iOS',
  macos: 'macOS',
  'desktop-webmail': 'web',
  'mobile-webmail': 'mobile web',
  'outlook-com': 'Outlook.com',
  'windows-mail': 'Windows Mail',
  'free-fr': 'Free.fr',
  'ionos-1and1': 'IONOS',
  laposte: 'La Poste',
  'mail-ru': 'Mail.ru',
  protonmail: 'Proton Mail',
  't-online-de': 'T-Online',
  'web-de': 'WEB.DE',
  'wp-pl': 'WP.pl',
};

/** Returns a client's usual name: `Outlook Windows` for `outlook.windows`. */
export const clientName = (client: string): string =>
  client
    .split('.')
    .map(
      (part) =>
        spelled[part] ??
        part.replace(/(^|-)(\w)/g, (_, gap, letter) => (gap ? ' ' : '') + letter.toUpperCase()),
    )
    .join(' ')
    .replace(/^Outlook (?=Outlook\.com|Windows Mail)/, '');
