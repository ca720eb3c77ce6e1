import './accounts.css';
import { useState } from 'preact/hooks';
import type { Account } from '../client/shapes.ts';
import { usePage } from '../page.ts';
import { Form } from '../parts/action.tsx';
import { size } from '../parts/size.ts';
import { Listing, Managed } from './listing.tsx';
import { Mailboxes } from './mailboxes.tsx';
import { Delete } from './removal.tsx';
import { Switch } from './switch.tsx';

type Props = { account: Account };

const mebibyte = 2 ** 20;

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
  const path = pathOf(account);
  return (
    <>
      <Switch
        label="Active"
        help="An inactive account answers 450: senders try again later."
        on={account.is_active}
        disabled={isManaged(account)}
        path={path}
        field="is_active"
      />
      <Switch
        label="Catch-all"
        help="Takes mail for every address of its domain that no account has."
        on={account.is_catch_all}
        disabled={isManaged(account)}
        path={path}
        field="is_catch_all"
      />
      <CaptureSwitch account={account} />
      {!isManaged(account) && (
        <>
          <Quota account={account} />
          <AccountPassword account={account} />
        </>
      )}
      <Delete
        name={account.address}
        path={path}
        loss="Its mailboxes and messages go with it."
        disabled={isManaged(account)}
        done={reloadDirectory}
      />
    </>
  );
}

/** Switch that makes an account the capture account of its team. Under `sandpost dev` one account captures whatever anybody writes. */
export function CaptureSwitch({ account }: Props) {
  const { server } = usePage();
  if (server.value === null || server.value.is_local) return null;
  return (
    <Switch
      label="Capture"
      help="Takes what applications that sign in write to addresses that are not yours. One account can."
      on={account.is_capture}
      disabled={isManaged(account)}
      path={pathOf(account)}
      field="is_capture"
    />
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
