import './failures.css';
import type { FailureRule } from '../client/shapes.ts';
import { usePage } from '../page.ts';
import { exactTime } from '../parts/ago.ts';
import { CopyButton } from '../parts/copy-button.tsx';
import { DialogForm } from '../parts/dialog.tsx';
import { number } from '../parts/size.ts';
import { When } from '../parts/when.tsx';
import { failureForm } from './failure-form.ts';
import { answerOf, briefOf, doingOf, gapOf, nameOfFailure } from './failure-text.ts';
import { Card, Head, Listing, Removal, useList, useRepeated } from './listing.tsx';
import { badgesOf, Switch, type Toggle } from './switch.tsx';

/** Number of attempts to show. */
const mostAttempts = 20;

const active: Toggle<FailureRule> = {
  field: 'is_active',
  label: 'Active',
  help: 'A paused rule lets mail through and keeps its recorded attempts.',
  isOn: ({ is_active }) => is_active,
  off: ['paused', 'warning'],
};

/** Page of the team's failure rules, or of the rule in the URL, with their activity so far. */
export function Failures() {
  const page = usePage();
  const { linkToPage, mayWrite, place } = page;
  const list = useList<FailureRule>('/api/failures');
  const { reload, items } = list;
  const id = (place.value.view === 'manage' && Number(place.value.page.split('/')[1])) || null;
  const own = id ? (items?.filter((rule) => rule.id === id) ?? null) : items;
  useRepeated(list);
  return (
    <>
      <Head title="Failures" creates="failure" form={mayWrite.value && failureForm(page, reload)} />
      <p class="muted">
        A failure rule makes mail fail, so you can test how your application reacts. The oldest matching rule
        applies. An account that <a href={linkToPage('accounts')}>simulates failures</a> needs no rule: each
        address specifies its failure.
      </p>
      {id && (
        <p>
          {own?.length === 0 && 'This rule has ended. '}
          <a href={linkToPage('failures')}>All failure rules</a>
        </p>
      )}
      {own?.length === 0 && id ? null : (
        <Listing plural="failure rules" {...list} items={own} nameOf={nameOfFailure}>
          {(rule) => <FailureCard key={rule.id} rule={rule} reload={reload} open={rule.id === id} />}
        </Listing>
      )}
    </>
  );
}

/** Failure rule card: what the rule matches and how often it failed mail. Opens to show the rule's action and attempts. */
type CardProps = { rule: FailureRule; open: boolean; reload(): Promise<unknown> };

function FailureCard({ rule, open, reload }: CardProps) {
  const page = usePage();
  const { hits, id, match, times } = rule;
  const name = nameOfFailure(rule);
  const path = `/api/failures/${id}`;
  return (
    <Card
      name={
        <>
          {name}
          <span class="muted">{briefOf(rule)}</span>
        </>
      }
      badges={[...badgesOf([active], rule), times !== null && hits >= times && ['all pass now', 'good']]}
      last={<span class="muted">{number(hits)} failed</span>}
      open={open}
    >
      {match.address && (
        <div class="line wrap">
          <code>{match.address}</code>
          <CopyButton text={match.address} label={`Copy ${match.address}`} />
        </div>
      )}
      <p>
        {doingOf(rule)}{' '}
        <span class="muted">
          Created <When at={rule.created_at} />, ends at {clockOf(rule.expires_at)}.
        </span>
      </p>
      <Attempts rule={rule} />
      {page.mayWrite.value && (
        <>
          <Switch of={active} item={rule} path={path} done={reload} />
          <div class="wrap">
            <DialogForm
              text="Change…"
              label={`Change ${name}`}
              title={`Change ${name}`}
              form={failureForm(page, reload, rule)}
            />
            <Removal
              name={name}
              path={path}
              title="Delete the failure rule?"
              loss="The rule no longer makes mail fail. This also deletes its attempts."
              done={reload}
            />
          </div>
        </>
      )}
    </Card>
  );
}

/** Time of day of an instant in ISO 8601. */
const clockOf = (at: string, withSeconds = false) =>
  new Date(at).toLocaleTimeString('en-GB', { timeStyle: withSeconds ? 'medium' : 'short' });

/** Attempts that the rule matched, newest first. */
function Attempts({ rule }: { rule: FailureRule }) {
  const { action, attempts } = rule;
  if (attempts.length === 0)
    return <p class="muted">No attempts yet. New ones appear here as they happen.</p>;
  return (
    <ul class="numbers breaks rows attempts" aria-label={`Attempts: ${nameOfFailure(rule)}`}>
      {attempts
        .toReversed()
        .slice(0, mostAttempts)
        .map(({ at, mail_from, rcpt_to, remote_address, reply }, index) => (
          <li key={attempts.length - index}>
            <time dateTime={at} title={exactTime(Date.parse(at))}>
              {clockOf(at, true)}
            </time>
            <span class="muted gap">{gapOf(attempts[attempts.length - index - 2]?.at, at)}</span>
            <span class="breaks row-name">{rcpt_to.join(', ') || mail_from || remote_address}</span>
            {reply === null ? (
              <span class="passed">passed</span>
            ) : (
              <code class="error">{answerOf(action, reply)}</code>
            )}
          </li>
        ))}
    </ul>
  );
}
