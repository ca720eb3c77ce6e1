import type { Id } from '#core/ids.ts';
import { limits } from '#core/limits.ts';
import { addressKey } from '#core/messages/recipients.ts';
import { distinctTags } from '#core/messages/tags.ts';
import { retagged, withKeys } from '#core/messages/traits.ts';
import type { MailRuleStore, TeamRules } from '#core/rules/mail-rule.ts';
import { type Ruling, rulingOf } from '#core/rules/ruling.ts';
import type { DeliveryStore, DeliveryVerdict, PreparedMail, PreparedTarget } from './delivery.ts';
import type { RuleJob } from './rule-targets.ts';

/** Applies rules in another thread than the caller's. Teams take turns. */
export type MailRuler = { rule(team: Id, job: RuleJob): Promise<Ruling[]> };

type Ports = { mailRules: MailRuleStore; ruler: MailRuler };

/**
 * Times that a mail is ruled anew because the rules of a team have changed. Those that are read the last time hold, whatever changes
 * meanwhile: they were in force after the mail came, and nobody who changes rules all the time delays mail that others share.
 */
const rounds = 2;

/**
 * Wraps a store of deliveries by the rules of teams. The store refuses mail whose rules were applied in another version than that of
 * its commit, so that a rule of any process counts for the next mail. Nothing is read for teams without rules. `mostKnown` is the number
 * of rules that a process keeps in memory.
 */
export function withRules(
  deliveries: DeliveryStore,
  { mailRules, ruler }: Ports,
  mostKnown: number,
): DeliveryStore {
  const known = new KnownRules(mailRules, mostKnown);

  /** Applies the rules of teams that this process knows. `holds`: in any version. */
  const apply = async (mail: PreparedMail, holds: boolean): Promise<PreparedMail> => {
    const teams = new Map<Id, PreparedTarget['ruled'][]>();
    for (const owner of new Set(ruledTargets(mail).map((target) => target.owner))) {
      const rules = known.of(owner) ?? (holds ? { version: 0, rules: [] } : undefined);
      if (rules === undefined) continue;
      const version = holds ? null : rules.version;
      teams.set(owner, await ruledBy(ruler, { ...rules, version }, owner, mail));
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
        const before = holds || known.some(left.map(({ mail }) => mail));
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
        const used = stale
          .flatMap(ruledTargets)
          .map(({ owner, ruled: one }) => [owner, one?.version ?? 0] as const);
        await known.renew(new Map(used));
      }
      return verdicts;
    },
  };
}

const isStale = (verdict: DeliveryVerdict | undefined) =>
  verdict !== undefined && 'reason' in verdict && verdict.reason === 'new-rules';

/** Adds tags to those of a message, up to the limit. */
function tagged(target: PreparedTarget, added: string[]): PreparedTarget {
  if (added.length === 0) return target;
  const tags = distinctTags([...target.tags, ...added]).slice(0, limits.messages.tags);
  const keys = retagged(target.keys, tags);
  return { ...target, tags, keys, traits: withKeys(target.traits, keys) };
}

const isRuled = ({ mailbox }: PreparedTarget) => mailbox === 'INBOX';

const ruledTargets = ({ targets }: PreparedMail) => targets.filter(isRuled);

async function ruledBy(
  ruler: MailRuler,
  { version, rules }: Pick<TeamRules, 'rules'> & { version: number | null },
  team: Id,
  mail: PreparedMail,
): Promise<PreparedTarget['ruled'][]> {
  const { json, sizeBytes, receivedAt, search, html } = mail;
  const own = ruledTargets(mail).filter(({ owner }) => owner === team);
  const active = rules.filter(({ active }) => active);
  const targets = own.map(({ ownRecipients, deliveredTo, recipients = [deliveredTo], envelope }) => {
    const authenticatedAs = envelope.authenticatedAs?.name ?? null;
    return { ownRecipients, addresses: recipients.map(addressKey), authenticatedAs };
  });
  const job = {
    mail: { json, sizeBytes, receivedAt, search, hasHtml: html !== null },
    targets,
    rules: active,
  };
  const rulings =
    active.length === 0 ? own.map(() => rulingOf([], () => false, receivedAt)) : await ruler.rule(team, job);
  return rulings.map((ruling) => ({ version, ruling }));
}

/** Rules of the teams that have had mail, and had any rules. Teams that had none are absent. */
class KnownRules {
  readonly #store: MailRuleStore;
  readonly #most: number;
  readonly #teams = new Map<Id, TeamRules>();
  readonly #reads = new Map<Id, Promise<void>>();
  #count = 0;

  constructor(store: MailRuleStore, most: number) {
    this.#store = store;
    this.#most = most;
  }

  of(team: Id): TeamRules | undefined {
    return this.#teams.get(team);
  }

  /** Checks whether rules of a team of some mails are known. */
  some(mails: PreparedMail[]): boolean {
    if (this.#teams.size === 0) return false;
    return mails.some(({ targets }) => targets.some(({ owner }) => this.#teams.has(owner)));
  }

  /** Reads rules of teams anew, unless that has been done since they had these versions. */
  async renew(teams: Map<Id, number>): Promise<void> {
    const old = [...teams].filter(([team, version]) => (this.#teams.get(team)?.version ?? 0) === version);
    await Promise.all(
      old.map(([team]) => {
        const reading = this.#reads.get(team) ?? this.#read(team).finally(() => this.#reads.delete(team));
        this.#reads.set(team, reading);
        return reading;
      }),
    );
  }

  async #read(team: Id): Promise<void> {
    const found = await this.#store.read(team);
    this.#forget(team);
    if (found.version === 0) return;
    this.#teams.set(team, found);
    this.#count += found.rules.length + 1;
    for (const other of this.#teams.keys()) {
      if (this.#count <= this.#most || other === team) break;
      this.#forget(other);
    }
  }

  #forget(team: Id): void {
    const rules = this.#teams.get(team);
    if (rules === undefined) return;
    this.#teams.delete(team);
    this.#count -= rules.rules.length + 1;
  }
}
