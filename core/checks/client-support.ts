import { Invalid } from '#core/errors.ts';

export type Support = 'yes' | 'partial' | 'no';

/** Feature of HTML, CSS or images. `supportIn` gives null for a client in which it was not tested. */
export type Feature = {
  slug: string;
  title: string;
  url: string;
  supportIn(client: string): { support: Support; notes: string[] } | null;
};

/** Features that mail clients support. `clients` are named by family and platform, as in `outlook.windows`. `date`: as in `2026-05-13`. */
export type ClientTable = {
  date: string;
  clients: string[];
  features: ReadonlyMap<string, Feature>;
};

/** Use of a feature in a mail. `line`: first line of the HTML that has it, from 1. */
export type FeatureUse = { slug: string; count: number; line: number };

/** Feature that a client does not support, or only with notes. */
export type LimitedFeature = FeatureUse &
  Pick<Feature, 'title' | 'url'> & { support: Support; notes: string[] };

/** `support` is the least of all features. */
export type ClientVerdict = { client: string; support: Support; features: LimitedFeature[] };

/** Returns the clients of these families and names, or all for null. Throws Invalid with the known names. */
export function chooseClients({ clients }: Pick<ClientTable, 'clients'>, names: string[] | null): string[] {
  if (names === null) return clients;
  const isNamed = (client: string, name: string) => client === name || client.startsWith(`${name}.`);
  const unknown = names.filter((name) => !clients.some((client) => isNamed(client, name)));
  if (unknown.length > 0) {
    const families = [...new Set(clients.map((client) => client.split('.', 1)[0]))];
    const known = `known are ${families.join(', ')}, and of these ${clients.join(', ')}`;
    throw new Invalid(
      unknown.map((name) => ({ field: 'clients', message: `"${name.slice(0, 100)}" is unknown: ${known}` })),
    );
  }
  return clients.filter((client) => names.some((name) => isNamed(client, name)));
}

const worst: Support[] = ['no', 'partial', 'yes'];

/** Judges the features of a mail in each client. `score`: share of the clients without a `no`, 0 to 100. */
export function judgeClients(
  { features }: Pick<ClientTable, 'features'>,
  uses: FeatureUse[],
  clients: string[],
): { clients: ClientVerdict[]; score: number } {
  const verdicts = clients.map((client): ClientVerdict => {
    const limited = uses.flatMap((use): LimitedFeature[] => {
      const feature = features.get(use.slug);
      const found = feature?.supportIn(client);
      if (!feature || !found || (found.support === 'yes' && found.notes.length === 0)) return [];
      return [{ ...use, title: feature.title, url: feature.url, ...found }];
    });
    limited.sort((a, b) => worst.indexOf(a.support) - worst.indexOf(b.support) || a.line - b.line);
    return { client, support: limited[0]?.support ?? 'yes', features: limited };
  });
  const without = verdicts.filter(({ support }) => support !== 'no').length;
  return { clients: verdicts, score: Math.round((100 * without) / Math.max(1, clients.length)) };
}

/** Lists the features that some clients do not support, the most widely lacked first. */
export function lackedFeatures(verdicts: ClientVerdict[]): { slug: string; clients: string[] }[] {
  const lacking = new Map<string, string[]>();
  for (const { client, features } of verdicts)
    for (const { slug, support } of features)
      if (support === 'no') lacking.set(slug, [...(lacking.get(slug) ?? []), client]);
  return Array.from(lacking, ([slug, clients]) => ({ slug, clients })).sort(
    (a, b) => b.clients.length - a.clients.length,
  );
}
