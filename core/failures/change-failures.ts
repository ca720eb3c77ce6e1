import { defineChange, type Plan, type Write } from '#core/change.ts';
import { NotFound, requireRoom } from '#core/errors.ts';
import type { Id } from '#core/ids.ts';
import { limits } from '#core/limits.ts';
import { addressKey } from '#core/messages/recipients.ts';
import type { Attempt, Failure, FailureWords } from './failure.ts';
import { type FailureInput, failureWords } from './failure-words.ts';

const quota = { field: 'match', limit: 'owned.failures', things: 'failures' } as const;

/**
 * Adds a failure rule after a team's other rules. Throws NotFound if the team does not exist, and Invalid for invalid input or if the
 * team already has `most` rules.
 */
export const addFailure = defineChange(
  'addFailure',
  ['newFailure', 'team', 'failures'],
  (
    { newFailure: id, team, failures },
    { input, now, most }: { team: Id; input: FailureInput; now: Date; most?: number },
  ): Plan<Failure> => {
    if (team === null) throw new NotFound();
    requireRoom(failures.rules, { ...quota, most });
    const failure = begun(id, failureWords(input), now);
    return {
      writes: [
        { do: 'remove-failures', team: team.id, over: now },
        { do: 'put-failure', team: team.id, key: '', failure },
        { do: 'renew-failures', team: team.id },
      ],
      result: failure,
    };
  },
);

/**
 * Changes a failure rule. Keeps its counts and attempts. A new expiration counts from now. A new action or report gets its default reply,
 * and so does a new stage whose protocol differs. Throws NotFound, and Invalid for invalid input.
 */
export const setFailure = defineChange(
  'setFailure',
  ['failure'],
  (
    { failure },
    { team, set, now }: { team: Id; failure: Id; set: FailureInput; now: Date },
  ): Plan<Failure> => {
    if (failure === null || failure.expiresAt <= now) throw new NotFound();
    const { action = failure.action, dsn = failure.dsn, stage = failure.stage } = set;
    const isOtherProtocol = (stage === 'api') !== (failure.stage === 'api');
    const isOther = action !== failure.action || dsn !== failure.dsn;
    const defaults = { ...((isOther || isOtherProtocol) && { reply: null }), ...(isOther && { dsn: null }) };
    const words = failureWords({ ...failure, ...defaults, ...set });
    const expiresAt = set.expiresIn === undefined ? failure.expiresAt : endOf(words, now);
    const changed = { ...failure, ...words, expiresAt };
    return {
      writes: [
        { do: 'put-failure', team, key: '', failure: changed },
        { do: 'renew-failures', team },
      ],
      result: changed,
    };
  },
);

/** Removes a failure rule and returns it. Throws NotFound. */
export const removeFailure = defineChange(
  'removeFailure',
  ['failure'],
  ({ failure }, { team, failure: id, now }: { team: Id; failure: Id; now: Date }): Plan<Failure> => {
    if (failure === null || failure.expiresAt <= now) throw new NotFound();
    return {
      writes: [
        { do: 'remove-failures', team, ids: [id] },
        { do: 'renew-failures', team },
      ],
      result: failure,
    };
  },
);

type Count = { team: Id; attempt: Attempt; now: Date };
type Counted = { fails: boolean };

const passes: Plan<Counted> = { writes: [], result: { fails: false } };

/**
 * Counts an attempt that matched a failure rule, and decides whether the attempt fails. It passes if the rule is paused, expired or
 * removed.
 */
export const countFailure = defineChange(
  'countFailure',
  ['failure'],
  ({ failure }, { team, attempt, now }: Count & { failure: Id }): Plan<Counted> =>
    !failure?.active || failure.expiresAt <= now ? passes : counted(failure, { team, attempt, now }, []),
);

/** Returns the key of an address failure, which counts one sender's attempts for one recipient. */
export const addressFailureKey = (account: Id, from: string, recipient: string): string =>
  `${account} ${addressKey(from)} ${addressKey(recipient)}`;

/**
 * Counts an attempt that matched the address failure with this key, and decides whether the attempt fails. The first attempt starts the
 * count.
 */
export const countAddressFailure = defineChange(
  'countAddressFailure',
  ['newFailure', 'team', 'failure', 'failures'],
  (
    { newFailure, team, failure, failures },
    { words, failure: key, attempt, now }: Count & { failure: string; words: FailureWords },
  ): Plan<Counted> => {
    if (team === null) return passes;
    const known = failure !== null && failure.expiresAt > now;
    const isFull = !known && failures.counts >= limits.failures.addresses;
    const ids = isFull && failures.oldestCount !== null ? [failures.oldestCount] : [];
    const old: Write[] = known
      ? []
      : [
          { do: 'remove-failures', team: team.id, over: now },
          { do: 'remove-failures', team: team.id, ids },
        ];
    const counting = known ? failure : begun(newFailure, words, now);
    return counted(counting, { team: team.id, attempt, now, key }, old);
  },
);

function begun(id: Id, words: FailureWords, now: Date): Failure {
  return {
    ...{ ...words, id, createdAt: now, expiresAt: endOf(words, now) },
    ...{ hits: 0, attempts: [], window: null },
  };
}

const endOf = ({ expiresIn }: FailureWords, now: Date) => new Date(now.getTime() + expiresIn * 1000);

function counted(
  failure: Failure,
  { team, attempt, now, key = '' }: Count & { key?: string },
  before: Write[],
): Plan<Counted> {
  const { times, rate, hits } = failure;
  const window = rate && windowAt(failure, now);
  const fails = (times === null || hits < times) && (rate === null || (window?.count ?? 0) > rate.limit);
  const added = { ...attempt, reply: fails ? attempt.reply : null };
  const next = {
    hits: fails ? hits + 1 : hits,
    window,
    attempts: lastOf([...failure.attempts, shortened(added)]),
  };
  return {
    writes: [...before, { do: 'put-failure', team, key, failure: { ...failure, ...next } }],
    result: { fails },
  };
}

/** Counts an attempt in the current window of a rate, or in a new window if the current one has ended. */
function windowAt({ rate, window }: Failure, now: Date): Failure['window'] {
  const isOver = window === null || now.getTime() - window.since.getTime() >= (rate?.seconds ?? 0) * 1000;
  return isOver ? { since: now, count: 1 } : { ...window, count: window.count + 1 };
}

function shortened({ mailFrom, rcptTo, ...rest }: Attempt): Attempt {
  const cut = (text: string) => text.slice(0, limits.answers.addressCharacters);
  return {
    ...rest,
    mailFrom: mailFrom === null ? null : cut(mailFrom),
    rcptTo: rcptTo.slice(0, limits.failures.recipients).map(cut),
  };
}

/** Returns the latest attempts that are within the limits on number and size. */
function lastOf(attempts: Attempt[]): Attempt[] {
  let room = limits.failures.attemptCharacters;
  const last = attempts.slice(-limits.failures.attempts);
  const first = last.findLastIndex((attempt) => {
    room -= JSON.stringify(attempt).length;
    return room < 0;
  });
  return last.slice(first + 1);
}
