import { namespacePrefix, type Team } from '#core/access/people.ts';
import { invalid } from '#core/errors.ts';
import type { Id } from '#core/ids.ts';
import { isUnder } from './domain-name.ts';

/**
 * Suffix under which domains may be registered: by the managed team of that name, which may register the suffix itself, too, or by each
 * team (null). The names of other teams are not unique. `{namespace}` in a suffix is the name of the team's namespace, for such teams alone.
 */
export type SuffixRule = { team: string | null; suffix: string };

export type SuffixPorts = {
  teams: { find(id: Id): Promise<Team | null> };
  domainSuffixes: SuffixRule[];
};

/** Suffixes of one team, its own ones first; null where it may register any domain. */
type Suffixes = { own: string[]; all: string[] } | null;

export async function suffixesOf({ teams, domainSuffixes }: SuffixPorts, id: Id): Promise<Suffixes> {
  if (domainSuffixes.length === 0) return null;
  const team = await teams.find(id);
  const name = team?.kind === 'managed' ? team.name : null;
  const namespace = name?.startsWith(namespacePrefix) ? name.slice(namespacePrefix.length) : null;
  const given = domainSuffixes.flatMap((rule) => {
    const isForNamespaces = rule.suffix.includes('{namespace}');
    if ((rule.team !== null && rule.team !== name) || (isForNamespaces && namespace === null)) return [];
    const suffix = rule.suffix.replaceAll('{namespace}', namespace ?? '');
    return [{ suffix, isOwn: rule.team !== null || isForNamespaces }];
  });
  const own = given.filter(({ isOwn }) => isOwn).map(({ suffix }) => suffix);
  return { own, all: [...own, ...given.filter(({ isOwn }) => !isOwn).map(({ suffix }) => suffix)] };
}

/** True for a name that a team with these suffixes may register. */
export function isAllowed(name: string, suffixes: Suffixes): boolean {
  return suffixes === null || suffixes.own.includes(name) || isUnder(name, suffixes.all);
}

/** Throws Invalid for a name that the team may not register. */
export async function requireAllowed(ports: SuffixPorts, team: Id, name: string): Promise<void> {
  const suffixes = await suffixesOf(ports, team);
  if (isAllowed(name, suffixes)) return;
  const all = suffixes?.all ?? [];
  throw invalid(
    'domain',
    all.length === 0 ? 'this team may register no domain' : `must end in ${all.join(' or ')}`,
  );
}
