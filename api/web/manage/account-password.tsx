import { useState } from 'preact/hooks';
import type { Account } from '../client/shapes.ts';
import { Action } from '../parts/action.tsx';
import { Field } from '../parts/field.tsx';

/** Form that sets the password of an account. A password is never shown again. */
export function AccountPassword({ account }: { account: Account }) {
  const [password, setPassword] = useState('');
  const [isSet, setIsSet] = useState(false);
  return (
    <Action
      call={{ method: 'PATCH', path: `/api/accounts/${account.id}`, body: { password } }}
      label="Set password"
      look="beside"
      done={() => {
        setPassword('');
        setIsSet(true);
      }}
    >
      <Field
        name="password"
        label="New password of the account"
        type="password"
        autocomplete="new-password"
        value={password}
        set={setPassword}
        help="8 to 256 characters"
      />
      {isSet && <p role="status">The password is set.</p>}
    </Action>
  );
}
