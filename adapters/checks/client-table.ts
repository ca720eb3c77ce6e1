import type { ClientTable, Feature, Support } from '#core/checks/client-support.ts';
import data from './client-data.json' with { type: 'json' };

/** Support by the letter of the data. Others are unknown, or not tested. */
const words: Record<string, Support> = { y: 'yes', a: 'partial', n: 'no' };

/**
 * Shares of families among the mails that people read, in percent: opens of December 2021 as Litmus counted them, without those by
 * which Apple's privacy protection fetches images ahead of a reader. https://www.litmus.com/blog/email-client-market-share-december-2021
 */
const shares: Record<string, number> = {
  'apple-mail': 16.3,
  gmail: 30.4,
  outlook: 4.1,
  yahoo: 2.5,
  'samsung-email': 0.4,
};
/** Share of any other family, as that of the last one in the list of Litmus. */
const otherShare = 0.04;

/** Features whose lack no reader sees: a client opens links in windows of their own, whatever their target. */
const withoutEffect = new Set(['html-target']);
/** Notes by which a feature has no effect in a client. */
const noEffect = /\bhas no impact here\b/;

const familyOf = (client: string) => client.split('.', 1)[0] ?? '';

/** Makes the table of the data of caniemail.com, which `make-client-data.ts` wrote. */
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
