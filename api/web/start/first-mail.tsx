import { useEffect, useState } from 'preact/hooks';
import type { Account } from '../client/shapes.ts';
import { usePage } from '../page.ts';
import { Form } from '../parts/form.tsx';
import { allMail } from '../place-url.ts';
import { anyOf, Lines } from './lines.tsx';

/** Content of the list until the first email arrives: the host and port, a line to copy, and a button that sends an email. */
export function FirstMail() {
  const { directory, linkToPage, readServer } = usePage();
  useEffect(() => void readServer().catch(() => {}), []);
  const account = directory.value?.accounts[0];
  if (!account) return null;
  return (
    <>
      <div class="wrap">
        <p class="line grow muted dot good awaited">Waiting for email…</p>
        <TestMail account={account} />
      </div>
      <Lines address={anyOf(account)} />
      <p>
        <a href={linkToPage('connect')}>Connect an application or a test</a>
      </p>
    </>
  );
}

/**
 * Button that sends an email to an account, from the account itself or, for a catch-all, from another account. Absent if there is no
 * sender.
 */
export function TestMail({ account }: { account: Account }) {
  const { directory, linkTo, mayWrite } = usePage();
  const [isSent, setIsSent] = useState(false);
  const isSender = ({ address }: Account) => !address.startsWith('*');
  const from = isSender(account) ? account : directory.value?.accounts.find(isSender);
  if (!from || !mayWrite.value) return null;
  return (
    <Form
      call={() => ({
        method: 'POST',
        path: `/api/accounts/${from.id}/messages/send`,
        body: testMail(anyOf(account)),
      })}
      label="Send a test email"
      done={() => setIsSent(true)}
    >
      <p role="status">
        {isSent && (
          <>
            It arrived: <a href={linkTo(allMail)}>open all mail</a>.
          </>
        )}
      </p>
    </Form>
  );
}

/** Email that the button sends, with a code and a link to show. */
function testMail(address: string): object {
  const says = 'This email came through the sandbox. Your code is';
  const link = 'https://app.example/verify?token=493817';
  return {
    to: [address],
    subject: 'Welcome to Sandpost',
    text: `${says} 493817.\n\nConfirm your address: ${link}`,
    html: `<div style="font: 16px/1.5 sans-serif; max-width: 32em; margin: 0 auto; padding: 24px">
<h1 style="font-size: 22px">It works</h1>
<p>${says} <strong>493817</strong>.</p>
<p><a href="${link}">Confirm your address</a></p>
</div>`,
  };
}
