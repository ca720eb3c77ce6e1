import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { Message, Source } from '../client/shapes.ts';
import { usePage } from '../page.ts';
import { CopyButton } from '../parts/copy-button.tsx';
import { Segments } from '../parts/field.tsx';
import { Icon } from '../parts/icon.tsx';
import { Reading, useRead } from '../parts/loaded.tsx';
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
        <Segments label="Letters of the text" choices={letters} chosen={font} />
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

/** Tab of the message as received. A source that is not UTF-8 is shown one character a byte. */
export function SourceTab({ message }: { message: Message }) {
  const { rawPath } = usePage();
  const { id, account_id, mailbox_id, size_bytes } = message;
  const path = `/api/accounts/${account_id}/mailboxes/${mailbox_id}/messages/${id}/source`;
  return (
    <Reading of={useRead<Source>(path)} wait={<p class="muted">Reading {size(size_bytes)} …</p>}>
      {({ encoding, source }) => {
        const text = encoding === 'base64' ? atob(source) : source;
        return (
          <>
            <div class="line wrap panel-bar">
              <CopyButton text={text} label="Copy the source" />
              <a class="button" href={rawPath(id)} download={`message-${id}.eml`}>
                <Icon name="download" /> Download
              </a>
              {encoding === 'base64' && (
                <span class="muted">Not UTF-8: shown as one character per byte.</span>
              )}
            </div>
            <LongText text={text} show={(shown) => <pre class="wraps source">{shown}</pre>} />
          </>
        );
      }}
    </Reading>
  );
}

/** Tab of the request to a provider API that the message came by: its head without the key, and its body. */
export function RequestTab({ message: { submission } }: { message: Message }) {
  const { provider = '', request = '' } = submission ?? {};
  return (
    <>
      <div class="line wrap panel-bar">
        <CopyButton text={request} label="Copy the request" />
        <span class="muted">
          Received by the {providerTitle(provider)} API. Shown without the key, up to 64 KiB.
        </span>
      </div>
      <pre class="wraps source">{pretty(request)}</pre>
    </>
  );
}

/** Returns the name that a provider calls itself. */
export function providerTitle(provider: string): string {
  return titles[provider] ?? provider;
}

const titles: Record<string, string> = {
  sendgrid: 'SendGrid',
  postmark: 'Postmark',
  mailgun: 'Mailgun',
  resend: 'Resend',
  ses: 'Amazon SES',
  mailjet: 'Mailjet',
  brevo: 'Brevo',
  mailersend: 'MailerSend',
};

/** Indents the JSON body of a request. Any other body, and one that was cut, is left as it is. */
function pretty(request: string): string {
  const blank = request.indexOf('\n\n');
  try {
    const body: unknown = JSON.parse(request.slice(blank));
    return `${request.slice(0, blank)}\n\n${JSON.stringify(body, null, 2)}`;
  } catch {
    return request;
  }
}

type LongProps = {
  text: string;
  show: (text: string) => ComponentChildren;
  /** Number of characters that are drawn at once: more makes a page slow. */
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
          This is the beginning.{' '}
          <button type="button" onClick={() => setAll(true)}>
            Show all {size(text.length)}
          </button>
        </p>
      )}
    </>
  );
}

/** Hint that the API gave only the beginning of a text, with a link to the whole. `bytes` is the size of the message. */
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
