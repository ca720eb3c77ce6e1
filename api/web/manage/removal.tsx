import type { Problem } from '../client/shapes.ts';
import { DialogButton } from '../parts/dialog.tsx';
import { Form } from '../parts/form.tsx';

type Props = {
  /** Text and name of the button. */
  text: string;
  label: string;
  disabled?: boolean;
  /** Question of the dialog, its answer, and what goes with it, in words. */
  title: string;
  verb: string;
  loss: string;
  path: string;
  /** Name that has to be typed before. */
  typed?: string;
  explain?: (problem: Problem) => string | undefined;
  done(): unknown;
};

/** Button that deletes something after a question. */
export function Removal({ text, label, disabled = false, title, verb, loss, path, typed, ...rest }: Props) {
  const { explain, done } = rest;
  return (
    <DialogButton danger text={text} label={label} disabled={disabled} title={title}>
      {(cancel) => (
        <Form
          call={() => ({ method: 'DELETE', path })}
          label={verb}
          look="danger"
          lead={<p>{loss}</p>}
          fields={typed === undefined ? [] : [{ name: 'confirmation', label: `Type ${typed} to confirm` }]}
          disabled={({ confirmation }) => !isTyped(typed, confirmation)}
          cancel={cancel}
          explain={explain}
          done={() => afterRemoval(done)}
        />
      )}
    </DialogButton>
  );
}

const isTyped = (wanted: string | undefined, text = '') =>
  wanted === undefined || text.trim().toLowerCase() === wanted.toLowerCase();

type DeleteProps = { name: string; path: string; loss: string; disabled?: boolean; done(): unknown };

/** Button that deletes something for good once its name has been typed. */
export function Delete({ name, loss, ...rest }: DeleteProps) {
  return (
    <Removal
      text="Delete…"
      label={`Delete ${name}`}
      title={`Delete ${name}?`}
      verb="Delete for good"
      loss={`${loss} This cannot be undone.`}
      typed={name}
      {...rest}
    />
  );
}

/** Calls `done`, then focuses the page's main part: the focused button is gone, and Tab would begin at the page's start. */
export async function afterRemoval(done: () => unknown): Promise<void> {
  await done();
  document.querySelector('main')?.focus();
}
