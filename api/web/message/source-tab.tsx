import { request } from '../client/request.ts';
import type { Message, Source } from '../client/shapes.ts';
import { inTeam } from '../client/team.ts';
import { CopyButton } from '../parts/copy-button.tsx';
import { Icon } from '../parts/icon.tsx';
import { size } from '../parts/size.ts';
import { Failure } from './failure.tsx';
import { LongText } from './long-text.tsx';
import { useLoaded } from './use-loaded.ts';

/** Tab of the message as received. A source that is not UTF-8 is shown one character a byte. */
export function SourceTab({ message }: { message: Message }) {
  const { id, account_id, mailbox_id, size_bytes } = message;
  const path = `/api/accounts/${account_id}/mailboxes/${mailbox_id}/messages/${id}/source`;
  const loaded = useLoaded((signal) => request<Source>('GET', path, undefined, { signal }), [path]);
  if (loaded === null) return <p class="muted">Reading {size(size_bytes)} …</p>;
  if ('error' in loaded) return <Failure error={loaded.error} />;
  const { encoding, source } = loaded.value;
  const text = encoding === 'base64' ? atob(source) : source;
  return (
    <>
      <div class="panel-bar">
        <CopyButton text={text} label="Copy the source" />
        <a class="button" href={inTeam(`/api/messages/${id}/raw`)} download={`message-${id}.eml`}>
          <Icon name="download" /> Download
        </a>
        {encoding === 'base64' && <span class="muted">Not UTF-8: shown one character a byte.</span>}
      </div>
      <LongText text={text} show={(shown) => <pre class="source">{shown}</pre>} />
    </>
  );
}
