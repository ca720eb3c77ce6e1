import { reloadDirectory } from '../client/directory.ts';
import type { Account } from '../client/shapes.ts';
import { Switch } from './switch.tsx';

/** Switch that makes an account the capture account of its user. */
export function CaptureSwitch({ account }: { account: Account }) {
  return (
    <Switch
      label="Capture"
      help="Takes what applications that sign in write to addresses that are not yours. One account can."
      on={account.is_capture}
      disabled={account.managed_by === 'kubernetes'}
      call={(on) => ({ method: 'PATCH', path: `/api/accounts/${account.id}`, body: { is_capture: on } })}
      done={reloadDirectory}
    />
  );
}
