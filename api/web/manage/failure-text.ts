import type { FailureRule } from '../client/shapes.ts';
import { stages } from '../parts/stages.ts';

export const reportNames: Record<NonNullable<FailureRule['dsn']>, string> = {
  failed: 'a bounce',
  delayed: 'a report of a delay',
  delivered: 'a report of the delivery',
  autoreply: 'an automatic reply',
  complaint: 'a complaint',
};

/** Names of what a stage has, where that is no mail. */
const everything: Partial<Record<FailureRule['stage'], string>> = {
  auth: 'all sign-ins',
  api: 'all requests',
};

/** Name of a failure rule: whom it fails. */
export function nameOfFailure({ stage, match: { address, from, q } }: FailureRule): string {
  const parts = [address && `to ${address}`, from && `from ${from}`, q && `that matches ${q}`];
  return capital(parts.filter(Boolean).join(', ') || everything[stage] || 'all mail');
}

/** Says what a failure rule does: `At RCPT, refuses the first 2 with 451 4.7.1 Try again.` */
export function doingOf({ stage, action, reply, dsn, times, delay_ms, rate }: FailureRule): string {
  const which = [
    times === null ? '' : times === 1 ? 'the first' : `the first ${times.toLocaleString('en')}`,
    rate === null ? '' : `what exceeds ${rate.limit} in ${rate.seconds} s`,
  ]
    .filter(Boolean)
    .join(' of ');
  const what = which || 'each';
  const wait = delay_ms ? ` after ${(delay_ms / 1000).toLocaleString('en')} s` : '';
  const done = {
    reply: `refuses ${what}${wait} with ${reply}`,
    drop: `closes the connection of ${what}${wait}`,
    reset: `resets the connection of ${what}${wait}`,
    dsn: `takes ${what}${wait} and sends ${reportNames[dsn ?? 'failed']}${reply ? `: ${reply}` : ''}`,
    delay: `delays ${what} by ${((delay_ms ?? 0) / 1000).toLocaleString('en')} s`,
  }[action];
  return `${capital(stages[stage])}, ${done}.`;
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
