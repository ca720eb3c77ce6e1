import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { size } from '../parts/size.ts';

/** A page of so many characters is drawn at once; more makes it slow. */
const most = 300_000;

/** The beginning of a text, and all of it when asked. */
export function LongText({ text, show }: { text: string; show: (text: string) => ComponentChildren }) {
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
