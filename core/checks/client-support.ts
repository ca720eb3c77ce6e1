import { Invalid } from '#core/errors.ts';

export type Support = 'yes' | 'partial' | 'no';

/** Feature of HTML, CSS or images. `supportIn` returns null for a client in which the feature was not tested or has no effect. */
export type Feature = {
  slug: string;
  title: string;
  url: string;
  supportIn(client: string): { support: Support; notes: string[] } | null;
};

/**
 * Features that mail clients support. `clients` are named by family and platform: `outlook.windows`. `date`: `2026-05-13`. `shareOf`
 * returns the percentage of all read email that is read in a client.
 */
export type ClientTable = {
  date: string;
  clients: string[];
  shareOf(client: string): number;
  features: ReadonlyMap<string, Feature>;
};

/** Use of a feature in an email. `line`: number of the first HTML line that contains the feature, from 1. */
export type FeatureUse = { slug: string; count: number; line: number };

/** Feature that a client does not support, or supports only with notes. */
export type LimitedFeature = FeatureUse &
  Pick<Feature, 'title' | 'url'> & { support: Support; notes: string[] };

/** `support` is the lowest level of support among the features. */
export type ClientVerdict = { client: string; support: Support; features: LimitedFeature[] };

type Clients = Pick<ClientTable, 'clients'>;

const isNamed = (client: string, name: string) => client === name || client.startsWith(`${name}.`);
const isKnown = ({ clients }: Clients, name: string) => clients.some((client) => isNamed(client, name));

export const familiesOf = ({ clients }: Clients): string[] => [
  ...new Set(clients.map((client) => client.split('.', 1)[0] ?? '')),
];

/** Returns the names that a team has selected and that the data still contains, or null for all clients. */
export function chosenBy(table: Clients, team: { clients: string[] | null } | null): string[] | null {
  const names = (team?.clients ?? []).filter((name) => isKnown(table, name));
  return names.length > 0 ? names : null;
}

/** Returns the clients with these families and names, or all clients for null. Throws Invalid with a list of the known names. */
export function chooseClients(table: Clients, names: string[] | null): string[] {
  const { clients } = table;
  if (names === null) return clients;
  const unknown = names.filter((name) => !isKnown(table, name));
  if (unknown.length > 0) {
    const known = `the families are ${familiesOf(table).join(', ')}; the clients are ${clients.join(', ')}`;
    throw new Invalid(
      unknown.map((name) => ({ field: 'clients', message: `"${name.slice(0, 100)}" is unknown: ${known}` })),
    );
  }
  return clients.filter((client) => names.some((name) => isNamed(client, name)));
}

const worst: Support[] = ['no', 'partial', 'yes'];

/** Part of a feature that a client shows, by its level of support. */
const shown: Record<Support, number> = { yes: 1, partial: 0.5, no: 0 };

/**
 * Verdict on the mail clients that an email is judged for. `score`: support for the email's features, from 0 to 100; each client is
 * weighted by its share, and `partial` counts as half. `complete`: number of clients that fully support every feature.
 */
export type ClientsVerdict = {
  clients: ClientVerdict[];
  score: number;
  complete: { clients: number; of: number };
};

/** Judges an email's features in each mail client. */
export function judgeClients(
  { features, shareOf }: Pick<ClientTable, 'features' | 'shareOf'>,
  uses: FeatureUse[],
  clients: string[],
): ClientsVerdict {
  const sum = { used: 0, shown: 0 };
  const verdicts = clients.map((client): ClientVerdict => {
    const share = shareOf(client);
    const limited = uses.flatMap((use): LimitedFeature[] => {
      const feature = features.get(use.slug);
      const found = feature?.supportIn(client);
      if (!feature || !found) return [];
      sum.used += share;
      sum.shown += share * shown[found.support];
      if (found.support === 'yes' && found.notes.length === 0) return [];
      return [{ ...use, title: feature.title, url: feature.url, ...found }];
    });
    limited.sort((a, b) => worst.indexOf(a.support) - worst.indexOf(b.support) || a.line - b.line);
    return { client, support: limited[0]?.support ?? 'yes', features: limited };
  });
  return {
    clients: verdicts,
    score: sum.used === 0 ? 100 : Math.round((100 * sum.shown) / sum.used),
    complete: { clients: verdicts.filter(({ support }) => support === 'yes').length, of: clients.length },
  };
}

/** Lists the features that some clients do not support, starting with those that most clients lack. */
export function lackedFeatures(verdicts: ClientVerdict[]): { slug: string; clients: string[] }[] {
  const lacking = new Map<string, string[]>();
  for (const { client, features } of verdicts)
    for (const { slug, support } of features)
      if (support === 'no') lacking.set(slug, [...(lacking.get(slug) ?? []), client]);
  return Array.from(lacking, ([slug, clients]) => ({ slug, clients })).sort(
    (a, b) => b.clients.length - a.clients.length,
  );
}
