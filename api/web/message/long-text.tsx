import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { size } from '../parts/size.ts';

type Props = {
  text: string;
  show: (text: string) => ComponentChildren;
  /** Number of characters that are drawn at once: more makes a page slow. */
  most?: number;
};

/** Beginning of a text, with a button that shows all of it. */
export function LongText({ text, show, most = 300_000 }: Props) {
  const [all, setAll] = useState(false);
  const isCut = !all && text.length > most;
  return (
    <>
      {show(isCut ? text.slice(0, most) : text)}
      {isCut && (
        <p class="cut">
          This is the beginning.{' '}
          <button type="button" onClick={() => setAll(true)}>
            Show all {size(text.length)}
          </button>
        </p>
      )}
    </>
  );
}
