import './accounts.css';
import { useState } from 'preact/hooks';
import type { Account, Mailbox } from '../client/shapes.ts';
import { usePage } from '../page.ts';
import { nameOf } from '../panes/branches.ts';
import { DialogButton } from '../parts/dialog.tsx';
import { Form } from '../parts/form.tsx';
import { lazy } from '../parts/lazy.tsx';
import { size } from '../parts/size.ts';
import { Listing, Managed } from './listing.tsx';
import { Delete } from './removal.tsx';
import { Switch } from './switch.tsx';

type Props = { account: Account };

const mebibyte = 2 ** 20;

const FailingAddresses = lazy(async () => (await import('./failing-addresses.tsx')).default);

/** Page of the team's accounts: their fill levels, mailboxes and actions. */
export function Accounts() {
  const { directory, mayWrite, reloadDirectory } = usePage();
  const domain = directory.value?.domains[0]?.domain ?? 'app.test';
  const help = `Such as qa@${domain}, or *@${domain} for every address that no account has`;
  return (
    <>
      <h1>Accounts</h1>
      {mayWrite.value && (
        <Form
          panel="New account"
          fields={[{ name: 'address', label: 'New account', help }]}
          call={({ address }) => ({
            method: 'POST',
            path: '/api/accounts',
            body: { address: address.trim() },
          })}
          label="Add account"
          done={reloadDirectory}
        />
      )}
      <Listing plural="accounts" items={directory.value?.accounts ?? []} nameOf={({ address }) => address}>
        {(account) => <AccountCard key={account.id} account={account} />}
      </Listing>
    </>
  );
}

/** Card of an account: one line, which opens to its contents and actions. */
function AccountCard({ account }: Props) {
  const { mayWrite } = usePage();
  return (
    <li>
      <details class="card">
        <summary>
          <span class="card-name">{account.address}</span>
          {isManaged(account) && <span class="badge">Kubernetes</span>}
          {account.is_catch_all && <span class="badge">catch-all</span>}
          {account.is_capture && <span class="badge">capture</span>}
          {!account.is_active && <span class="badge warning">inactive</span>}
          <QuotaBar account={account} />
        </summary>
        <div class="card-body">
          <Managed resource={account.managed_by_resource} kind="spacc" />
          <Mailboxes account={account} />
          {account.simulates_failures && <FailingAddresses account={account} />}
          {mayWrite.value && <Acts account={account} />}
        </div>
      </details>
    </li>
  );
}

const isManaged = ({ managed_by }: Account) => managed_by === 'kubernetes';
const pathOf = ({ id }: Account) => `/api/accounts/${id}`;

function Acts({ account }: Props) {
  const { reloadDirectory } = usePage();
  return (
    <>
      <AccountSwitch account={account} field="is_active" />
      <AccountSwitch account={account} field="is_catch_all" />
      <CaptureSwitch account={account} />
      <AccountSwitch account={account} field="simulates_failures" />
      {!isManaged(account) && (
        <>
          <Quota account={account} />
          <AccountPassword account={account} />
        </>
      )}
      <Delete
        name={account.address}
        path={pathOf(account)}
        loss="Its mailboxes and messages go with it."
        disabled={isManaged(account)}
        done={reloadDirectory}
      />
    </>
  );
}

const switches = {
  is_active: ['Active', 'An inactive account answers 450: senders try again later.'],
  is_catch_all: ['Catch-all', 'Takes mail for every address of its domain that no account has.'],
  is_capture: [
    'Capture',
    'Takes what applications that sign in write to addresses that are not yours. One account can.',
  ],
  simulates_failures: [
    'Simulates failures',
    'Mail to name+fail-550@ and the like fails as the address says.',
  ],
} as const;

function AccountSwitch({ account, field }: Props & { field: keyof typeof switches }) {
  const [label, help] = switches[field];
  const { [field]: on } = account;
  return <Switch {...{ label, help, on, field }} disabled={isManaged(account)} path={pathOf(account)} />;
}

/**
 * Switch that makes an account the capture account of its team. Under `sandpost dev` one account captures whatever anybody
 * writes.
 */
export function CaptureSwitch({ account }: Props) {
  const { server } = usePage();
  if (server.value === null || server.value.is_local) return null;
  return <AccountSwitch account={account} field="is_capture" />;
}

/** Mailboxes of an account. The five system mailboxes are fixed. */
function Mailboxes({ account }: Props) {
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

/** Bar of used bytes against the quota of an account. */
function QuotaBar({ account: { address, used_bytes: used, storage_limit: limit } }: Props) {
  const share = limit === 0 ? 1 : Math.min(1, used / limit);
  return (
    <span class="quota">
      <meter
        class="meter"
        aria-label={`Storage of ${address}`}
        min={0}
        max={1}
        low={0.8}
        high={0.95}
        optimum={0}
        value={share}
      />
      <span class="muted">
        {size(used)} of {size(limit)}
      </span>
    </span>
  );
}

/** Form that sets the quota of an account, in MiB. */
function Quota({ account }: Props) {
  const { reloadDirectory } = usePage();
  return (
    <Form
      fields={[
        {
          name: 'storage_limit',
          label: 'Storage limit, MiB',
          start: `${account.storage_limit / mebibyte}`,
        },
      ]}
      call={({ storage_limit }) => ({
        method: 'PATCH',
        path: pathOf(account),
        body: { storage_limit: bytesOf(storage_limit) },
      })}
      label="Set storage limit"
      look="beside"
      done={reloadDirectory}
    />
  );
}

/** Returns a number of MiB in bytes. Text that is no number is sent as typed: the API's refusal explains it. */
const bytesOf = (mebibytes: string) =>
  mebibytes.trim() === '' || Number.isNaN(Number(mebibytes))
    ? mebibytes
    : Math.round(Number(mebibytes) * mebibyte);

/** Form that sets the password of an account. A password is never shown again. */
function AccountPassword({ account }: Props) {
  const [isSet, setIsSet] = useState(false);
  return (
    <Form
      fields={[
        {
          name: 'password',
          label: 'New password of the account',
          type: 'password',
          autocomplete: 'new-password',
          help: '8 to 256 characters',
        },
      ]}
      call={(body) => ({ method: 'PATCH', path: pathOf(account), body })}
      label="Set password"
      look="beside"
      done={() => setIsSet(true)}
    >
      {isSet && <p role="status">The password is set.</p>}
    </Form>
  );
}
