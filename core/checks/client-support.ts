import { Invalid } from '#core/errors.ts';

export type Support = 'yes' | 'partial' | 'no';

/** Feature of HTML, CSS or images. `supportIn` returns null for a client in which it was not tested or has no effect. */
export type Feature = {
  slug: string;
  title: string;
  url: string;
  supportIn(client: string): { support: Support; notes: string[] } | null;
};

/**
 * Features that mail clients support. `clients` are named by family and platform: `outlook.windows`. `date`: `2026-05-13`.
 * `shareOf` returns a client's share of all email that people read, in percent.
 */
export type ClientTable = {
  date: string;
  clients: string[];
  shareOf(client: string): number;
  features: ReadonlyMap<string, Feature>;
};

/** Use of a feature in an email. `line`: first line of the HTML that contains it, from 1. */
export type FeatureUse = { slug: string; count: number; line: number };

/** Feature that a client does not support, or supports only with notes. */
export type LimitedFeature = FeatureUse &
  Pick<Feature, 'title' | 'url'> & { support: Support; notes: string[] };

/** `support` is the lowest of all features. */
export type ClientVerdict = { client: string; support: Support; features: LimitedFeature[] };

type Clients = Pick<ClientTable, 'clients'>;

const isNamed = (client: string, name: string) => client === name || client.startsWith(`${name}.`);
const isKnown = ({ clients }: Clients, name: string) => clients.some((client) => isNamed(client, name));

/** Lists the client families. */
export const familiesOf = ({ clients }: Clients): string[] => [
  ...new Set(clients.map((client) => client.split('.', 1)[0] ?? '')),
];

/** Returns the names that a team has selected and the data still contains, or null for all clients. */
export function chosenBy(table: Clients, team: { clients: string[] | null } | null): string[] | null {
  const names = (team?.clients ?? []).filter((name) => isKnown(table, name));
  return names.length > 0 ? names : null;
}

/** Returns the clients with these families and names, or all for null. Throws Invalid that lists the known names. */
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

/** Parts of a feature that a client shows. */
const shown: Record<Support, number> = { yes: 1, partial: 0.5, no: 0 };

/**
 * Verdict on the clients for which an email is judged. `score`: support for the email's features, 0 to 100, each client weighted
 * by its share, `partial` as a half. `complete`: number of clients with a `yes` for each feature.
 */
export type ClientsVerdict = {
  clients: ClientVerdict[];
  score: number;
  complete: { clients: number; of: number };
};

/** Judges an email's features in each client. */
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

/** Lists the features that some clients do not support, most widely lacked first. */
export function lackedFeatures(verdicts: ClientVerdict[]): { slug: string; clients: string[] }[] {
  const lacking = new Map<string, string[]>();
  for (const { client, features } of verdicts)
    for (const { slug, support } of features)
      if (support === 'no') lacking.set(slug, [...(lacking.get(slug) ?? []), client]);
  return Array.from(lacking, ([slug, clients]) => ({ slug, clients })).sort(
    (a, b) => b.clients.length - a.clients.length,
  );
}
