import type { Account, Mailbox } from '../client/shapes.ts';
import { usePage } from '../page.ts';
import { nameOf } from '../panes/branches.ts';
import { Form } from '../parts/action.tsx';
import { DialogButton } from '../parts/dialog.tsx';
import { Delete } from './removal.tsx';

/** Mailboxes of an account. The five system mailboxes are fixed. */
export function Mailboxes({ account }: { account: Account }) {
  const { mayWrite, reloadDirectory } = usePage();
  const base = `/api/accounts/${account.id}/mailboxes`;
  return (
    <section aria-label={`Mailboxes of ${account.address}`}>
      <ul class="rows">
        {account.mailboxes.map((mailbox) => (
          <MailboxRow key={mailbox.id} mailbox={mailbox} path={`${base}/${mailbox.id}`} />
        ))}
      </ul>
      {mayWrite.value && (
        <Form
          fields={[{ name: 'path', label: 'New mailbox' }]}
          call={(body) => ({ method: 'POST', path: base, body })}
          label="Add mailbox"
          look="beside"
          done={reloadDirectory}
        />
      )}
    </section>
  );
}

function MailboxRow({ mailbox, path }: { mailbox: Mailbox; path: string }) {
  const { mayWrite, reloadDirectory } = usePage();
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
          <DialogButton text="Rename…" label={`Rename ${mailbox.path}`} title={`Rename ${mailbox.path}`}>
            {(close) => (
              <Form
                fields={[{ name: 'path', label: 'New name', start: mailbox.path }]}
                call={(body) => ({ method: 'PATCH', path, body })}
                label="Rename"
                cancel={close}
                done={() => {
                  close();
                  return reloadDirectory();
                }}
              />
            )}
          </DialogButton>
          <Delete name={mailbox.path} path={path} loss="Its messages go with it." done={reloadDirectory} />
        </>
      )}
    </li>
  );
}
