import { useEffect } from 'preact/hooks';
import { rowsOf } from './markup.ts';
import { LongText } from './text-tab.tsx';

type Props = {
  html: string;
  /** Line to which a check refers, and a word in it. */
  line: number;
  word: string;
};

/** HTML of an email, decoded. Lines are numbered as in checks, and long lines are split into rows. */
export function Markup({ html, line, word }: Props) {
  useEffect(
    () => document.querySelector('.markup .wanted')?.scrollIntoView({ block: 'center' }),
    [line, word],
  );
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: keys scroll it
    <section class="grow scrolls markup" aria-label="HTML source" tabIndex={0}>
      <LongText
        text={html}
        show={(shown) => (
          <ol class="mono">
            {shown.split('\n').map((one, index) => (
              <Line key={index} text={one.trimEnd()} word={index + 1 === line ? word : null} />
            ))}
          </ol>
        )}
      />
    </section>
  );
}

function Line({ text, word }: { text: string; word: string | null }) {
  const rows = rowsOf(text);
  const wanted =
    word === null
      ? -1
      : Math.max(
          0,
          rows.findIndex((row) => row.includes(word)),
        );
  return (
    <li>
      {rows.map((row, at) => (
        <div key={at} class={at === wanted ? 'wraps wanted' : 'wraps'}>
          {row
            .split(/(<[^<>]*>)/)
            .map((part, index) => (index % 2 === 0 ? part : <Tag key={index} text={part} />))}
        </div>
      ))}
    </li>
  );
}

const Tag = ({ text }: { text: string }) => (
  <span class={text.startsWith('<!') ? 'faint' : 'tag-text'}>
    {text.split(/("[^"]*")/).map((part, at) => (at % 2 === 0 ? part : <span key={at}>{part}</span>))}
  </span>
);
