import type { ClientTable, Feature, Support } from '#core/checks/client-support.ts';
import data from './client-data.json' with { type: 'json' };

/** Support by the letter of the data. Others are unknown, or not tested. */
const words: Record<string, Support> = { y: 'yes', a: 'partial', n: 'no' };

/** Makes the table of the data of caniemail.com, which `make-client-data.ts` wrote. */
export function createClientTable(): ClientTable {
  const clients = data.clients.split(' ');
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
        const numbers = cell.slice(1).split(',');
        return support === undefined
          ? null
          : { support, notes: numbers.flatMap((number) => all[number] ?? []) };
      },
    };
    return [slug, feature];
  });
  return { date: data.date, clients, features: new Map(features) };
}
