import './parts.css';
import { useEffect, useState } from 'preact/hooks';
import type { Attachment, Message, Part } from '../client/shapes.ts';
import { usePage } from '../page.ts';
import { CopyButton } from '../parts/copy-button.tsx';
import { Facts } from '../parts/facts.tsx';
import { Icon } from '../parts/icon.tsx';
import { Reading, useLoaded } from '../parts/loaded.tsx';
import { size } from '../parts/size.ts';
import { readCalendar } from './calendar.ts';
import { mayAct, type PreviewKind, previewKind } from './preview-kind.ts';
import { LongText } from './text-tab.tsx';

/** MIME tree of a message, with the sizes of the encoded bodies, and its attachments to preview and save. */
export const Parts = ({ message: { id, attachments, structure } }: { message: Message }) => (
  <>
    <ul class="stack attachments">
      {attachments.map((attachment) => (
        <Item key={attachment.id} message={id} attachment={attachment} />
      ))}
    </ul>
    <ul class="breaks structure">
      <Branch part={structure} />
    </ul>
  </>
);

function Item({ message, attachment }: { message: number; attachment: Attachment }) {
  const { id, filename, content_type, size_bytes, disposition, content_id, sha256 } = attachment;
  const { attachmentPath } = usePage();
  const [open, setOpen] = useState(false);
  const kind = previewKind(attachment);
  const path = attachmentPath(message, id);
  const name = filename ?? `attachment ${id}`;
  return (
    <li class="attachment">
      <div class="thumbnail">
        {kind === 'image' ? <img src={path} alt="" loading="lazy" /> : <Icon name="clip" size={20} />}
      </div>
      <div class="column breaks attachment-facts">
        <strong>
          <bdi>{name}</bdi>
        </strong>
        <span class="muted">
          {content_type}, {size(size_bytes)}
          {disposition === 'inline' && ', inline'}
          {content_id !== null && `, shown as cid:${content_id.replace(/^<|>$/g, '')}`}
        </span>
        <span class="muted" title={sha256}>
          SHA-256 <code>{sha256.slice(0, 12)}…</code>{' '}
          <CopyButton text={sha256} label={`Copy the SHA-256 of ${name}`} />
        </span>
      </div>
      <div class="wrap attachment-acts">
        {kind !== null && (
          <button type="button" aria-expanded={open} onClick={() => setOpen(!open)}>
            {open ? 'Hide' : 'Preview'}
            <span class="hidden"> {name}</span>
          </button>
        )}
        <a class="button" href={path} download={filename ?? ''}>
          <Icon name="download" /> Download<span class="hidden"> {name}</span>
        </a>
      </div>
      {open && kind !== null && (
        <div class="preview">
          <Preview path={path} name={filename} kind={kind} />
        </div>
      )}
    </li>
  );
}

/** Attachment preview. Shows HTML, SVG and other active formats as text or as an image, never as a document. */
function Preview({ path, name, kind }: { path: string; name: string | null; kind: PreviewKind }) {
  if (kind === 'image') return <img class="preview-image" src={path} alt={name ?? 'Attached image'} />;
  return kind === 'pdf' ? <Pdf path={path} name={name} /> : <Text path={path} kind={kind} />;
}

/** PDF in the browser's own viewer, unless the PDF could run actions there. The API itself serves attachments only as downloads. */
function Pdf({ path, name }: { path: string; name: string | null }) {
  const { readFile } = usePage();
  const read = useLoaded(
    async (signal) => new Uint8Array(await (await readFile(path, signal)).arrayBuffer()),
    [path],
  );
  return (
    <Reading of={read}>
      {(bytes) =>
        mayAct(bytes) ? (
          <p class="muted">This PDF may contain scripts or actions. Download it to open it.</p>
        ) : (
          <PdfFrame bytes={bytes} name={name} />
        )
      }
    </Reading>
  );
}

function PdfFrame({ bytes, name }: { bytes: Uint8Array<ArrayBuffer>; name: string | null }) {
  const [url, setUrl] = useState<string | null>(null);
  useEffect(() => {
    const made = URL.createObjectURL(new Blob([bytes], { type: 'application/pdf' }));
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [bytes]);
  return url === null ? null : <iframe class="preview-pdf" title={name ?? 'Attached PDF'} src={url} />;
}

function Text({ path, kind }: { path: string; kind: PreviewKind }) {
  const { readFile } = usePage();
  const read = useLoaded(async (signal) => (await readFile(path, signal)).text(), [path]);
  return (
    <Reading of={read}>
      {(text) => {
        const event = kind === 'calendar' ? readCalendar(text) : null;
        if (event === null)
          return <LongText text={text} show={(shown) => <pre class="wraps source">{shown}</pre>} />;
        return (
          <Facts
            look="stack calendar"
            facts={event.map(({ name, value }) => [name, <div dir="auto">{value}</div>])}
          />
        );
      }}
    </Reading>
  );
}

function Branch({ part: { content_type, filename, size_bytes, children } }: { part: Part }) {
  return (
    <li>
      <code>{content_type}</code>
      {filename !== null && <bdi>{filename}</bdi>}
      <span class="muted">{size(size_bytes)}</span>
      {children.length > 0 && (
        <ul>
          {children.map((child, at) => (
            <Branch key={at} part={child} />
          ))}
        </ul>
      )}
    </li>
  );
}
