import { signal } from '@preact/signals';
import type { Message } from '../client/shapes.ts';
import { CopyButton } from '../parts/copy-button.tsx';
import { Segments } from '../parts/segments.tsx';
import { linkify } from './linkify.ts';
import { LongText } from './long-text.tsx';
import { Truncated } from './truncated.tsx';

const letters = [
  ['text', 'Text'],
  ['mono', 'Monospace'],
] as const;

/** Font of the text. Kept from message to message. */
const font = signal<(typeof letters)[number][0]>('text');

export function TextTab({ message: { id, text, text_truncated, size_bytes } }: { message: Message }) {
  if (text === null || text.trim() === '') {
    return <p class="message-none muted">This message has no {text === null ? 'text part' : 'text'}.</p>;
  }
  return (
    <>
      <div class="panel-bar">
        <Segments
          label="Letters of the text"
          choices={letters}
          chosen={font.value}
          choose={(value) => {
            font.value = value;
          }}
        />
        <CopyButton text={text} label="Copy the text" />
      </div>
      {text_truncated && <Truncated message={id} bytes={size_bytes} />}
      <LongText text={text} show={(shown) => <Lines text={shown} mono={font.value === 'mono'} />} />
    </>
  );
}

function Lines({ text, mono }: { text: string; mono: boolean }) {
  return (
    <div class={`message-text${mono ? ' mono' : ''}`} dir="auto">
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
