import { useState } from 'preact/hooks';
import { reloadDirectory } from '../client/directory.ts';
import type { Account, Mailbox } from '../client/shapes.ts';
import { mayWrite } from '../client/teams.ts';
import { nameOf } from '../panes/branches.ts';
import { Action } from '../parts/action.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Field } from '../parts/field.tsx';
import { Delete } from './delete.tsx';

/** Mailboxes of an account. The five system mailboxes are fixed. */
export function Mailboxes({ account }: { account: Account }) {
  const [path, setPath] = useState('');
  const base = `/api/accounts/${account.id}/mailboxes`;
  const added = () => {
    setPath('');
    return reloadDirectory();
  };
  return (
    <section aria-label={`Mailboxes of ${account.address}`}>
      <ul class="rows">
        {account.mailboxes.map((mailbox) => (
          <MailboxRow key={mailbox.id} mailbox={mailbox} path={`${base}/${mailbox.id}`} />
        ))}
      </ul>
      {mayWrite.value && (
        <Action
          call={{ method: 'POST', path: base, body: { path } }}
          label="Add mailbox"
          look="beside"
          done={added}
        >
          <Field name="path" label="New mailbox" value={path} set={setPath} />
        </Action>
      )}
    </section>
  );
}

function MailboxRow({ mailbox, path }: { mailbox: Mailbox; path: string }) {
  const { totalMessages, totalUnreadMessages, isSystem } = mailbox;
  return (
    <li>
      <span class="row-name">{nameOf(mailbox)}</span>
      <span class="muted">
        {totalMessages.toLocaleString('en')} {totalMessages === 1 ? 'message' : 'messages'}
        {totalUnreadMessages > 0 && `, ${totalUnreadMessages.toLocaleString('en')} unread`}
      </span>
      {isSystem && <span class="muted">system</span>}
      {!isSystem && mayWrite.value && (
        <>
          <Rename mailbox={mailbox} path={path} />
          <Delete name={mailbox.path} path={path} loss="Its messages go with it." done={reloadDirectory} />
        </>
      )}
    </li>
  );
}

function Rename({ mailbox, path }: { mailbox: Mailbox; path: string }) {
  const [open, setOpen] = useState(false);
  const [name, setName] = useState(mailbox.path);
  const renamed = () => {
    setOpen(false);
    return reloadDirectory();
  };
  return (
    <>
      <button type="button" onClick={() => setOpen(true)} aria-label={`Rename ${mailbox.path}`}>
        Rename…
      </button>
      {open && (
        <Dialog title={`Rename ${mailbox.path}`} close={() => setOpen(false)}>
          <Action
            call={{ method: 'PATCH', path, body: { path: name } }}
            label="Rename"
            cancel={() => setOpen(false)}
            done={renamed}
          >
            <Field name="path" label="New name" value={name} set={setName} />
          </Action>
        </Dialog>
      )}
    </>
  );
}
