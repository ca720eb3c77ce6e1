import type { Id } from '#core/ids.ts';

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
 * Actor of an action. `name` is a user's email address, the name of an API key without a creator, `kubernetes` or `administrator`.
 * `remoteAddress` is null for an action without a request.
 */
export type Actor = { name: string; remoteAddress: string | null };

/** Actor for actions that a Kubernetes resource caused. */
export const kubernetes: Actor = { name: 'kubernetes', remoteAddress: null };

/**
 * Audit log entry. `target`: name of the object that was changed. `more`: number of actions that an entry without a target stands for, if
 * its actor performed too many in an hour.
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

/** Entry in the form in which it is stored. */
export type PlainEntry = Omit<AuditEntry, 'id' | 'more'>;

/**
 * Entry to write. `ofOthers`: the entry concerns another person, or an object that another person created, and is always written
 * individually.
 */
export type NewEntry = PlainEntry & { ofOthers?: boolean };

/** Number of days for which entries are kept. */
export const auditDays = 90;

export type AuditStore = {
  /**
   * Writes the entries of teams that still exist, as `planEntries` decides. Sometimes also removes entries of the same team and actor
   * beyond the newest `most`.
   */
  record(entries: NewEntry[], bounds: AuditBounds): Promise<void>;
};

/** Maximum number of an actor's entries in a team, and maximum number of entries per action and hour. */
export type AuditBounds = { most: number; mostAnHour: number };

/** Entries with the same team, actor and action, in the hour from `since` to `until`. */
export type EntryKind = Pick<AuditEntry, 'team' | 'actor' | 'action'> & {
  since: Date;
  until: Date;
};

/**
 * Entries of one kind to write, and the entry that counts the rest. If the hour already has an entry that counts, `more` is added to it.
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
 * Decides how to write entries of one kind if the hour already has `earlier` ones: up to `mostAnHour` individually and the rest as a
 * count, so nobody can push older entries out. Entries that concern others are always written individually, so actors cannot hide them
 * behind many actions on their own objects.
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
