import { namespacePrefix, type Team } from '#core/access/people.ts';
import { invalid } from '#core/errors.ts';
import type { Id } from '#core/ids.ts';
import { isUnder } from './domain-name.ts';

/**
 * Suffix under which domains may be registered, either by the managed team with that name, which may also register the suffix itself, or
 * by any team (null). Names of teams that are not managed are not unique. `{namespace}` in a suffix stands for the name of the team's
 * namespace, and applies only to such teams. A suffix with a team or `{namespace}` is reserved: no other suffix lets others register a
 * name that the reserved suffix covers, or a name above it.
 */
export type SuffixRule = { team: string | null; suffix: string };

export type SuffixPorts = {
  teams: { find(id: Id): Promise<Team | null> };
  domainSuffixes: SuffixRule[];
};

/** Suffixes of a team, its own first, and the suffixes that are reserved for some team. Null if the team may register any domain. */
type Suffixes = { own: string[]; all: string[]; reserved: string[] } | null;

export async function suffixesOf({ teams, domainSuffixes }: SuffixPorts, id: Id): Promise<Suffixes> {
  if (domainSuffixes.length === 0) return null;
  const team = await teams.find(id);
  const name = team?.kind === 'managed' ? team.name : null;
  const namespace = name?.startsWith(namespacePrefix) ? name.slice(namespacePrefix.length) : null;
  const given = domainSuffixes.flatMap((rule) => {
    const isForNamespaces = rule.suffix.includes(placeholder);
    if ((rule.team !== null && rule.team !== name) || (isForNamespaces && namespace === null)) return [];
    const suffix = rule.suffix.replaceAll(placeholder, namespace ?? '');
    return [{ suffix, isOwn: rule.team !== null || isForNamespaces }];
  });
  const own = given.filter(({ isOwn }) => isOwn).map(({ suffix }) => suffix);
  const reserved = domainSuffixes.filter(({ team, suffix }) => team !== null || suffix.includes(placeholder));
  return {
    own,
    all: [...own, ...given.filter(({ isOwn }) => !isOwn).map(({ suffix }) => suffix)],
    reserved: reserved.map(({ suffix }) => suffix),
  };
}

/**
 * Checks whether a team with these suffixes may register a name. The longest reserved suffix that covers the name determines who may. A
 * name above a reserved suffix is refused, because it would keep the suffix's team from registering anything.
 */
export function isAllowed(name: string, suffixes: Suffixes): boolean {
  if (suffixes === null) return true;
  const { own, all, reserved } = suffixes;
  const longest = depthOf(name, own);
  if (longest > 0) return depthOf(name, reserved) <= longest;
  return isUnder(name, all) && !reserved.some((suffix) => isRelated(name, suffix));
}

const placeholder = '{namespace}';

/** Returns the number of labels of the longest suffix that equals a name or that the name lies under, or 0. */
function depthOf(name: string, suffixes: string[]): number {
  const labels = name.split('.').length;
  const depths = suffixes
    .filter((suffix) => isRelated(name, suffix))
    .map((suffix) => suffix.split('.').length)
    .filter((depth) => depth <= labels);
  return depths.reduce((most, depth) => Math.max(most, depth), 0);
}

/** Checks whether a name equals a suffix, or lies under or above it. A label with `{namespace}` stands for any namespace's label. */
function isRelated(name: string, suffix: string): boolean {
  const labels = name.split('.').reverse();
  const wanted = suffix.split('.').reverse();
  return labels.every((label, index) => {
    const [before = '', ...more] = (wanted[index] ?? placeholder).split(placeholder);
    const after = more.at(-1);
    if (after === undefined) return label === before;
    return label.startsWith(before) && label.endsWith(after) && label.length > before.length + after.length;
  });
}

/** Refuses a name that the team may not register. Throws Invalid. */
export async function requireAllowed(ports: SuffixPorts, team: Id, name: string): Promise<void> {
  const suffixes = await suffixesOf(ports, team);
  if (suffixes === null || isAllowed(name, suffixes)) return;
  const { own, all } = suffixes;
  if (isUnder(name, all) || own.includes(name))
    throw invalid('domain', `${name} is reserved for another team`);
  throw invalid(
    'domain',
    all.length === 0 ? 'this team cannot register domains' : `must end in ${all.join(' or ')}`,
  );
}
