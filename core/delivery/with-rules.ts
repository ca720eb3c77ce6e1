import type { RowReader } from '#core/change.ts';
import type { Id } from '#core/ids.ts';
import { limits } from '#core/limits.ts';
import { distinctTags } from '#core/messages/tags.ts';
import { retagged, withKeys } from '#core/messages/traits.ts';
import { KnownRules } from '#core/rules/known-rules.ts';
import type { TeamRules } from '#core/rules/mail-rule.ts';
import { rulingOf } from '#core/rules/ruling.ts';
import type { DeliveryStore, DeliveryVerdict, PreparedMail, PreparedTarget } from './delivery.ts';
import { type MailMatcher, matchJob } from './match-mail.ts';

type Ports = { rows: RowReader; matcher: MailMatcher };

/**
 * Maximum number of times that rules are applied to an email again because a team's rules have changed. The last result holds in any
 * version: its rules were in force after the email arrived, and constant rule changes must not delay mail that others share.
 */
const rounds = 2;

/**
 * Wraps a delivery store to apply teams' rules. The store refuses an email whose rules were applied in a version other than the one at
 * the commit, so a rule created in any process applies to the next email. Reads nothing for teams that have no rules. `mostKnown` is the
 * number of rules that a process keeps in memory.
 */
export function withRules(
  deliveries: DeliveryStore,
  { rows, matcher }: Ports,
  mostKnown: number,
): DeliveryStore {
  const known = new KnownRules<TeamRules>((team) => rows.read('versionedRules', { team }), mostKnown);
  const isKnown = (mail: PreparedMail) => mail.targets.some(({ owner }) => known.of(owner) !== undefined);

  /** Applies the rules of teams whose rules this process knows. `holds`: the rulings hold in any version. */
  const apply = async (mail: PreparedMail, holds: boolean): Promise<PreparedMail> => {
    const teams = new Map<Id, PreparedTarget['ruled'][]>();
    for (const owner of new Set(ruledTargets(mail).map((target) => target.owner))) {
      const rules = known.of(owner) ?? (holds ? { version: 0, rules: [] } : undefined);
      if (rules === undefined) continue;
      const version = holds ? null : rules.version;
      teams.set(owner, await ruledBy(matcher, { ...rules, version }, owner, mail));
    }
    if (teams.size === 0) return mail;
    const targets = mail.targets.map((target) => {
      const ruled = isRuled(target) ? teams.get(target.owner)?.shift() : undefined;
      return ruled === undefined ? target : tagged({ ...target, ruled }, ruled.ruling.tags);
    });
    return { ...mail, targets };
  };

  return {
    ...deliveries,
    async commit(mails, options) {
      const verdicts: DeliveryVerdict[] = [];
      let left = mails.map((mail, index) => ({ mail, index }));
      for (let round = 0; left.length > 0 && round <= rounds; round += 1) {
        const holds = round === rounds;
        const before = holds || left.some(({ mail }) => isKnown(mail));
        const ruled = before
          ? await Promise.all(left.map(({ mail }) => apply(mail, holds)))
          : left.map(({ mail }) => mail);
        const answers = await deliveries.commit(ruled, options);
        for (const [at, { index }] of left.entries()) {
          const answer = answers[at];
          if (answer !== undefined) verdicts[index] = answer;
        }
        const stale = ruled.filter((_, at) => isStale(answers[at]));
        left = left.filter(({ index }) => isStale(verdicts[index]));
        if (left.length > 0) await known.renew(versionsOf(stale));
      }
      return verdicts;
    },
  };
}

const isStale = (verdict: DeliveryVerdict | undefined) =>
  verdict !== undefined && 'reason' in verdict && verdict.reason === 'new-rules';

/** Returns the versions of the rules that were applied to emails, by team. */
function versionsOf(mails: PreparedMail[]): Map<Id, number> {
  return new Map(mails.flatMap(ruledTargets).map(({ owner, ruled }) => [owner, ruled?.version ?? 0]));
}

function tagged(target: PreparedTarget, added: string[]): PreparedTarget {
  if (added.length === 0) return target;
  const tags = distinctTags([...target.tags, ...added]).slice(0, limits.messages.tags);
  const keys = retagged(target.keys, tags);
  return { ...target, tags, keys, traits: withKeys(target.traits, keys) };
}

const isRuled = ({ mailbox }: PreparedTarget) => mailbox === 'INBOX';

const ruledTargets = ({ targets }: PreparedMail) => targets.filter(isRuled);

async function ruledBy(
  matcher: MailMatcher,
  { version, rules }: Pick<TeamRules, 'rules'> & { version: number | null },
  team: Id,
  mail: PreparedMail,
): Promise<PreparedTarget['ruled'][]> {
  const own = ruledTargets(mail).filter(({ owner }) => owner === team);
  const active = rules.filter(({ active }) => active);
  const queries = active.map(({ q }) => q);
  const matched = queries.length === 0 ? [] : await matcher.matches(team, matchJob(queries, mail, own));
  return own.map((_, index) => {
    const applied = active.filter((_, at) => matched[index]?.has(at));
    return { version, ruling: rulingOf(applied, mail.receivedAt) };
  });
}
