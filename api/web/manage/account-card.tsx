import { reloadDirectory } from '../client/directory.ts';
import type { Account } from '../client/shapes.ts';
import { mayWrite } from '../client/teams.ts';
import { AccountPassword } from './account-password.tsx';
import { CaptureSwitch } from './capture-switch.tsx';
import { Delete } from './delete.tsx';
import { Mailboxes } from './mailboxes.tsx';
import { Managed } from './managed.tsx';
import { Quota, QuotaBar } from './quota.tsx';
import { Switch } from './switch.tsx';

/** Card of an account: one line, which opens to its contents and actions. */
export function AccountCard({ account }: { account: Account }) {
  const path = `/api/accounts/${account.id}`;
  const fixed = account.managed_by === 'kubernetes';
  return (
    <li>
      <details class="card">
        <summary>
          <span class="card-name">{account.address}</span>
          {fixed && <span class="badge">Kubernetes</span>}
          {account.is_catch_all && <span class="badge">catch-all</span>}
          {account.is_capture && <span class="badge">capture</span>}
          {!account.is_active && <span class="badge warning">inactive</span>}
          <QuotaBar account={account} />
        </summary>
        <div class="card-body">
          <Managed resource={account.managed_by_resource} kind="spacc" />
          <Mailboxes account={account} />
          {mayWrite.value && (
            <>
              <Switch
                label="Active"
                help="An inactive account answers 450: senders try again later."
                on={account.is_active}
                disabled={fixed}
                call={(on) => ({ method: 'PATCH', path, body: { is_active: on } })}
                done={reloadDirectory}
              />
              <Switch
                label="Catch-all"
                help="Takes mail for every address of its domain that no account has."
                on={account.is_catch_all}
                disabled={fixed}
                call={(on) => ({ method: 'PATCH', path, body: { is_catch_all: on } })}
                done={reloadDirectory}
              />
              <CaptureSwitch account={account} />
              {!fixed && <Quota account={account} />}
              {!fixed && <AccountPassword account={account} />}
              <Delete
                name={account.address}
                path={path}
                loss="Its mailboxes and messages go with it."
                disabled={fixed}
                done={reloadDirectory}
              />
            </>
          )}
        </div>
      </details>
    </li>
  );
}
