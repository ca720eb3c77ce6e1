import { useState } from 'preact/hooks';
import { Action } from '../parts/action.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Field } from '../parts/field.tsx';
import { afterRemoval } from './after-removal.ts';

type Props = {
  /** Name of the thing, which has to be typed. */
  name: string;
  path: string;
  /** Things that are deleted along with it, in words. */
  loss: string;
  disabled?: boolean;
  done(): unknown;
};

/** Form that deletes a thing once its name has been typed. */
export function Delete({ name, path, loss, disabled = false, done }: Props) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <button
        type="button"
        class="danger"
        disabled={disabled}
        aria-label={`Delete ${name}`}
        onClick={() => setOpen(true)}
      >
        Delete…
      </button>
      {open && (
        <Dialog title={`Delete ${name}?`} close={() => setOpen(false)}>
          <Confirmation name={name} path={path} loss={loss} done={done} cancel={() => setOpen(false)} />
        </Dialog>
      )}
    </>
  );
}

function Confirmation({ name, path, loss, done, cancel }: Props & { cancel(): void }) {
  const [typed, setTyped] = useState('');
  return (
    <Action
      call={{ method: 'DELETE', path }}
      label="Delete for good"
      look="danger"
      disabled={typed.trim().toLowerCase() !== name.toLowerCase()}
      cancel={cancel}
      done={() => afterRemoval(done)}
    >
      <p>{loss} This cannot be undone.</p>
      <Field name="confirmation" label={`Type ${name} to confirm`} value={typed} set={setTyped} />
    </Action>
  );
}
