import { useState } from 'preact/hooks';
import { directory, reloadDirectory } from '../client/directory.ts';
import { mayWrite } from '../client/teams.ts';
import { Action } from '../parts/action.tsx';
import { Field } from '../parts/field.tsx';
import { AccountCard } from './account-card.tsx';
import { Listing } from './listing.tsx';

/** Page of the team's accounts: their fill levels, mailboxes and actions. */
export function Accounts() {
  return (
    <>
      <h1>Accounts</h1>
      {mayWrite.value && <NewAccount />}
      <Listing things="accounts" items={directory.value?.accounts ?? []} nameOf={({ address }) => address}>
        {(account) => <AccountCard key={account.id} account={account} />}
      </Listing>
    </>
  );
}

function NewAccount() {
  const [address, setAddress] = useState('');
  const domain = directory.value?.domains[0]?.domain ?? 'app.test';
  const added = () => {
    setAddress('');
    return reloadDirectory();
  };
  return (
    <section class="panel" aria-label="New account">
      <Action
        call={{ method: 'POST', path: '/api/accounts', body: { address: address.trim() } }}
        label="Add account"
        done={added}
      >
        <Field
          name="address"
          label="New account"
          value={address}
          set={setAddress}
          help={`Such as qa@${domain}, or *@${domain} for every address that no account has`}
        />
      </Action>
    </section>
  );
}
