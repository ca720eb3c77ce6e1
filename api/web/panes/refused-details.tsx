import { useState } from 'preact/hooks';
import { isNotFound } from '../client/client.ts';
import type { FailureRule, Refused } from '../client/shapes.ts';
import { nameOfFailure } from '../manage/failure-text.ts';
import { Dialogue } from '../message/dialogue.tsx';
import { usePage } from '../page.ts';
import { Refusal } from '../parts/field.tsx';
import { Failure, useRead } from '../parts/loaded.tsx';

/** Details of a refusal: the failure rule that caused it, and its SMTP dialogue. */
export const RefusedDetails = ({ refusal: { failure_id, id } }: { refusal: Refused }) => (
  <div class="stack">
    {failure_id !== null && <MadeBy id={failure_id} />}
    <Dialogue path={`/api/refusals/${id}/transcript`} />
  </div>
);

/** Failure rule with a link to it, and a button that pauses it. */
function MadeBy({ id }: { id: number }) {
  const { attempt, linkToPage, mayWrite } = usePage();
  const [changed, setChanged] = useState<FailureRule>();
  const [refusal, setRefusal] = useState('');
  const path = `/api/failures/${id}`;
  const { value: rule = null, error } = useRead<FailureRule>(path);
  if (isNotFound(error)) return <p class="muted">The failure rule has ended.</p>;
  if (error !== undefined) return <Failure error={error} />;
  if (rule === null) return null;
  const { hits, is_active, match, times } = changed ?? rule;
  const flip = async () => {
    const refused = await attempt({ method: 'PATCH', path, body: { is_active: !is_active } }, setChanged);
    setRefusal(refused?.detail ?? '');
  };
  const whom = match.address === null ? ' for every recipient' : '';
  const isUsedUp = times !== null && hits >= times;
  return (
    <div class="line wrap">
      <span>
        Refused by the failure rule “<a href={linkToPage(`failures/${id}`)}>{nameOfFailure(rule)}</a>”.
      </span>
      {mayWrite.value && !isUsedUp && (
        <button type="button" onClick={flip}>
          {is_active ? 'Deliver next time' : 'Refuse again'}
        </button>
      )}
      <span class="muted" role="status">
        {isUsedUp
          ? 'The rule lets the next email through.'
          : is_active
            ? `Pauses the rule${whom}.`
            : 'The rule is paused.'}
      </span>
      <Refusal text={refusal} />
    </div>
  );
}
