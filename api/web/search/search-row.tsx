import './search-row.css';
import { useEffect, useState } from 'preact/hooks';
import type { Explanation } from '../client/shapes.ts';
import { RuleForm } from '../manage/rule-form.tsx';
import { usePage } from '../page.ts';
import { focusOn } from '../panes/keys.ts';
import { DialogButton } from '../parts/dialog.tsx';
import { Form } from '../parts/form.tsx';
import { Icon } from '../parts/icon.tsx';
import { isFiltered } from '../place-url.ts';
import { forRule, isJoined, placesOf, type Term, textOf, without } from './search-text.ts';

/**
 * Row below the search: what was understood of it, each part with a button that removes it, and what can be made of it. Parts
 * beside each other read as if all had to match, so that a search with an OR or a group shows none.
 */
export function SearchRow() {
  const { directory, mailPlace, mayWrite } = usePage();
  const { account, mailbox, q } = mailPlace.value;
  const found = useTerms(q);
  const terms = isJoined(q) ? [] : found;
  const owner = directory.value?.accounts.find(({ id }) => id === account);
  const path = owner?.mailboxes.find(({ id }) => id === mailbox)?.path;
  const whole = textOf(
    mailPlace.value,
    owner && path !== undefined ? { address: owner.address, path } : null,
  );
  const isOffered = mayWrite.value && isFiltered(mailPlace.value);
  if (terms.length === 0 && !isOffered) return null;
  return (
    <div class="search-row">
      {terms.length > 0 && <Terms terms={terms} />}
      {isOffered && (
        <div class="made">
          <SaveSearch q={whole} />
          <MakeRule of={whole} />
        </div>
      )}
    </div>
  );
}

/** Reads the terms of a search. Those of the one before stay until then, so that typing moves nothing. */
function useTerms(q: string): Term[] {
  const { request } = usePage();
  const [terms, setTerms] = useState<Term[]>([]);
  useEffect(() => {
    if (q === '') return setTerms([]);
    const abort = new AbortController();
    request<Explanation>('GET', `/api/search/explain?q=${encodeURIComponent(q)}`, undefined, {
      signal: abort.signal,
    }).then(
      (explained) => abort.signal.aborted || setTerms(explained.terms),
      // The list says what is wrong with the search.
      () => abort.signal.aborted || setTerms([]),
    );
    return () => abort.abort();
  }, [q]);
  return terms;
}

function Terms({ terms }: { terms: Term[] }) {
  const { goMail, mailPlace } = usePage();
  const { q } = mailPlace.value;
  const places = placesOf(q, terms);
  return (
    <ul class="terms" aria-label="Parts of the search">
      {terms.map((term, index) => {
        const [field, value] = wordsOf(term);
        const place = places[index];
        return (
          <li key={`${index} ${field} ${value}`} class="term">
            {term.negated && 'not '}
            {field} <b>{value}</b>
            {place && (
              <button
                type="button"
                class="quiet"
                aria-label={`Remove ${term.negated ? 'not ' : ''}${field} ${value}`.replace(/\s+/g, ' ')}
                onClick={() => {
                  goMail({ q: without(q, place), message: null, tab: null });
                  focusOn('.search input');
                }}
              >
                <Icon name="close" size={12} />
              </button>
            )}
          </li>
        );
      })}
    </ul>
  );
}

/** Field and value of a term in words. A state or a thing says all by itself. */
function wordsOf({ field, value }: Term): [field: string, value: string] {
  if (field === 'is' || field === 'text') return ['', value];
  return [field.replace(/[_-]/g, ' '), value];
}

/** Button that keeps the search under a name, for all members. */
function SaveSearch({ q }: { q: string }) {
  const { reloadSearches, tell } = usePage();
  return (
    <DialogButton text="Save…" label="Save this search" title="Save this search">
      {(close) => (
        <Form
          fields={[{ name: 'name', label: 'Name' }]}
          call={({ name }) => ({ method: 'POST', path: '/api/searches', body: { name: name.trim(), q } })}
          label="Save"
          lead={<p class="mono search-text">{q}</p>}
          cancel={close}
          done={async ({ name }: { name: string }) => {
            close();
            tell(`“${name}” is beside the mailboxes of the whole team`);
            await reloadSearches();
          }}
        />
      )}
    </DialogButton>
  );
}

/** Button that makes a rule for the mail to come of what is searched for. Absent if a rule would take nothing of it. */
function MakeRule({ of: search }: { of: string }) {
  const { linkToPage, tell } = usePage();
  const { q, leftOut } = forRule(search);
  if (q === '') return null;
  return (
    <DialogButton text="Rule…" label="Make a rule of this search" title="Make a rule of this search">
      {(close) => (
        <>
          <p class="muted">
            It is applied to new mail. All rules are on the page <a href={linkToPage('rules')}>Rules</a>.
          </p>
          <RuleForm
            q={q}
            leftOut={leftOut}
            cancel={close}
            done={({ name }) => {
              close();
              tell(`The rule “${name}” is applied to new mail`);
            }}
          />
        </>
      )}
    </DialogButton>
  );
}
