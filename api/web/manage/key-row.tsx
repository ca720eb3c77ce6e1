import { useState } from 'preact/hooks';
import type { Token } from '../client/shapes.ts';
import { mayWrite } from '../client/teams.ts';
import { Action } from '../parts/action.tsx';
import { day, exactTime, now } from '../parts/ago.ts';
import { Dialog } from '../parts/dialog.tsx';
import { When } from '../parts/when.tsx';
import { afterRemoval } from './after-removal.ts';

type Props = { of: Token; revoked(): unknown };

/** Row of a key: its first characters, scope, creator and times, and a button that revokes it. */
export function KeyRow({ of: key, revoked }: Props) {
  const [open, setOpen] = useState(false);
  const ends = key.expires_at === null ? null : Date.parse(key.expires_at);
  const isExpired = ends !== null && ends <= now.value;
  return (
    <li class="entry">
      <div>
        <span class="card-name">{key.name}</span>
        {key.scope !== 'full' && <span class="badge">{key.scope}</span>}
        {isExpired && <span class="badge failed">expired</span>}
        <code>{key.prefix}…</code>
        <p class="muted">
          made <When at={key.created_at} /> by {key.created_by ?? 'a Kubernetes resource'},{' '}
          {key.last_used_at ? (
            <>
              used <When at={key.last_used_at} />
            </>
          ) : (
            'never used'
          )}
          {ends !== null && (
            <>
              , {isExpired ? 'expired' : 'expires'}{' '}
              <time dateTime={key.expires_at ?? ''} title={exactTime(ends)}>
                {day(ends)}
              </time>
            </>
          )}
        </p>
      </div>
      {mayWrite.value && (
        <button type="button" class="danger" aria-label={`Revoke ${key.name}`} onClick={() => setOpen(true)}>
          Revoke…
        </button>
      )}
      {open && (
        <Dialog title={`Revoke ${key.name}?`} close={() => setOpen(false)}>
          <Action
            call={{ method: 'DELETE', path: `/api/tokens/${key.id}` }}
            label="Revoke for good"
            look="danger"
            cancel={() => setOpen(false)}
            done={() => afterRemoval(revoked)}
          >
            <p>Jobs that use it are answered 401 at once.</p>
          </Action>
        </Dialog>
      )}
    </li>
  );
}
