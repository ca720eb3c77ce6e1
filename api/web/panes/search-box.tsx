import { useEffect, useRef, useState } from 'preact/hooks';
import { Icon } from '../parts/icon.tsx';
import { goMail, mailPlace } from '../place.ts';

const pauseMs = 250;

/** Input of the API's `q`, which the URL contains. A pause in typing starts the search. */
export function SearchBox() {
  const { q, account, mailbox } = mailPlace.value;
  const [text, setText] = useState(q);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const asked = useRef(q);
  // The browser's back and forward buttons change `q` from outside. A search that began here leaves the text as it is: more may
  // have been typed, and `q` lacks a space at the end.
  useEffect(() => {
    if (q !== asked.current) setText(q);
    asked.current = q;
  }, [q]);
  // Words that are not searched for yet are dropped with their mailbox.
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
    timer.current = setTimeout(() => ask(words), pauseMs);
  };
  return (
    <search class="search">
      <Icon name="search" />
      <input
        type="search"
        aria-label="Search"
        placeholder="Search subject, sender, recipient, text"
        maxLength={200}
        value={text}
        onInput={(event) => typed(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') {
            ask(text);
            document.querySelector<HTMLElement>('.list')?.focus();
          } else if (event.key === 'Escape') {
            event.preventDefault();
            if (text !== '') ask('');
            setText('');
            document.querySelector<HTMLElement>('.list')?.focus();
          }
        }}
      />
      {text === '' && <span class="search-key">/</span>}
    </search>
  );
}
