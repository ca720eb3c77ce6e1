import './search-box.css';
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { usePage } from '../page.ts';
import { focusOn } from '../panes/keys.ts';
import { Icon, IconButton } from '../parts/icon.tsx';
import { complete, type Known, withoutBegun } from './completion.ts';

const pauseMs = 250;
const mostCharacters = 1000;

/**
 * Input for the API's `q`, which the URL contains. A pause in typing starts the search. Operators and known values complete the word at
 * the caret (ARIA's combobox pattern; the list is only an offer, which uses no keys until an arrow key selects an option).
 */
export function SearchBox() {
  const { goMail, mailPlace } = usePage();
  const { q, account, mailbox } = mailPlace.value;
  const [text, setText] = useState(q);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const asked = useRef(q);
  // The browser's back and forward buttons change `q` from outside, as do the parts below. A search that started here leaves the text
  // unchanged: the user may have typed more, and `q` lacks a trailing space. Runs in the layout phase, before the timer searches for
  // older words.
  useLayoutEffect(() => {
    if (q === asked.current) return;
    clearTimeout(timer.current);
    asked.current = q;
    setText(q);
  }, [q]);
  // When the mailbox changes, words that have not been searched for yet are dropped.
  useEffect(() => {
    setText(q);
    return () => clearTimeout(timer.current);
  }, [account, mailbox]);

  const ask = (words: string) => {
    clearTimeout(timer.current);
    asked.current = words.trim();
    goMail({ q: asked.current, message: null, tab: null }, { replace: mailPlace.value.q !== '' });
  };
  const typed = (words: string) => {
    setText(words);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => ask(withoutBegun(words)), pauseMs);
  };
  const clear = () => {
    if (text !== '') ask('');
    setText('');
  };
  return (
    <search class="line grow search">
      <Icon name="search" />
      <Combobox
        text={text}
        typed={typed}
        entered={() => {
          ask(text);
          focusOn('.list');
        }}
        left={() => {
          clear();
          focusOn('.list');
        }}
      />
      {text === '' ? (
        <span class="faint search-key">/</span>
      ) : (
        <IconButton
          icon="close"
          label="Clear the search"
          look="search-clear"
          run={() => {
            clear();
            focusOn('.search input');
          }}
        />
      )}
    </search>
  );
}

type Props = {
  text: string;
  typed(text: string): void;
  /** `entered` is called by Enter, and `left` by Escape, while no option is offered. */
  entered(): void;
  left(): void;
};

function Combobox({ text, typed, entered, left }: Props) {
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const known = useKnown();
  /** Offered options: none, completions of the word, or all operators. */
  const [offer, setOffer] = useState<'none' | 'begun' | 'all'>('none');
  const [active, setActive] = useState(-1);
  const [caret, setCaret] = useState(0);
  const { from, to, options } = complete(text, Math.min(caret, text.length), known, offer === 'all');
  const isOpen = offer !== 'none' && options.length > 0;
  const close = () => {
    setOffer('none');
    setActive(-1);
  };
  const accept = (index: number) => {
    const option = options[index];
    if (option === undefined || input.current === null) return;
    const at = from + option.text.length;
    const next = text.slice(0, from) + option.text + text.slice(to);
    // The caret can be placed after the option only once the input contains the option.
    input.current.value = next;
    input.current.setSelectionRange(at, at);
    setCaret(at);
    setActive(-1);
    setOffer('begun');
    typed(next);
  };
  useEffect(() => {
    if (active >= 0) document.getElementById(`${id}-${active}`)?.scrollIntoView({ block: 'nearest' });
  }, [active]);

  const move = (by: number) => {
    if (!isOpen) {
      setCaret(input.current?.selectionStart ?? text.length);
      setOffer('all');
      setActive(by > 0 ? 0 : -1);
    } else {
      // The text itself is one of the places that the arrow keys reach.
      const places = options.length + 1;
      setActive(((active + 1 + by + places) % places) - 1);
    }
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.isComposing) return;
    const isChosen = isOpen && active >= 0;
    if (event.key === 'ArrowDown') move(1);
    else if (event.key === 'ArrowUp' && isOpen) move(-1);
    else if (event.key === 'Enter' && isChosen) accept(active);
    else if (event.key === 'Enter') {
      close();
      entered();
    } else if (event.key === 'Escape' && isOpen) close();
    else if (event.key === 'Escape') left();
    else if (event.key === 'Tab' && isChosen) return accept(active);
    else return;
    event.preventDefault();
  };
  return (
    <>
      <input
        ref={input}
        type="text"
        role="combobox"
        aria-label="Search"
        aria-autocomplete="list"
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        aria-activedescendant={isOpen && active >= 0 ? `${id}-${active}` : undefined}
        placeholder="Search, or from: has: newer_than:"
        enterkeyhint="search"
        autocomplete="off"
        autocapitalize="off"
        spellcheck={false}
        maxLength={mostCharacters}
        value={text}
        onInput={({ currentTarget }) => {
          setCaret(currentTarget.selectionStart ?? currentTarget.value.length);
          setOffer('begun');
          setActive(-1);
          typed(currentTarget.value);
        }}
        onKeyDown={onKeyDown}
        onBlur={close}
      />
      {isOpen && (
        <div
          id={id}
          class="menu breaks scrolls completions"
          role="listbox"
          aria-label="Completions"
          // Pressing an option leaves the focus in the input.
          onMouseDown={(event) => event.preventDefault()}
        >
          {options.map((option, index) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the input, which names the option
            // biome-ignore lint/a11y/useFocusableInteractive: the input has the focus (aria-activedescendant)
            <div
              key={option.text}
              id={`${id}-${index}`}
              class={index === active ? 'hovers active' : 'hovers'}
              role="option"
              aria-selected={index === active}
              onClick={() => accept(index)}
            >
              <span class="mono">{option.text}</span>
              {option.says && <span class="muted">{option.says}</span>}
            </div>
          ))}
        </div>
      )}
    </>
  );
}

/** Returns the team-specific values of operators. */
function useKnown(): Known {
  const { directory, mail, tags } = usePage();
  // A search shows fewer messages while its `from:` is typed.
  const senders = useRef(new Set<string>());
  for (const { from_address } of mail.list.value.rows.known()) senders.current.add(from_address);
  const { domains = [], accounts = [] } = directory.value ?? {};
  const addresses = accounts.map(({ address }) => address).filter((address) => !address.startsWith('*'));
  const paths = accounts.flatMap(({ mailboxes }) => mailboxes.map(({ path }) => path));
  return {
    tag: tags.value.map(({ name }) => name),
    in: [...new Set(paths)],
    account: accounts.map(({ address }) => address),
    address: addresses,
    from: [...senders.current],
    to: addresses,
    domain: domains.map(({ domain }) => domain),
  };
}
