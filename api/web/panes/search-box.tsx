import { useEffect, useRef, useState } from 'preact/hooks';
import { Icon } from '../parts/icon.tsx';
import { goMail, mailPlace } from '../place.ts';
import { clearSelection } from './selection.ts';

const pauseMs = 250;

/** Input of the API's `q`, which the URL contains. A pause in typing starts the search. */
export function SearchBox() {
  const { q } = mailPlace.value;
  const [text, setText] = useState(q);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  // The browser's back and forward buttons change `q` from outside.
  useEffect(() => setText(q), [q]);
  useEffect(() => () => clearTimeout(timer.current), []);

  const ask = (words: string) => {
    clearTimeout(timer.current);
    clearSelection();
    goMail({ q: words.trim(), message: null, tab: null }, { replace: mailPlace.value.q !== '' });
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
