import type { Id } from '#core/ids.ts';
import type { Page, Slice } from '#core/page.ts';

export const auditActions = [
  'session.created',
  'password.changed',
  'user.created',
  'user.disabled',
  'user.enabled',
  'user.taken_over',
  'api_key.created',
  'api_key.changed',
  'api_key.revoked',
  'team.created',
  'team.imported',
  'team.renamed',
  'team.deleted',
  'member.joined',
  'member.changed',
  'member.removed',
  'invitation.created',
  'invitation.revoked',
  'domain.moved',
  'domain.deleted',
  'account.deleted',
  'account.password_removed',
  'search.created',
  'search.changed',
  'search.deleted',
  'rule.created',
  'rule.changed',
  'rule.deleted',
  'failure.created',
  'failure.changed',
  'failure.deleted',
  'share.created',
  'share.opened',
  'share.revoked',
  'shares.allowed',
  'shares.forbidden',
] as const;
export type AuditAction = (typeof auditActions)[number];

/**
 * Actor of an entry. `name` is the e-mail of a user, the name of an API key without a creator, `kubernetes` or `administrator`.
 * `remoteAddress` is null for an action without a request.
 */
export type Actor = { name: string; remoteAddress: string | null };

/** Actor of what a Kubernetes resource caused. */
export const kubernetes: Actor = { name: 'kubernetes', remoteAddress: null };

/**
 * Entry of the audit log. `target`: name of the object that was changed. `more`: number of actions that an entry stands for whose
 * actor did too much of it in an hour, which has no target.
 */
export type AuditEntry = {
  id: Id;
  team: Id;
  at: Date;
  actor: string;
  action: AuditAction;
  target: string;
  remoteAddress: string | null;
  more?: number;
};

/** Entry as stores write it. */
export type PlainEntry = Omit<AuditEntry, 'id' | 'more'>;

/** Entry to be written. `ofOthers`: it concerns another person, or what another made, and is never counted with others. */
export type NewEntry = PlainEntry & { ofOthers?: boolean };

/** Days for which entries are kept. */
export const auditDays = 90;

export type AuditStore = {
  /**
   * Writes the entries of teams that exist, as `planEntries` decides. Removes entries of the same team and actor beyond the
   * newest `most`, at some of the calls.
   */
  record(entries: NewEntry[], bounds: AuditBounds): Promise<void>;
  /** Lists entries, newest first. */
  list(team: Id, page: Page): Promise<Slice<AuditEntry>>;
};

/** Maximum entries of an actor in a team, and most in an hour of one action too. */
export type AuditBounds = { most: number; mostAnHour: number };

/** Entries of one team, actor and action, in the hour from `since` to `until`. */
export type EntryKind = Pick<AuditEntry, 'team' | 'actor' | 'action'> & {
  since: Date;
  until: Date;
};

/**
 * Entries of a kind to be written, and the entry that counts the rest. Where the hour has a counting entry, `more` of it is
 * added to that one.
 */
export type EntryPlan = {
  kind: EntryKind;
  written: PlainEntry[];
  counted: (PlainEntry & { more: number }) | null;
};

export function kindsOf(entries: NewEntry[]): { kind: EntryKind; entries: NewEntry[] }[] {
  const since = (at: Date) => new Date(Math.floor(at.getTime() / hourMs) * hourMs);
  const groups = Map.groupBy(entries, (one) =>
    JSON.stringify([one.team, one.actor, one.action, since(one.at).getTime()]),
  );
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    const { team, actor, action, at } = first;
    const until = new Date(since(at).getTime() + hourMs);
    return [{ kind: { team, actor, action, since: since(at), until }, entries: group }];
  });
}

const hourMs = 3_600_000;

/**
 * Decides how entries of a kind are written of which the hour has `earlier` ones already: one by one up to `mostAnHour`, and
 * the rest counted, so that nobody pushes older entries out. Those that concern others are all written: an actor who does too
 * much with their own hides nothing.
 */
export function planEntries(
  kind: EntryKind,
  entries: NewEntry[],
  earlier: number,
  mostAnHour: number,
): EntryPlan {
  const room = Math.max(0, mostAnHour - earlier);
  const own = entries.filter(({ ofOthers }) => !ofOthers);
  const rest = new Set(own.slice(room));
  const written = entries.filter((entry) => !rest.has(entry)).map(plainEntry);
  const last = own.at(-1);
  return {
    kind,
    written,
    counted:
      last === undefined || rest.size === 0
        ? null
        : { ...plainEntry(last), target: '', remoteAddress: null, more: rest.size },
  };
}

function plainEntry({ ofOthers: _, ...entry }: NewEntry): PlainEntry {
  return entry;
}
