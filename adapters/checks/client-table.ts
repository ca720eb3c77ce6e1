import type { ClientTable, Feature, Support } from '#core/checks/client-support.ts';
import data from './client-data.json' with { type: 'json' };

/** Support by its letter in the data. Other letters mean unknown or not tested. */
const words: Record<string, Support> = { y: 'yes', a: 'partial', n: 'no' };

/**
 * Families' shares of all email that people read, in percent: opens in December 2021 as counted by Litmus, except opens in which
 * Apple's privacy protection prefetched images. https://www.litmus.com/blog/email-client-market-share-december-2021
 */
const shares: Record<string, number> = {
  'apple-mail': 16.3,
  gmail: 30.4,
  outlook: 4.1,
  yahoo: 2.5,
  'samsung-email': 0.4,
};
/** Share of any other family: the share of the last family in Litmus's list. */
const otherShare = 0.04;

/** Features whose absence no reader notices, because a client opens links in separate windows whatever their target. */
const withoutEffect = new Set(['html-target']);
/** Notes that say a feature has no effect in a client. */
const noEffect = /\bhas no impact here\b/;

const familyOf = (client: string) => client.split('.', 1)[0] ?? '';

/** Creates the table from caniemail.com's data, as written by `make-client-data.ts`. */
export function createClientTable(): ClientTable {
  const clients = data.clients.split(' ');
  const members = Map.groupBy(clients, familyOf);
  const places = new Map(clients.map((client, at) => [client, at]));
  const features = data.features.map(({ slug, title, row, notes }): [string, Feature] => {
    const all: Record<string, string | undefined> = notes;
    const cells = row.split(' ');
    const feature: Feature = {
      slug,
      title,
      url: `https://www.caniemail.com/features/${slug}/`,
      supportIn(client) {
        const cell = cells[places.get(client) ?? -1] ?? '-';
        const support = words[cell.charAt(0)];
        const noted = cell
          .slice(1)
          .split(',')
          .flatMap((number) => all[number] ?? []);
        if (support === undefined || withoutEffect.has(slug) || noted.some((note) => noEffect.test(note)))
          return null;
        return { support, notes: noted };
      },
    };
    return [slug, feature];
  });
  return {
    date: data.date,
    clients,
    shareOf(client) {
      const family = familyOf(client);
      return (shares[family] ?? otherShare) / (members.get(family)?.length ?? 1);
    },
    features: new Map(features),
  };
}
