import { Dialog } from '../parts/dialog.tsx';
import { allKeys } from './keys.ts';

/** Dialog that lists the keys. */
export function Help({ close }: { close: () => void }) {
  return (
    <Dialog title="Keys" close={close}>
      <dl class="keys">
        {allKeys().map(({ keys, says }) => (
          <div key={says}>
            <dt>{says}</dt>
            <dd>
              {keys.map((key, index) => (
                <span key={key}>
                  {index > 0 && <span class="muted"> or </span>}
                  {key.split(' ').map((one) => (
                    <kbd key={one}>{one}</kbd>
                  ))}
                </span>
              ))}
            </dd>
          </div>
        ))}
      </dl>
      <div class="dialog-foot">
        <button type="button" onClick={close}>
          Close
        </button>
      </div>
    </Dialog>
  );
}
