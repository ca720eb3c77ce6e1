import { useState } from 'preact/hooks';
import type { Token } from '../client/shapes.ts';
import { Action } from '../parts/action.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { When } from '../parts/when.tsx';
import { afterRemoval } from './after-removal.ts';

type Props = { of: Token; revoked(): unknown };

/** Row of a key: its first characters, its times of creation and last use, and a button that revokes it. */
export function KeyRow({ of: key, revoked }: Props) {
  const [open, setOpen] = useState(false);
  return (
    <li class="key">
      <span class="card-name">{key.name}</span>
      <code>{key.prefix}…</code>
      <span class="muted">
        made <When at={key.created_at} />,{' '}
        {key.last_used_at ? (
          <>
            used <When at={key.last_used_at} />
          </>
        ) : (
          'never used'
        )}
      </span>
      <button type="button" class="danger" aria-label={`Revoke ${key.name}`} onClick={() => setOpen(true)}>
        Revoke…
      </button>
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
