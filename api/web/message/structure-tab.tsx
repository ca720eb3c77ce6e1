import type { Message, Part } from '../client/shapes.ts';
import { size } from '../parts/size.ts';
import { attachmentPath } from './inline-images.ts';

/** Tab of the MIME tree. Sizes are of the encoded bodies. */
export function StructureTab({ message: { id, structure } }: { message: Message }) {
  return (
    <ul class="structure">
      <Branch message={id} part={structure} />
    </ul>
  );
}

function Branch({ message, part }: { message: number; part: Part }) {
  const { content_type, filename, size_bytes, attachment_id, children } = part;
  const name = filename ?? (attachment_id === null ? null : `attachment ${attachment_id}`);
  return (
    <li>
      <code>{content_type}</code>
      {name !== null && attachment_id !== null && (
        <a href={attachmentPath(message, attachment_id)} download={filename ?? ''}>
          <bdi>{name}</bdi>
        </a>
      )}
      <span class="muted">{size(size_bytes)}</span>
      {children.length > 0 && (
        <ul>
          {children.map((child, at) => (
            <Branch key={at} message={message} part={child} />
          ))}
        </ul>
      )}
    </li>
  );
}
