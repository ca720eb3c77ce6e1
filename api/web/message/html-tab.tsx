import './html-tab.css';
import type { Signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { frameDocument, frameSandbox } from '../../frame-document.ts';
import { basePath } from '../base-path.ts';
import type { Message } from '../client/shapes.ts';
import { usePage } from '../page.ts';
import { scrollPlaces } from '../panes/scroll-mail.ts';
import { CopyButton } from '../parts/copy-button.tsx';
import { useLoaded } from '../parts/loaded.tsx';
import { count } from '../parts/size.ts';
import { cleanHtml, contentIdsIn, type WebImage } from './clean-html.ts';
import { Markup } from './markup.tsx';
import { PartChoice } from './part-choice.tsx';
import { Beside, Truncated } from './text-tab.tsx';

/** Widths in CSS pixels of common device screens, and of the reading pane in desktop programs. */
const devices = [
  [320, 'iPhone SE'],
  [360, 'Android'],
  [390, 'iPhone'],
  [600, 'Desktop pane'],
  [768, 'iPad'],
] as const;

/** Minimum displayed width. If the number is smaller, the user is still typing. */
const leastWidth = 200;

const views: [part: string, name: string][] = [
  ['html', 'Preview'],
  ['compare', 'With text'],
  ['markup', 'Source'],
];

/** Tab of the HTML: the email in a frame, or the reason why it is not shown. */
export function HtmlTab({ message }: { message: Message }) {
  const { attachmentPath, goMail, mailPlace, readFile } = usePage();
  const isShown = useMemo(() => isQuickToParse(message.html ?? ''), [message]);
  const inline = useLoaded(
    (signal) => inlineImages(message, (id) => readFile(attachmentPath(message.id, id), signal)),
    [message],
  );
  if (message.html === null) return null;
  const [part = '', line, word = ''] = (mailPlace.value.tab ?? '').split('-');
  const bar = <PartChoice choices={message.text === null ? views.toSpliced(1, 1) : views} part={part} />;
  if (part === 'markup') {
    return (
      <>
        <div class="line wrap keep frame-bar">
          {bar}
          <CopyButton text={message.html} label="Copy the HTML" />
        </div>
        <Markup html={message.html} line={Number(line)} word={word} />
      </>
    );
  }
  if (!isShown) {
    return (
      <p class="message-none muted">
        This HTML is nested so deeply that showing it would freeze the page.{' '}
        <button type="button" class="link" onClick={() => goMail({ tab: 'markup' })}>
          Show the source
        </button>
      </p>
    );
  }
  if (!inline.value && !inline.error) return <div class="grow scrolls frame-room" aria-busy="true" />;
  return (
    <>
      {message.html_truncated && <Truncated message={message.id} bytes={message.size_bytes} />}
      <Frame html={message.html} inline={inline.value ?? new Map()} bar={bar}>
        {part === 'compare' && <Beside message={message} />}
      </Frame>
    </>
  );
}

type FrameProps = {
  html: string;
  inline: Map<string, string>;
  bar: ComponentChildren;
  /** Content next to the frame. */
  children: ComponentChildren;
};

/** Inverts colors. Applying this twice restores them. */
const inversion = 'invert(1) hue-rotate(180deg)';

/** Frame of the email: sanitized, under its own policy, without scripts or the page's origin. */
function Frame({ html, inline, bar, children }: FrameProps) {
  const { frameDark, frameInverted, frameWidth } = usePage();
  const [remote, setRemote] = useState(false);
  const scheme = frameDark.value ? 'dark' : 'light';
  const clean = useMemo(() => cleanHtml(html, { remote, inline, scheme }), [html, remote, inline, scheme]);
  const [failed, setFailed] = useState<string[]>([]);
  const lost = clean.web.filter(({ url }) => failed.includes(url));
  const checked = useMemo(
    () => [...new Set(clean.web.filter(({ isPixel }) => !isPixel).map(({ url }) => url))],
    [clean],
  );
  return (
    <>
      <div class="line wrap keep frame-bar">
        {bar}
        <input
          type="number"
          list="devices"
          placeholder="Width"
          aria-label="Email width in pixels"
          value={frameWidth.value || ''}
          onInput={({ currentTarget }) => {
            const width = Number(currentTarget.value);
            if (width === 0 || width >= leastWidth) frameWidth.value = width;
          }}
        />
        <datalist id="devices">
          {devices.map(([width, name]) => (
            <option key={width} value={width} label={name} />
          ))}
        </datalist>
        <Switch of={frameDark} name="Dark" says="The email's own dark styles" />
        <Switch of={frameInverted} name="Invert" says="Inverted colors, as in some mail clients" />
        {clean.web.length > 0 && (
          <div class="line small breaks held-back" role="status">
            {!remote && (
              <button
                type="button"
                title={`${named(clean.web)}. Loading lets the sender see that the email was read`}
                onClick={() => setRemote(true)}
              >
                Load {count(clean.web.length, 'image')}
              </button>
            )}
            {lost.length > 0 && <span class="error">{named(lost)} could not be loaded</span>}
          </div>
        )}
      </div>
      {remote && checked.length > 0 && (
        <ImageCheck urls={checked} failed={(url) => setFailed((before) => [...before, url])} />
      )}
      <div class="grow scrolls frame-room">
        {children}
        <iframe
          class={clean.hasFields ? 'message-frame keeps-keys' : 'message-frame'}
          title="Message HTML"
          onLoad={({ currentTarget }) => {
            delete currentTarget.dataset.at;
          }}
          sandbox={frameSandbox}
          referrerpolicy="no-referrer"
          srcdoc={frameDocument(
            clean.html + scrollPlaces,
            remote,
            clean.pictures + (frameInverted.value ? `img{filter:${inversion}}` : ''),
            scheme,
          )}
          style={{
            width: frameWidth.value === 0 ? '100%' : `${frameWidth.value}px`,
            colorScheme: scheme,
            filter: frameInverted.value ? inversion : '',
          }}
        />
      </div>
    </>
  );
}

type SwitchProps = { of: Signal<boolean>; name: string; says: string };

const Switch = ({ of, name, says }: SwitchProps) => (
  <label class="line small" title={says}>
    <input
      type="checkbox"
      checked={of.value}
      onChange={({ currentTarget }) => {
        of.value = currentTarget.checked;
      }}
    />
    {name}
  </label>
);

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

/** Maximum number of images checked per email. */
const mostChecked = 200;

type CheckProps = { urls: string[]; failed(url: string): void };

/**
 * Finds the web images that cannot be loaded. The email's frame cannot report them because it runs no scripts. Checks the images in a
 * hidden frame that contains only the URLs. This frame's origin is opaque, so its requests carry no same-site cookies.
 */
function ImageCheck({ urls, failed }: CheckProps) {
  const frame = useRef<HTMLIFrameElement>(null);
  useEffect(() => {
    const take = ({ source, data }: MessageEvent<unknown>) => {
      if (source !== null && source === frame.current?.contentWindow) failed(String(data));
    };
    addEventListener('message', take);
    return () => removeEventListener('message', take);
  }, []);
  const check = () => frame.current?.contentWindow?.postMessage(urls.slice(0, mostChecked), '*');
  return (
    <iframe
      ref={frame}
      hidden
      title="Image check"
      sandbox="allow-scripts"
      referrerpolicy="no-referrer"
      src={`${basePath}/image-check`}
      onLoad={check}
    />
  );
}

/**
 * Loads the images that the email's HTML shows by Content-ID, as `data:` URLs: the frame has an opaque origin and can fetch neither the
 * images nor a `blob:` URL of the page. Omits images that cannot be read.
 */
async function inlineImages(
  message: Message,
  read: (attachment: number) => Promise<Response>,
): Promise<Map<string, string>> {
  const wanted = contentIdsIn(message.html ?? '');
  const images = message.attachments.flatMap(({ id, content_id, content_type }) => {
    const cid = content_id?.replace(/^<|>$/g, '') ?? '';
    return wanted.has(cid) && /^image\/[\w.+-]+$/i.test(content_type) ? [{ id, cid, content_type }] : [];
  });
  const loaded = await Promise.allSettled(
    images.map(async ({ id, cid, content_type }) => {
      return [cid, await dataUrl(await (await read(id)).blob(), content_type)] as const;
    }),
  );
  return new Map(loaded.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : [])));
}

function dataUrl(blob: Blob, type: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(new Blob([blob], { type }));
  });
}

/** Maximum parsing time in ms. Showing an email parses its HTML three times. */
const budgetMs = 200;
/** Length of HTML passed to the parser at a time. A piece takes about 50 ms if elements are never closed, but usually under 1 ms. */
const pieceLength = 16_384;

/**
 * Checks whether the browser parses this HTML within the budget. A busy machine can slow one parse down, so HTML is refused only after
 * two slow parses. HTML in a single piece is never refused.
 */
const isQuickToParse = (html: string): boolean =>
  html.length <= pieceLength || isParsedInTime(html) || isParsedInTime(html);

/**
 * Parses HTML in a document that loads and runs nothing. The parser takes quadratic time if elements are never closed, and cannot be
 * interrupted, so the HTML is passed to it in pieces.
 */
function isParsedInTime(html: string): boolean {
  const probe = document.implementation.createHTMLDocument('');
  const until = performance.now() + budgetMs;
  probe.open();
  for (let at = 0; at < html.length; at += pieceLength) {
    probe.write(html.slice(at, at + pieceLength));
    if (performance.now() > until) return false;
  }
  return true;
}
