import './search-row.css';
import { useEffect, useState } from 'preact/hooks';
import type { Explanation, Rule, SavedSearch } from '../client/shapes.ts';
import { ruleForm } from '../manage/rule-form.ts';
import { usePage } from '../page.ts';
import { focusOn } from '../panes/keys.ts';
import { DialogForm } from '../parts/dialog.tsx';
import { Refusal } from '../parts/field.tsx';
import { Icon } from '../parts/icon.tsx';
import { isFiltered } from '../place-url.ts';
import { correctedSpelling, nameIn, operatorOf, warningOf } from './completion.ts';
import { forRule, textOf } from './search-text.ts';

type Part = Explanation['parts'][number];

/** Row below the search: how the search was understood, each part with a remove button, and what can be created from the search. */
export function SearchRow() {
  const { directory, mailPlace, mayWrite } = usePage();
  const { account, mailbox, q } = mailPlace.value;
  const { of, parts } = useParts(q);
  const owner = directory.value?.accounts.find(({ id }) => id === account);
  const path = owner?.mailboxes.find(({ id }) => id === mailbox)?.path;
  const whole = textOf(
    mailPlace.value,
    owner && path !== undefined ? { address: owner.address, path } : null,
  );
  const isOffered = mayWrite.value && isFiltered(mailPlace.value);
  const hasChips = parts.some((part) => !isWord(part) || rightOf(part) || malformed(part));
  if (!hasChips && !isOffered) return null;
  return (
    <div class="wrap keep search-row">
      {hasChips && <Parts parts={parts} areOld={of !== q} />}
      {isOffered && (
        <div class="line made">
          <SaveSearch q={whole} />
          <MakeRule of={whole} />
        </div>
      )}
    </div>
  );
}

/** Reads a search's parts. Until then, shows the previous search's parts, so typing moves nothing. */
function useParts(q: string): { of: string; parts: Part[] } {
  const { request } = usePage();
  const [read, setRead] = useState<{ of: string; parts: Part[] }>({ of: '', parts: [] });
  useEffect(() => {
    if (q === '') return setRead({ of: q, parts: [] });
    const abort = new AbortController();
    request<Explanation>('GET', `/api/search/explain?q=${encodeURIComponent(q)}`, undefined, {
      signal: abort.signal,
    }).then(
      ({ parts }) => abort.signal.aborted || setRead({ of: q, parts }),
      // The list reports errors in the search.
      () => abort.signal.aborted || setRead({ of: q, parts: [] }),
    );
    return () => abort.abort();
  }, [q]);
  return read;
}

/** Checks whether a part is only a word or a phrase. */
const isWord = ({ terms: [term, ...others] }: Part) =>
  term?.field === 'text' && !term.negated && others.length === 0;

/** Returns a part with its misspelled operator corrected, or null. */
const rightOf = ({ q, terms }: Part) => (terms.length === 1 ? correctedSpelling(q) : null);

/** Returns a part's operator if its value is missing or invalid, or null. */
const malformed = ({ q, terms: [term, ...others] }: Part) =>
  term?.field === 'text' && others.length === 0 ? operatorOf(q) : null;

/** Returns a part as a phrase without an operator. A trailing backslash would escape the closing quote. */
const asWord = (part: string) =>
  part
    .replace(/["\\]/g, '')
    .replace(/^-?/, (minus) => `${minus}"`)
    .concat('"');

function Parts({ parts, areOld }: { parts: Part[]; areOld: boolean }) {
  const { goMail } = usePage();
  const replace = (part: Part, text: string) => {
    const rest = parts.map((other) => (other === part ? text : other.q)).filter(Boolean);
    goMail({ q: rest.join(' '), message: null, tab: null });
    focusOn('.search input');
  };
  return (
    <ul class="wrap terms" aria-label="Parts of the search">
      {parts.map((part, index) => {
        const wrong = malformed(part);
        const right = wrong?.right ?? rightOf(part);
        if (right || wrong) {
          return (
            <li key={`${index} ${part.q}`} class="line wrap small term">
              {wrong ? (
                <span>
                  <b>{wrong.name}:</b> needs a value
                  {wrong.values ? ` such as ${wrong.values.join(', ')}` : ', right after the colon'}
                </span>
              ) : (
                <span>
                  No operator <b>{nameIn(part.q)}</b>
                </span>
              )}
              {right && (
                <button type="button" class="link" disabled={areOld} onClick={() => replace(part, right)}>
                  Search {wrong || /^-?(has|is):/.test(right) ? right : nameIn(right)}
                </button>
              )}
              <button
                type="button"
                class="link"
                disabled={areOld}
                onClick={() => replace(part, asWord(part.q))}
              >
                Search as a word
              </button>
            </li>
          );
        }
        if (isWord(part)) return null;
        const [before, value] = wordsOf(part);
        return (
          <li key={`${index} ${part.q}`} class="line small term">
            {before} <b class="ellipsis">{value}</b>
            <button
              type="button"
              class="quiet tiny"
              disabled={areOld}
              aria-label={`Remove ${before} ${value}`.replace(/\s+/g, ' ')}
              onClick={() => replace(part, '')}
            >
              <Icon name="close" size={12} />
            </button>
          </li>
        );
      })}
    </ul>
  );
}

/**
 * Returns the field and the value of a part in words. A state or a text value is shown without its field. A part of several terms is
 * shown as written.
 */
function wordsOf({ q, terms: [term, ...others] }: Part): [before: string, value: string] {
  if (term === undefined || others.length > 0) return ['', q];
  const { field, value, negated } = term;
  const name = field === 'is' || field === 'text' ? '' : field.replace(/[_-]/g, ' ');
  return [`${negated ? 'not ' : ''}${name}`.trim(), value];
}

/** Button that saves the search under a name, for all members. */
function SaveSearch({ q }: { q: string }) {
  const { reloadSearches, tell } = usePage();
  return (
    <DialogForm
      text="Save…"
      label="Save this search"
      title="Save this search"
      form={{
        lead: (
          <>
            <p class="mono breaks search-text">{q}</p>
            <Refusal text={warningOf(q)} />
          </>
        ),
        fields: [{ name: 'name', label: 'Name' }],
        call: (body) => ({ method: 'POST', path: '/api/searches', body: { ...body, q } }),
        label: 'Save',
        done: ({ name }: SavedSearch) => {
          tell(`Saved. “${name}” is in the sidebar.`);
          return reloadSearches();
        },
      }}
    />
  );
}

/** Button that creates a rule for future mail that matches the search. Absent if rules support none of the search's parts. */
function MakeRule({ of: search }: { of: string }) {
  const { linkToPage, tell } = usePage();
  const { q, leftOut } = forRule(search);
  if (q === '') return null;
  const lead = (
    <p class="muted">
      It applies to new mail. See <a href={linkToPage('rules')}>all rules</a>.
    </p>
  );
  const done = ({ name }: Rule) => tell(`Rule “${name}” applies to new mail`);
  return (
    <DialogForm
      text="Rule…"
      label="Create a rule from this search"
      title="Create a rule from this search"
      form={ruleForm({ q, leftOut, lead, done })}
    />
  );
}
