import { useState } from 'preact/hooks';
import { reloadDirectory } from '../client/directory.ts';
import type { Account } from '../client/shapes.ts';
import { Action } from '../parts/action.tsx';
import { Field } from '../parts/field.tsx';
import { size } from '../parts/size.ts';

type Props = { account: Account };

const mebibyte = 2 ** 20;

/** Bar of used bytes against the quota of an account. */
export function QuotaBar({ account: { address, used_bytes: used, storage_limit: limit } }: Props) {
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
export function Quota({ account }: Props) {
  const [mebibytes, setMebibytes] = useState(`${account.storage_limit / mebibyte}`);
  // Text that is no number is sent as typed: the API's refusal explains it.
  const limit = mebibytes.trim() === '' || Number.isNaN(Number(mebibytes)) ? mebibytes : bytesOf(mebibytes);
  return (
    <Action
      call={{ method: 'PATCH', path: `/api/accounts/${account.id}`, body: { storage_limit: limit } }}
      label="Set storage limit"
      look="beside"
      done={reloadDirectory}
    >
      <Field name="storage_limit" label="Storage limit, MiB" value={mebibytes} set={setMebibytes} />
    </Action>
  );
}

const bytesOf = (mebibytes: string) => Math.round(Number(mebibytes) * mebibyte);
