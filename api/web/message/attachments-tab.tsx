import './attachments-tab.css';
import { useState } from 'preact/hooks';
import type { Attachment, Message } from '../client/shapes.ts';
import { CopyButton } from '../parts/copy-button.tsx';
import { Icon } from '../parts/icon.tsx';
import { size } from '../parts/size.ts';
import { attachmentPath } from './inline-images.ts';
import { Preview } from './preview.tsx';
import { previewKind } from './preview-kind.ts';

/** Tab of the attachments, to preview and to save. */
export function AttachmentsTab({ message: { id, attachments } }: { message: Message }) {
  if (attachments.length === 0) return <p class="message-none muted">This message has no attachments.</p>;
  return (
    <ul class="attachments plain-list">
      {attachments.map((attachment) => (
        <Item key={attachment.id} message={id} attachment={attachment} />
      ))}
    </ul>
  );
}

function Item({ message, attachment }: { message: number; attachment: Attachment }) {
  const { id, filename, content_type, size_bytes, disposition, content_id, sha256 } = attachment;
  const [open, setOpen] = useState(false);
  const kind = previewKind(attachment);
  const path = attachmentPath(message, id);
  const name = filename ?? `attachment ${id}`;
  return (
    <li class="attachment">
      <div class="thumbnail">
        {kind === 'image' ? <img src={path} alt="" loading="lazy" /> : <Icon name="clip" size={20} />}
      </div>
      <div class="attachment-facts">
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
      <div class="attachment-acts">
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
          <Preview message={message} attachment={attachment} kind={kind} />
        </div>
      )}
    </li>
  );
}
