import type { FailureRule } from '../client/shapes.ts';
import { number } from '../parts/size.ts';
import { stages } from '../parts/stages.ts';

export const reportNames: Record<NonNullable<FailureRule['dsn']>, string> = {
  failed: 'a bounce',
  delayed: 'a delay report',
  delivered: 'a delivery report',
  autoreply: 'an automatic reply',
  complaint: 'a complaint',
};

/** Names for what fails at stages without an email. */
const everything: Partial<Record<FailureRule['stage'], string>> = {
  auth: 'all sign-ins',
  api: 'all requests',
};

/** Name of a failure rule: its own name, or what the rule matches. */
export const nameOfFailure = (rule: FailureRule): string => rule.name ?? whomOf(rule);

function whomOf({ stage, match: { address, from, q } }: FailureRule): string {
  const parts = [address && `to ${address}`, from && `from ${from}`, q && `that matches ${q}`];
  return capital(parts.filter(Boolean).join(', ') || everything[stage] || 'all mail');
}

/** Describes a failure rule's action: `At RCPT, refuses the first 2 attempts with 451 4.7.1 Try again.` */
export function doingOf({ stage, action, reply, dsn, times, delay_ms, rate }: FailureRule): string {
  const some = times === 1 ? 'the first attempt' : times && `the first ${number(times)} attempts`;
  const what = rate
    ? `${some ?? 'attempts'} beyond ${rate.limit} in ${rate.seconds} s`
    : (some ?? 'every attempt');
  const wait = delay_ms ? ` after ${number(delay_ms / 1000)} s` : '';
  const done = {
    reply: `refuses ${what}${wait} with ${reply}`,
    drop: `closes the connection on ${what}${wait}`,
    reset: `resets the connection on ${what}${wait}`,
    dsn: `accepts ${what}${wait} and sends ${reportNames[dsn ?? 'failed']}${reply ? `: ${reply}` : ''}`,
    delay: `delays ${what} by ${number((delay_ms ?? 0) / 1000)} s`,
  }[action];
  return `${capital(stages[stage])}, ${done}.`;
}

/** Describes a failure rule's action, and what a named rule matches: `at RCPT, refuses with 451 4.7.1 Try again`. */
export function briefOf(rule: FailureRule): string {
  const { name, stage, action, reply, dsn } = rule;
  const done = {
    reply: `refuses with ${reply}`,
    drop: 'closes the connection',
    reset: 'resets the connection',
    dsn: `sends ${reportNames[dsn ?? 'failed']}`,
    delay: 'delays',
  }[action];
  const brief = `${stages[stage]}, ${done}`;
  return name === null ? brief : `${whomOf(rule)}, ${brief}`;
}

/** Describes the outcome of an attempt that failed. `reply` is the action if there was no reply. */
export function answerOf(action: FailureRule['action'], reply: string): string {
  const done = {
    drop: 'connection closed',
    reset: 'connection reset',
    dsn: 'reported',
    delay: 'delayed',
    reply,
  };
  return action === 'dsn' && reply !== action ? `reported: ${reply}` : done[action];
}

/** Time between two instants in ISO 8601: `+0.3 s`, `+2 min 5 s`, `+1 h 2 min`. Empty if there is no earlier instant. */
export function gapOf(before: string | undefined, at: string): string {
  if (before === undefined) return '';
  const seconds = (Date.parse(at) - Date.parse(before)) / 1000;
  if (seconds < 60) return `+${Math.round(seconds * 10) / 10} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `+${minutes} min ${Math.floor(seconds % 60)} s`;
  return `+${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** Returns an account's address with a tag. */
export const tagged = (address: string, tag: string) =>
  address.replace(/^\*/, 'anyone').replace(/@(?=[^@]*$)/, `+${tag}@`);

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
