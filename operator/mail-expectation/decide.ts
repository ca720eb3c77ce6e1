import type { Invalid } from '#core/errors.ts';
import type { MessageSummary } from '#core/messages/message.ts';
import type { Query } from '#core/messages/query.ts';
import { requireQuery } from '#core/query/check-query.ts';
import { readTerm } from '#core/query/values.ts';
import { type CommonStep, reportOf, type View } from '../reconcile.ts';
import { type Finding, finding, ready, stalled, waiting } from '../runtime/conditions.ts';
import { isDeleted, type ResourceOf } from '../runtime/resource.ts';
import { codesOf, linkOf, plain } from '../shown-mail.ts';

type ShownMessage = { id: number; subject: string; from: string; receivedAt: string };

/** MailExpectation resource: mail that must arrive within a certain time. */
export type MailExpectationResource = ResourceOf<
  'MailExpectation',
  {
    to?: string;
    from?: string;
    subject?: string;
    q?: string;
    count?: number;
    within?: string;
    ttlAfterFinished?: string;
  },
  { cursor?: number; expiresAt?: string; messages?: ShownMessage[]; codes?: string[]; link?: string }
>;

/** Start and end of a wait: the number of the last event before the wait, and the time until which mail counts. */
export type Wait = { cursor: number; expiresAt: string };

/** Message as it is listed, reduced to what the status shows. */
export type FoundMessage = Pick<
  MessageSummary,
  'id' | 'subject' | 'fromAddress' | 'receivedAt' | 'code' | 'mainLink'
>;

/** Reasons why the next message would not be noticed immediately. */
const hindrances = {
  TooMany: 'the namespace has too many MailExpectations',
  SearchTimeout: 'the search takes too long (search by address, or use fewer words)',
};

/** `found` are the newest messages that match and arrived in time. `refusal` says why the query is invalid. */
export type MailExpectationView = View<MailExpectationResource> & {
  refusal: Invalid | null;
  wait: Wait | null;
  found: FoundMessage[];
  hindrance: keyof typeof hindrances | null;
  now: Date;
};

export type MailExpectationEffect = { do: 'open-team' };

/** Parses what the spec requests. Throws Invalid. */
export function queryOf({ spec }: MailExpectationResource): Query & { all: Query[] } {
  const { q = '', ...named } = spec;
  const terms = (['to', 'from', 'subject'] as const).map((name) => readTerm(name, named[name] ?? ''));
  const query = requireQuery(q);
  const parts = 'all' in query ? query.all : [query];
  return { all: [...terms.filter((term) => term !== null), ...parts] };
}

/** Checks for an expectation that was met or has failed. It will never change again. */
export function isFinished(resource: MailExpectationResource): boolean {
  return finishedAt(resource) !== null;
}

/** Returns the time at which an expectation was met or failed, or null. */
export function finishedAt({ status }: MailExpectationResource): Date | null {
  const final = status?.conditions?.find(
    ({ type, status }) => (type === 'Met' || type === 'Failed') && status === 'True',
  );
  return final === undefined ? null : new Date(final.lastTransitionTime);
}

/** Interval in ms between checks of an expectation with a hindrance. */
const hinderedMs = 60_000;

/** Returns the next step for a MailExpectation that is not finished. */
export function decideMailExpectation(
  view: MailExpectationView,
): CommonStep<MailExpectationResource> | MailExpectationEffect {
  const { resource, owner, refusal, wait, found, hindrance, now } = view;
  const { count = 1, within = '5m' } = resource.spec;
  if (isDeleted(resource)) return { do: 'nothing' };
  if (refusal !== null) return reportOf({}, failed('InvalidQuery', refusal.message));
  if (owner === null || wait === null) return { do: 'open-team' };
  const came = `${found.length} of ${count} ${count === 1 ? 'message' : 'messages'} arrived`;
  if (found.length >= count) {
    const message = found.length === 1 ? 'the message arrived' : `${found.length} messages arrived`;
    return reportOf({ ...wait, ...shown(found) }, [
      ...ready('Met', message),
      finding('Met', 'True', 'Arrived', message),
      finding('Failed', 'False', 'Met', message),
    ]);
  }
  const leftMs = Date.parse(wait.expiresAt) - now.getTime();
  if (leftMs <= 0) {
    const expired = failed('Expired', `${came} within ${within}`);
    const isKnown = hindrance !== 'SearchTimeout';
    return reportOf(
      { ...wait, ...shown(found) },
      isKnown ? expired : failed(hindrance, hindrances[hindrance]),
    );
  }
  const message = `waiting for ${count === 1 ? 'a message' : `${count} messages`} until ${wait.expiresAt}`;
  // The start of a wait does not need an Event.
  const findings =
    hindrance === null
      ? ready('Waiting', message).map(({ event: _, ...finding }) => finding)
      : waiting(hindrance, `${hindrances[hindrance]}: ${message}; checking once a minute`);
  const met = finding('Met', 'False', 'Waiting', message);
  return reportOf(
    wait,
    [...findings, met, { ...met, type: 'Failed' }],
    hindrance === null ? leftMs : Math.min(leftMs, hinderedMs),
  );
}

function failed(reason: string, message: string): Finding[] {
  const failure = finding('Failed', 'True', reason, message);
  return [...stalled(reason, message), finding('Met', 'False', reason, message), failure];
}

const most = { messages: 20, subject: 200, from: 320 };

/** Returns messages for the status: within the definition's limits, and without terminal control characters. */
function shown(found: FoundMessage[]) {
  const messages = found.slice(0, most.messages).map(({ id, subject, fromAddress, receivedAt }) => ({
    id,
    subject: plain(subject, most.subject),
    from: plain(fromAddress, most.from),
    receivedAt: receivedAt.toISOString(),
  }));
  return { messages, codes: codesOf(found).slice(0, most.messages), ...linkOf(found) };
}
