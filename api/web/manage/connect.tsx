import { useState } from 'preact/hooks';
import type { Account } from '../client/shapes.ts';
import { usePage } from '../page.ts';
import { Field } from '../parts/field.tsx';
import { Form } from '../parts/form.tsx';
import { allMail } from '../place-url.ts';
import { Lines, TestLines } from '../start/lines.tsx';
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
              any address, with any user name and password or none.
            </p>
          )}
          <Lines address={account.address.replace(/^\*/, 'anything')} />
          {mayWrite.value && (
            <>
              <Switch of={capture} item={account} path={pathOf(account)} disabled={isManaged(account)} />
              <TestMail key={account.id} account={account} />
            </>
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

function TestMail({ account }: { account: Account }) {
  const { linkTo } = usePage();
  const [isSent, setIsSent] = useState(false);
  const inbox = account.mailboxes.find(({ path }) => path === 'INBOX');
  if (account.address.startsWith('*@') || !inbox) return null;
  const place = { ...allMail, account: account.id, mailbox: inbox.id };
  return (
    <Form
      panel="Test mail"
      call={() => ({
        method: 'POST',
        path: `/api/accounts/${account.id}/messages/send`,
        body: testMail(account.address),
      })}
      label="Send me a test mail"
      done={() => setIsSent(true)}
    >
      <p role="status">
        {isSent && (
          <>
            It has arrived: <a href={linkTo(place)}>open the inbox</a>.
          </>
        )}
      </p>
    </Form>
  );
}

/** Mail of the button "Send me a test mail": it has a code and a link, so that there is something to see. */
function testMail(address: string): object {
  return {
    to: [address],
    subject: 'Welcome to Sandpost',
    text: [
      'This mail came through the sandbox.',
      '',
      'Your code is 493817.',
      '',
      'Confirm your address: https://app.example/verify?token=493817',
    ].join('\n'),
    html: `<div style="font: 16px/1.5 sans-serif; max-width: 32em; margin: 0 auto; padding: 24px">
<h1 style="font-size: 22px">It works</h1>
<p>This mail came through the sandbox. Your code is <strong>493817</strong>.</p>
<p><a href="https://app.example/verify?token=493817">Confirm your address</a></p>
</div>`,
  };
}
