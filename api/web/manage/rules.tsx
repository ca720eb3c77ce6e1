import type { Rule, SavedSearch } from '../client/shapes.ts';
import { usePage } from '../page.ts';
import { DialogButton } from '../parts/dialog.tsx';
import { allMail } from '../place-url.ts';
import { Listing, useList } from './listing.tsx';
import { Removal } from './removal.tsx';
import { RuleForm, spanName } from './rule-form.tsx';
import { Switch } from './switch.tsx';

/** Page of the team's rules in their order, and of its saved searches. */
export function Rules() {
  const { mayWrite } = usePage();
  const { items, refusal, reload } = useList<Rule>('/api/rules');
  return (
    <>
      <h1>Rules</h1>
      <p class="muted">
        A rule is applied to new mail before it is stored, in this order. Mail that is there stays as it is.
      </p>
      {mayWrite.value && (
        <p>
          <DialogButton text="New rule…" label="New rule" title="New rule">
            {(close) => (
              <RuleForm
                cancel={close}
                done={() => {
                  close();
                  return reload();
                }}
              />
            )}
          </DialogButton>
        </p>
      )}
      <Listing plural="rules" items={items} refusal={refusal} nameOf={({ name }) => name}>
        {(rule) => <RuleCard key={rule.id} rule={rule} last={items?.length ?? 0} reload={reload} />}
      </Listing>
      <h2>Saved searches</h2>
      <SavedSearches />
    </>
  );
}

type Props = { rule: Rule /** Number of rules. */; last: number; reload(): Promise<unknown> };

/** Card of a rule: its place, name and count, which opens to what it does and to its actions. */
function RuleCard({ rule, last, reload }: Props) {
  const { mayWrite } = usePage();
  const { name, q, position, is_active, matched, discarded } = rule;
  return (
    <li>
      <details class="card">
        <summary>
          <span class="muted">{position}</span>
          <span class="card-name">{name}</span>
          {!is_active && <span class="badge warning">off</span>}
          {rule.discard && <span class="badge failed">discards</span>}
          <span class="muted">
            {matched.toLocaleString('en')} {matched === 1 ? 'message' : 'messages'}
          </span>
        </summary>
        <div class="card-body">
          <p>
            <code>{q}</code>
          </p>
          <p>
            {doings(rule).join(', ') || 'Does nothing yet'}.
            {discarded > 0 && (
              <span class="muted">
                {' '}
                {discarded.toLocaleString('en')} {discarded === 1 ? 'was' : 'were'} thrown away.
              </span>
            )}
          </p>
          {mayWrite.value && <Acts rule={rule} last={last} reload={reload} />}
        </div>
      </details>
    </li>
  );
}

/** Says what a rule does, in words. */
function doings({ tags, mailbox, is_flagged, is_read, expires_in, discard }: Rule): string[] {
  const all = [
    tags.length > 0 && `tagged ${tags.join(' and ')}`,
    mailbox !== null && `into ${mailbox}`,
    is_flagged && 'flagged',
    is_read && 'read',
    expires_in !== null && `expires ${spanName(expires_in).toLowerCase()}`,
    discard && 'accepted and thrown away',
  ].filter((text) => text !== false);
  return all.map((text, index) => (index === 0 ? text.charAt(0).toUpperCase() + text.slice(1) : text));
}

function Acts({ rule, last, reload }: Props) {
  const { attempt, tell } = usePage();
  const path = `/api/rules/${rule.id}`;
  const moveTo = async (position: number) => {
    const problem = await attempt({ method: 'PATCH', path, body: { position } }, reload);
    if (problem) tell(problem.detail);
  };
  return (
    <>
      <Switch
        label="Active"
        help="A rule that is off is kept, and applied to nothing."
        on={rule.is_active}
        path={path}
        field="is_active"
        done={reload}
      />
      <div class="card-acts">
        <DialogButton text="Change…" label={`Change ${rule.name}`} title={`Change ${rule.name}`}>
          {(close) => (
            <RuleForm
              rule={rule}
              cancel={close}
              done={() => {
                close();
                return reload();
              }}
            />
          )}
        </DialogButton>
        <button
          type="button"
          aria-label={`Earlier: ${rule.name}`}
          disabled={rule.position <= 1}
          onClick={() => void moveTo(rule.position - 1)}
        >
          Earlier
        </button>
        <button
          type="button"
          aria-label={`Later: ${rule.name}`}
          disabled={rule.position >= last}
          onClick={() => void moveTo(rule.position + 1)}
        >
          Later
        </button>
        <Removal
          text="Delete…"
          label={`Delete ${rule.name}`}
          title={`Delete the rule ${rule.name}?`}
          verb="Delete it"
          loss="New mail is no longer treated by it. What it did stays."
          path={path}
          done={reload}
        />
      </div>
    </>
  );
}

/** Saved searches, each with a link to what it finds. */
function SavedSearches() {
  const { linkTo, mayWrite, reloadSearches, searches } = usePage();
  const { items, refusal, reload } = useList<SavedSearch>('/api/searches');
  return (
    <Listing
      plural="saved searches"
      items={searches.value ?? items}
      refusal={refusal}
      nameOf={({ name }) => name}
    >
      {(search) => (
        <li key={search.id} class="entry">
          <div>
            <a class="card-name" href={linkTo({ ...allMail, q: search.q })}>
              {search.name}
            </a>
            <p>
              <code>{search.q}</code>
            </p>
          </div>
          {mayWrite.value && (
            <Removal
              text="Delete…"
              label={`Delete ${search.name}`}
              title={`Delete the search ${search.name}?`}
              verb="Delete it"
              loss="It goes for all members of the team. The mail stays."
              path={`/api/searches/${search.id}`}
              done={() => Promise.all([reloadSearches(), reload()])}
            />
          )}
        </li>
      )}
    </Listing>
  );
}
