import { type Counts, countsOf, hasRoom, isSentCopy, type Load, type Room } from '#core/accounts/room.ts';
import type { Committed, MailEvent } from '#core/events/event.ts';
import type { Id } from '#core/ids.ts';
import { pathKey } from '#core/mailboxes/mailbox.ts';
import type { RuleCounts } from '#core/rules/mail-rule.ts';
import type {
  DeliveryRefusal,
  DeliveryTarget,
  DeliveryVerdict,
  PreparedMail,
  PreparedTarget,
  Restored,
} from './delivery.ts';
import {
  countRules,
  findStale,
  type MailboxPlace,
  type NewMailbox,
  ruledPlace,
  withoutDiscarded,
} from './plan-rules.ts';

/** State of an account before a batch. `active` is true if both the account and its domain are active. */
export type AccountState = Room & {
  id: Id;
  owner: Id;
  active: boolean;
  /** Mailboxes that the batch's targets or their rules may name. Other mailboxes may be missing. */
  mailboxes: MailboxPlace[];
  /** Number of all mailboxes. May be 0 if `mailboxes` contains every mailbox that the batch names. */
  mailboxCount: number;
};

/** State that a batch's plan depends on. Accounts that are absent count as deleted. */
export type DeliveryState = {
  accounts: Map<Id, AccountState>;
  /** Newest event number of each owner. An owner without events is absent. */
  newest: Map<Id, number>;
  /** Version of each owner's rules. An owner who never had rules has version 0 or is absent. */
  rules: Map<Id, number>;
  /** IDs for the mailboxes that rules name and accounts lack. */
  newMailboxes: Id[];
};

/**
 * Part of a prepared email that the plan depends on, with one ID for each target. `subject` is the subject to write to the email's
 * events.
 */
export type PlanMail = Pick<PreparedMail, 'sizeBytes' | 'subject' | 'group'> & {
  ids: Id[];
  targets: Pick<
    PreparedTarget,
    'owner' | 'accountId' | 'mailbox' | 'deliveredTo' | 'countedBytes' | 'ruled'
  >[];
};

export type MessageFlags = Omit<Restored, 'id'>;

/** Message to write. `sentCopy` marks the sender's copy in Sent. */
export type NewMessage<Mail extends PlanMail> = {
  id: Id;
  number: number;
  mailboxId: Id;
  mail: Mail;
  target: Mail['targets'][number];
  flags: MessageFlags;
  sentCopy: boolean;
};

/** Result of a batch, without its threads. A store writes the result unchanged, in the transaction that read the state. */
export type DeliveryPlan<Mail extends PlanMail> = {
  /** Verdicts on the emails, in the batch's order. */
  verdicts: DeliveryVerdict[];
  messages: NewMessage<Mail>[];
  /** Newest event number of each owner after the batch. */
  newest: Map<Id, number>;
  counts: Map<Id, Counts>;
  /** Bytes and messages to add to each account. */
  charges: Map<Id, Load>;
  /** Mailboxes to create for the batch's messages. */
  mailboxes: NewMailbox[];
  ruleCounts: Map<Id, RuleCounts>;
};

/** Returns an upper bound of each owner's event numbers after a batch. The bound is reached if no email is refused. */
export function numbersWanted(
  mails: { targets: Pick<DeliveryTarget, 'owner' | 'mailbox'>[] }[],
): Map<Id, number> {
  const wanted = new Map<Id, number>();
  for (const { owner, mailbox } of mails.flatMap(({ targets }) => targets)) {
    wanted.set(owner, (wanted.get(owner) ?? 0) + (mailbox === 'Sent' ? 0 : 1));
  }
  return wanted;
}

/**
 * Returns the path of the mailbox that rules name for a target, or null. Rules do not apply to copies in Sent or to restored messages.
 */
export function ruledPath({ mailbox, ruled }: Pick<PreparedTarget, 'mailbox' | 'ruled'>): string | null {
  return mailbox === 'INBOX' ? (ruled?.ruling.mailbox ?? null) : null;
}

/**
 * Plans a batch, group by group in its order. An email without a group forms its own. A group is stored for all targets of its emails or
 * for none, except for targets that rules discard. Space that one email frees is not available to the next.
 */
export function planDelivery<Mail extends PlanMail>(
  mails: Mail[],
  { accounts, newest, rules, newMailboxes }: DeliveryState,
  at: Date,
): DeliveryPlan<Mail> {
  const charges = new Map<Id, Load>();
  const numbers = new Map(newest);
  const messages: NewMessage<Mail>[] = [];
  const ruleCounts = new Map<Id, RuleCounts>();
  const hasRules = [...rules.values()].some((version) => version > 0);
  let mailboxes: NewMailbox[] = [];
  const verdicts = groupsOf(mails).flatMap((group): DeliveryVerdict[] => {
    const targets = group.flatMap((mail) => mail.targets);
    const stale = hasRules ? findStale(targets, rules) : undefined;
    if (stale !== undefined) return group.map(() => ({ reason: 'new-rules', address: stale.deliveredTo }));
    const kept = hasRules ? group.map(withoutDiscarded) : group;
    const boxes = { made: [...mailboxes], ids: newMailboxes, at };
    const admission = admit(kept, accounts, charges, boxes);
    if ('reason' in admission) return group.map(() => admission);
    for (const [id, charge] of admission.charges) charges.set(id, charge);
    mailboxes = boxes.made;
    if (hasRules) countRules(targets, ruleCounts);
    return kept.map((mail) => {
      const numbered = numberMessages(mail, admission.places.splice(0, mail.targets.length), numbers);
      for (const one of numbered) messages.push(one);
      return { ids: mail.ids, commits: commitsOf(mail, numbered, at) };
    });
  });
  const byMailbox = Map.groupBy(messages, ({ mailboxId }) => mailboxId);
  const counts = new Map([...byMailbox].map(([id, own]) => [id, countsOf(own.map(counted), 1)]));
  return { verdicts, messages, newest: numbers, counts, charges, mailboxes, ruleCounts };
}

function groupsOf<Mail extends PlanMail>(mails: Mail[]): Mail[][] {
  const groups: Mail[][] = [];
  for (const mail of mails) {
    const last = groups.at(-1);
    if (mail.group !== undefined && last?.[0]?.group === mail.group) last.push(mail);
    else groups.push([mail]);
  }
  return groups;
}

/** `places` are the places of all targets, in the targets' order. */
type Admission = { places: MailboxPlace[]; charges: Map<Id, Load> };

/** Finds a target's mailbox: the mailbox that rules name, or else the target's own. Returns undefined if the mailbox does not exist. */
function placeOf(
  target: PlanMail['targets'][number],
  account: AccountState,
  boxes: Parameters<typeof ruledPlace>[3],
): MailboxPlace | undefined {
  const path = ruledPath(target);
  const ruled = path === null ? undefined : ruledPlace(path, target, account, boxes);
  return ruled ?? account.mailboxes.find((place) => isNamed(target.mailbox, place));
}

/** Checks whether a mailbox is the target's. A target names a system mailbox by its path and any other mailbox by its ID. */
function isNamed(mailbox: DeliveryTarget['mailbox'], { id, pathKey: key }: MailboxPlace): boolean {
  return typeof mailbox === 'string' ? pathKey(mailbox) === key : mailbox.id === id;
}

/**
 * Checks each of a group's targets against its account. `charged`: bytes of the preceding emails, by account. Adds new mailboxes to
 * `boxes.made`.
 */
function admit(
  group: PlanMail[],
  accounts: Map<Id, AccountState>,
  charged: Map<Id, Load>,
  boxes: Parameters<typeof ruledPlace>[3],
): Admission | DeliveryRefusal {
  const charges = new Map<Id, Load>();
  const places: MailboxPlace[] = [];
  const targets = group.flatMap((mail) => mail.targets);
  for (const target of targets) {
    const { owner, accountId, deliveredTo: address, countedBytes } = target;
    const account = accounts.get(accountId);
    const place = account && placeOf(target, account, boxes);
    if (account === undefined || place === undefined) return { reason: 'gone', address };
    // If an account has moved to another team since the recipient was accepted, it receives the email at the next attempt.
    if (account.owner !== owner || !account.active) return { reason: 'inactive', address };
    const before = charges.get(accountId) ?? charged.get(accountId) ?? { bytes: 0, messages: 0 };
    const messages = before.messages + 1;
    if (!hasRoom(account, { bytes: before.bytes + Math.max(countedBytes, 1), messages }))
      return { reason: 'no-room', address };
    const bytes = before.bytes + countedBytes;
    charges.set(accountId, { bytes, messages });
    places.push(place);
  }
  return { places, charges };
}

/**
 * Assigns a number to each of an email's messages, and raises `newest`. A copy in Sent shares the number of the email's first received
 * message. A restored message takes a number that has no event. A message's number is its place in lists.
 */
function numberMessages<Mail extends PlanMail>(
  mail: Mail,
  places: MailboxPlace[],
  newest: Map<Id, number>,
): NewMessage<Mail>[] {
  let firstReceived: number | null = null;
  return places.map((place, index) => {
    const target: Mail['targets'][number] | undefined = mail.targets[index];
    const id = mail.ids[index];
    if (target === undefined || id === undefined) throw new Error('a place needs a target and an id');
    const last: number = newest.get(target.owner) ?? 0;
    const number: number = target.mailbox === 'Sent' ? (firstReceived ?? last) : last + 1;
    newest.set(target.owner, Math.max(last, number));
    if (target.mailbox === 'INBOX') firstReceived ??= number;
    const flags = flagsOf(target);
    const sentCopy = isSentCopy(flags.copy, place.pathKey);
    return { id, number, mailboxId: place.id, mail, target, flags, sentCopy };
  });
}

/** Returns a new message's flags: unread, or as rules say. A copy in Sent is read. A restored message keeps its flags. */
function flagsOf({ mailbox, ruled }: Pick<PreparedTarget, 'mailbox' | 'ruled'>): MessageFlags {
  if (typeof mailbox === 'string') {
    const copy = mailbox === 'Sent';
    const unruled = { isRead: copy, isFlagged: false, expiresAt: null };
    const { isRead, isFlagged, expiresAt } = copy ? unruled : (ruled?.ruling ?? unruled);
    return { isRead, isFlagged, expiresAt, autoDelete: true, copy };
  }
  const { id: _, ...flags } = mailbox;
  return flags;
}

/** Message IDs and events by owner, in ascending order of owners. Only received messages have events. */
function commitsOf(mail: PlanMail, messages: NewMessage<PlanMail>[], at: Date): Committed<Id[]>[] {
  const byOwner = [...Map.groupBy(messages, ({ target }) => target.owner)].sort(([a], [b]) => a - b);
  return byOwner.map(([owner, own]) => {
    const received = own.filter(({ target }) => target.mailbox === 'INBOX');
    const events = received.map(({ id: messageId, number, mailboxId, target }): MailEvent => {
      const where = { messageId, messageNumber: number, accountId: target.accountId, mailboxId };
      return { number, type: 'message.received', ...where, at, subject: mail.subject };
    });
    return { owner, result: own.map(({ id }) => id), events };
  });
}

const counted = ({ mail, target, flags, sentCopy }: NewMessage<PlanMail>) => ({
  sizeBytes: mail.sizeBytes,
  countedBytes: target.countedBytes,
  isRead: flags.isRead,
  sentCopy,
});
