import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { Message } from '../client/shapes.ts';
import { usePage } from '../page.ts';
import { CopyButton } from '../parts/copy-button.tsx';
import { Segments } from '../parts/field.tsx';
import { size } from '../parts/size.ts';
import { linkify } from './linkify.ts';

const letters = [
  ['text', 'Text'],
  ['mono', 'Monospace'],
] as const;

/** Tab of the text, with its links. */
export function TextTab({ message: { id, text, text_truncated, size_bytes } }: { message: Message }) {
  const { font } = usePage();
  if (text === null || text.trim() === '') {
    return <p class="message-none muted">This message has no {text === null ? 'text part' : 'text'}.</p>;
  }
  return (
    <>
      <div class="line wrap panel-bar">
        <Segments label="Font" choices={letters} chosen={font} />
        <CopyButton text={text} label="Copy the text" />
      </div>
      {text_truncated && <Truncated message={id} bytes={size_bytes} />}
      <LongText text={text} show={(shown) => <Lines text={shown} mono={font.value === 'mono'} />} />
    </>
  );
}

function Lines({ text, mono }: { text: string; mono: boolean }) {
  return (
    <div class={`wraps message-text${mono ? ' mono' : ''}`} dir="auto">
      {linkify(text).map(({ text, url }, at) =>
        url === null ? (
          text
        ) : (
          <a key={at} href={url} target="_blank" rel="noopener noreferrer">
            {text}
          </a>
        ),
      )}
    </div>
  );
}

/** Text of an email next to its HTML, with the codes, the main link and links of its kind that only one of the two contains. */
export function Beside({ message }: { message: Message }) {
  const { codes, links, main_link: main, html, text } = message;
  const kind = links.find(({ url }) => url === main)?.kind;
  // Links of the kind `other` lead anywhere.
  const urls = links.flatMap((link) =>
    link.url === main || (link.kind === kind && kind !== 'other') ? link.url : [],
  );
  const [inText, inHtml] = [text ?? '', (html ?? '').replaceAll('&amp;', '&')];
  const lacks = (where: string, other: string) => {
    const plain = where.replace(/<[^<>]*>|[\s-]/g, '');
    const values = codes.flatMap(({ value }) => (plain.includes(value.replace('-', '')) ? [] : value));
    return [...values, ...urls.filter((url) => !where.includes(url) && other.includes(url))];
  };
  const notes = [
    ['Not in the text', lacks(inText, inHtml)],
    ['Not in the HTML', lacks(inHtml, inText)],
  ] as const;
  return (
    <section class="scrolls frame-text" aria-label="Text">
      {notes.map(
        ([name, values]) =>
          values.length > 0 && (
            <p key={name} class="remark warning breaks">
              {name}: {values.join(', ')}
            </p>
          ),
      )}
      <LongText text={inText} show={(shown) => <Lines text={shown} mono={false} />} />
    </section>
  );
}

type LongProps = {
  text: string;
  show: (text: string) => ComponentChildren;
  /** Number of characters drawn at first, because more characters make a page slow. */
  most?: number;
};

/** Beginning of a text, with a button that shows all of it. */
export function LongText({ text, show, most = 300_000 }: LongProps) {
  const [all, setAll] = useState(false);
  const isCut = !all && text.length > most;
  return (
    <>
      {show(isCut ? text.slice(0, most) : text)}
      {isCut && (
        <p class="cut">
          Only the beginning is shown.{' '}
          <button type="button" onClick={() => setAll(true)}>
            Show all {size(text.length)}
          </button>
        </p>
      )}
    </>
  );
}

/** Note that the API returned only the beginning of a text, with a link to all of it. `bytes` is the message's size. */
export function Truncated({ message, bytes }: { message: number; bytes: number }) {
  const { rawPath } = usePage();
  return (
    <p class="keep truncated" role="note">
      Only the first 1 MiB is shown here.{' '}
      <a href={rawPath(message)} download={`message-${message}.eml`}>
        Download the message ({size(bytes)})
      </a>
    </p>
  );
}
