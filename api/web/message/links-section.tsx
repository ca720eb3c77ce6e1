import { useState } from 'preact/hooks';
import type { CheckedLinks, Message } from '../client/shapes.ts';
import { usePage } from '../page.ts';
import { count } from '../parts/count.ts';
import { Failure, type Loaded } from '../parts/loaded.tsx';
import { Chip } from './chip.tsx';

/** Links of a mail, which the server requests when a member asks. The API says which setting allows it. */
export function LinksSection({ message: { id, links } }: { message: Message }) {
  const { mayWrite, request } = usePage();
  const [{ value, error }, setLoaded] = useState<Loaded<CheckedLinks>>({});
  const [busy, setBusy] = useState(false);
  const check = async () => {
    setBusy(true);
    setLoaded(
      await request<CheckedLinks>('POST', `/api/messages/${id}/checks/links`).then(
        (value) => ({ value }),
        (error) => ({ error }),
      ),
    );
    setBusy(false);
  };
  if (links.length === 0 || !mayWrite.value) return null;
  return (
    <section aria-labelledby="links-title" aria-busy={busy}>
      <div class="line wrap panel-bar">
        <h2 id="links-title">Links</h2>
        <button type="button" disabled={busy} onClick={check}>
          {busy ? 'Checking…' : `Check ${count(links.length, 'link')}`}
        </button>
        <span class="muted">
          The server requests each link, except links that act: verify, reset, sign in.
        </span>
      </div>
      {error !== undefined && <Failure error={error} />}
      <div role="status">
        <ul class="stack">
          {value?.map(({ url, status, error }) => (
            <li key={url} class="remark breaks">
              <Chip
                result={status === null ? 'none' : `${status}`}
                tone={status === null ? 'plain' : status < 400 ? 'good' : 'danger'}
              />{' '}
              {url} <span class="muted">{error}</span>
            </li>
          ))}
        </ul>
      </div>
    </section>
  );
}
