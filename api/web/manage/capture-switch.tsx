import { reloadDirectory } from '../client/directory.ts';
import type { Account } from '../client/shapes.ts';
import { useLoaded } from '../message/use-loaded.ts';
import { readServer } from '../start/server.ts';
import { Switch } from './switch.tsx';

/** Switch that makes an account the capture account of its user. Under `sandpost dev` one account captures whatever anybody writes. */
export function CaptureSwitch({ account }: { account: Account }) {
  const server = useLoaded(readServer, []);
  if (server === null || 'error' in server || server.value.is_local) return null;
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
