import { useEffect, useState } from 'preact/hooks';
import { answerOf } from '../client/request.ts';
import type { Attachment } from '../client/shapes.ts';
import { readCalendar } from './calendar.ts';
import { Failure } from './failure.tsx';
import { attachmentPath } from './inline-images.ts';
import { LongText } from './long-text.tsx';
import { mayAct } from './pdf-actions.ts';
import type { PreviewKind } from './preview-kind.ts';
import { useLoaded } from './use-loaded.ts';

type Props = { message: number; attachment: Attachment; kind: PreviewKind };

/** Preview of an attachment. HTML, SVG and other active formats are shown as text or as an image, never as a document. */
export function Preview({ message, attachment, kind }: Props) {
  const path = attachmentPath(message, attachment.id);
  if (kind === 'image') {
    return <img class="preview-image" src={path} alt={attachment.filename ?? 'Attached image'} />;
  }
  return kind === 'pdf' ? <Pdf path={path} name={attachment.filename} /> : <Text path={path} kind={kind} />;
}

/** PDF in the browser's own viewer, unless it could act there. The API itself serves attachments as downloads only. */
function Pdf({ path, name }: { path: string; name: string | null }) {
  const [url, setUrl] = useState<string | null>(null);
  const loaded = useLoaded(
    async (signal) =>
      new Uint8Array(await (await answerOf('GET', path, undefined, { signal })).arrayBuffer()),
    [path],
  );
  const bytes = loaded !== null && 'value' in loaded && !mayAct(loaded.value) ? loaded.value : null;
  useEffect(() => {
    if (bytes === null) return;
    const made = URL.createObjectURL(new Blob([bytes], { type: 'application/pdf' }));
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [bytes]);
  if (loaded === null) return null;
  if ('error' in loaded) return <Failure error={loaded.error} />;
  if (bytes === null) {
    return <p class="muted">This PDF may hold scripts or actions, so it is not opened here. Download it.</p>;
  }
  return url === null ? null : <iframe class="preview-pdf" title={name ?? 'Attached PDF'} src={url} />;
}

function Text({ path, kind }: { path: string; kind: PreviewKind }) {
  const loaded = useLoaded(
    async (signal) => (await answerOf('GET', path, undefined, { signal })).text(),
    [path],
  );
  if (loaded === null) return null;
  if ('error' in loaded) return <Failure error={loaded.error} />;
  const event = kind === 'calendar' ? readCalendar(loaded.value) : null;
  if (event === null) {
    return <LongText text={loaded.value} show={(shown) => <pre class="source">{shown}</pre>} />;
  }
  return (
    <dl class="calendar">
      {event.map(({ name, value }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd dir="auto">{value}</dd>
        </div>
      ))}
    </dl>
  );
}
