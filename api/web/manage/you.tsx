import { useState } from 'preact/hooks';
import { usePage } from '../page.ts';
import type { Theme } from '../parts/appearance.ts';
import { Segments } from '../parts/field.tsx';
import { Form } from '../parts/form.tsx';
import { SignOut } from '../teams/switcher.tsx';

const themes: [Theme, string][] = [
  ['auto', 'Automatic'],
  ['light', 'Light'],
  ['dark', 'Dark'],
];

/** Page of the signed-in user: name, theme, password and sign-out. */
export function You() {
  const { server, session, theme } = usePage();
  // Sign-out and password do not apply to the visitor of `sandpost dev`, who is always signed in.
  const isLocal = server.value?.is_local ?? false;
  return (
    <>
      <h1>You</h1>
      <p>
        Signed in as <strong>{session.value?.email}</strong>
        {isLocal ? ', as is anyone who opens this page on this machine.' : '.'}
      </p>
      {!isLocal && (
        <div>
          <SignOut />
        </div>
      )}
      <section class="stack boxed panel" aria-label="Appearance">
        <h2>Appearance</h2>
        <Segments label="Appearance" choices={themes} chosen={theme} />
      </section>
      {!isLocal && <Password />}
    </>
  );
}

function Password() {
  const [changed, setChanged] = useState(false);
  return (
    <section class="stack boxed panel" aria-label="Change password">
      <h2>Password</h2>
      <Form
        fields={[
          {
            name: 'current_password',
            label: 'Current password',
            type: 'password',
            autocomplete: 'current-password',
          },
          {
            name: 'new_password',
            label: 'New password',
            type: 'password',
            autocomplete: 'new-password',
            help: '10 to 256 characters. Changing it ends your other sessions.',
          },
        ]}
        call={(body) => ({ method: 'POST', path: '/api/auth/password', body })}
        label="Change password"
        done={() => setChanged(true)}
      >
        <p role="status">{changed && 'Password changed. Your other sessions have ended.'}</p>
      </Form>
    </section>
  );
}
