import { useState } from 'preact/hooks';
import { usePage } from '../page.ts';
import { Field } from '../parts/field.tsx';
import { TestMail } from '../start/first-mail.tsx';
import { anyOf, Lines, TestLines } from '../start/lines.tsx';
import { capture, pathOf } from './accounts.tsx';
import { isManaged } from './managed.tsx';
import { Switch } from './switch.tsx';

/** Page that shows how an application sends its mail here. */
export function Connect() {
  const { directory, linkToPage, mayWrite, server } = usePage();
  const isLocal = server.value?.is_local ?? false;
  const accounts = directory.value?.accounts ?? [];
  const [chosen, setChosen] = useState('');
  const account =
    accounts.find(({ address, is_capture }) => (isLocal ? is_capture : address === chosen)) ?? accounts[0];
  return (
    <>
      <h1>Connect an application</h1>
      {account ? (
        <>
          {accounts.length > 1 && !isLocal && (
            <Field
              name="account"
              label="Account"
              value={account.address}
              set={setChosen}
              choices={accounts.map(({ address }) => address)}
            />
          )}
          {isLocal && (
            <p>
              Sandpost runs on this machine, just for you. <strong>{account.address}</strong> receives mail to
              any address, with or without a user name and password.
            </p>
          )}
          <Lines address={anyOf(account)} />
          <TestMail key={account.id} account={account} />
          {mayWrite.value && (
            <Switch of={capture} item={account} path={pathOf(account)} disabled={isManaged(account)} />
          )}
          <TestLines account={account} />
        </>
      ) : (
        <p>
          You need an account to receive mail:{' '}
          {mayWrite.value ? <a href={linkToPage('accounts')}>create one</a> : 'this team has none yet'}.
        </p>
      )}
    </>
  );
}
