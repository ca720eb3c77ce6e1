import './html-tab.css';
import { signal } from '@preact/signals';
import { useMemo, useState } from 'preact/hooks';
import type { Message } from '../client/shapes.ts';
import { Segments } from '../parts/segments.tsx';
import { goMail } from '../place.ts';
import { count } from './chips.tsx';
import { cleanHtml, type WebImage } from './clean-html.ts';
import { frameDocument, frameSandbox } from './frame-document.ts';
import { ImageCheck } from './image-check.tsx';
import { inlineImages } from './inline-images.ts';
import { isQuickToParse } from './parse-time.ts';
import { Truncated } from './truncated.tsx';
import { useLoaded } from './use-loaded.ts';

const widths = [
  ['320', '320'],
  ['414', '414'],
  ['768', '768'],
  ['full', 'Full width'],
] as const;

/** Width of the frame in CSS pixels. Kept from message to message. */
const width = signal<(typeof widths)[number][0]>('full');

export function HtmlTab({ message }: { message: Message }) {
  const isShown = useMemo(() => isQuickToParse(message.html ?? ''), [message]);
  const inline = useLoaded((signal) => inlineImages(message, signal), [message]);
  if (message.html === null) {
    return (
      <p class="message-none muted">
        This message has no HTML.{' '}
        {message.text !== null && (
          <button type="button" class="link" onClick={() => goMail({ tab: 'text' }, { replace: true })}>
            Show its text
          </button>
        )}
      </p>
    );
  }
  if (!isShown) {
    return (
      <p class="message-none muted">
        This HTML would stop the page: its elements nest too deep.{' '}
        <button type="button" class="link" onClick={() => goMail({ tab: 'source' }, { replace: true })}>
          Show the source
        </button>
      </p>
    );
  }
  if (inline === null) return <div class="frame-room" aria-busy="true" />;
  return (
    <>
      {message.html_truncated && <Truncated message={message.id} bytes={message.size_bytes} />}
      <Frame html={message.html} inline={'value' in inline ? inline.value : new Map()} />
    </>
  );
}

/** Frame of the mail: sanitised, without scripts, without the page's origin, under a policy of its own. */
function Frame({ html, inline }: { html: string; inline: Map<string, string> }) {
  const [remote, setRemote] = useState(false);
  const clean = useMemo(() => cleanHtml(html, { remote, inline }), [html, remote, inline]);
  const [failed, setFailed] = useState<string[]>([]);
  const lost = clean.web.filter(({ url }) => failed.includes(url));
  const checked = useMemo(
    () => [...new Set(clean.web.filter(({ isPixel }) => !isPixel).map(({ url }) => url))],
    [clean],
  );
  return (
    <>
      <div class="frame-bar">
        <Segments label="Width of the mail" choices={widths} chosen={width.value} choose={setWidth} />
        {!remote && clean.web.length > 0 && (
          <div class="held-back" role="status">
            <span>{named(clean.web)} held back</span>
            <button
              type="button"
              title="The sender can then tell that the mail was read"
              onClick={() => setRemote(true)}
            >
              Load {clean.web.length === 1 ? 'it' : 'them'}
            </button>
          </div>
        )}
        {remote && (
          <div class="held-back" role="status">
            {lost.length > 0 && <span class="error">{named(lost)} could not be loaded</span>}
          </div>
        )}
      </div>
      {remote && checked.length > 0 && (
        <ImageCheck urls={checked} failed={(url) => setFailed((before) => [...before, url])} />
      )}
      <div class="frame-room">
        <iframe
          class={clean.hasFields ? 'message-frame keeps-keys' : 'message-frame'}
          title="HTML of the message"
          sandbox={frameSandbox}
          referrerpolicy="no-referrer"
          srcdoc={frameDocument(clean.html, remote, clean.pictures)}
          style={{ width: width.value === 'full' ? '100%' : `${width.value}px` }}
        />
      </div>
    </>
  );
}

const setWidth = (value: typeof width.value) => {
  width.value = value;
};

const mostHosts = 2;

/** Describes images by their number and hosts: `3 images from a.example and b.example`. */
function named(images: WebImage[]): string {
  const hosts = new Set(images.map(({ url }) => (URL.canParse(url) ? new URL(url).host : url)));
  return `${count(images.length, 'image')} from ${listed([...hosts])}`;
}

const listed = (hosts: string[]) =>
  hosts.length <= mostHosts
    ? hosts.join(' and ')
    : `${hosts.slice(0, mostHosts).join(', ')} and ${hosts.length - mostHosts} more`;
