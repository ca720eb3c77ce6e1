import type { Rule, SavedSearch } from '../client/shapes.ts';
import { usePage } from '../page.ts';
import { DialogForm } from '../parts/dialog.tsx';
import { count, number } from '../parts/size.ts';
import { allMail } from '../place-url.ts';
import { Card, Entry, Head, Listing, Removal, useList } from './listing.tsx';
import { ruleForm, spanName } from './rule-form.ts';
import { badgesOf, Switch, type Toggle } from './switch.tsx';

const active: Toggle<Rule> = {
  field: 'is_active',
  label: 'Active',
  help: "An inactive rule is kept but doesn't apply.",
  isOn: ({ is_active }) => is_active,
  off: ['off', 'warning'],
};

/** Page of the team's rules, in order, and of its saved searches. */
export function Rules() {
  const { linkTo, mayWrite, reloadSearches, searches } = usePage();
  const list = useList<Rule>('/api/rules');
  const { reload } = list;
  const saved = useList<SavedSearch>('/api/searches');
  return (
    <>
      <Head title="Rules" creates="rule" form={mayWrite.value && ruleForm({ done: reload })} />
      <p class="muted">
        Rules apply in this order to new mail before it is stored. Stored mail doesn't change.
      </p>
      <Listing plural="rules" {...list} nameOf={({ name }) => name}>
        {(rule) => <RuleCard key={rule.id} rule={rule} last={list.items?.length ?? 0} reload={reload} />}
      </Listing>
      <h2>Saved searches</h2>
      <Listing
        plural="saved searches"
        items={searches.value ?? saved.items}
        refusal={saved.refusal}
        reload={saved.reload}
        nameOf={({ name }) => name}
      >
        {({ id, name, q }) => (
          <Entry
            key={id}
            name={<a href={linkTo({ ...allMail, q })}>{name}</a>}
            facts={
              <p>
                <code>{q}</code>
              </p>
            }
          >
            {mayWrite.value && (
              <Removal
                name={name}
                path={`/api/searches/${id}`}
                title={`Delete the search ${name}?`}
                loss="The mail stays."
                done={() => Promise.all([reloadSearches(), saved.reload()])}
              />
            )}
          </Entry>
        )}
      </Listing>
    </>
  );
}

type Props = { rule: Rule /** Number of rules. */; last: number; reload(): Promise<unknown> };

/** Rule card: the rule's position, name and count. Opens to show its description and actions. */
function RuleCard({ rule, last, reload }: Props) {
  const { mayWrite } = usePage();
  const { name, q, position, matched, discarded } = rule;
  return (
    <Card
      first={<span class="muted">{position}</span>}
      name={name}
      badges={[...badgesOf([active], rule), rule.discard && ['discards', 'danger']]}
      last={<span class="muted">{count(matched, 'message')}</span>}
    >
      <p>
        <code>{q}</code>
      </p>
      <p>
        {doings(rule).join(', ') || 'No effect yet'}.
        {discarded > 0 && (
          <span class="muted">
            {' '}
            {number(discarded)} {discarded === 1 ? 'was' : 'were'} discarded.
          </span>
        )}
      </p>
      {mayWrite.value && <Acts rule={rule} last={last} reload={reload} />}
    </Card>
  );
}

/** Describes a rule's actions in words. */
function doings({ tags, mailbox, is_flagged, is_read, expires_in, discard }: Rule): string[] {
  const all = [
    tags.length > 0 && `tagged ${tags.join(' and ')}`,
    mailbox !== null && `into ${mailbox}`,
    is_flagged && 'flagged',
    is_read && 'read',
    expires_in !== null && `expires ${spanName(expires_in).toLowerCase()}`,
    discard && 'discarded',
  ].filter((text) => text !== false);
  return all.map((text, index) => (index === 0 ? text.charAt(0).toUpperCase() + text.slice(1) : text));
}

function Acts({ rule, last, reload }: Props) {
  const { attempt, tell } = usePage();
  const { name, position } = rule;
  const path = `/api/rules/${rule.id}`;
  const mover = (text: string, to: number) => (
    <button
      type="button"
      aria-label={`${text}: ${name}`}
      disabled={to < 1 || to > last}
      onClick={async () => {
        const problem = await attempt({ method: 'PATCH', path, body: { position: to } }, reload);
        if (problem) tell(problem.detail);
      }}
    >
      {text}
    </button>
  );
  return (
    <>
      <Switch of={active} item={rule} path={path} done={reload} />
      <div class="wrap">
        <DialogForm
          text="Change…"
          label={`Change ${name}`}
          title={`Change ${name}`}
          form={ruleForm({ rule, done: reload })}
        />
        {mover('Earlier', position - 1)}
        {mover('Later', position + 1)}
        <Removal
          name={name}
          path={path}
          title={`Delete the rule ${name}?`}
          loss="It no longer applies to new mail. Mail it has already changed stays as it is."
          done={reload}
        />
      </div>
    </>
  );
}
