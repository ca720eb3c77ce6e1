import type { Problem } from '../client/shapes.ts';
import { DialogForm } from '../parts/dialog.tsx';

type Props = {
  /** Name of what is deleted. */
  name: string;
  path: string;
  /** True if the name has to be typed before, as the loss is great. */
  typed?: boolean;
  disabled?: boolean;
  act?: 'Delete' | 'Revoke' | 'Remove' | 'Leave';
  /** Name of the button. */
  label?: string;
  /** Question of the dialog, its answer, and what goes with it, in words. */
  title?: string;
  verb?: string;
  loss: string;
  explain?(problem: Problem): string | undefined;
  done(): unknown;
};

/** Button that deletes something after a question. */
export function Removal({
  name,
  path,
  typed = false,
  disabled = false,
  loss,
  explain,
  done,
  ...words
}: Props) {
  const { act = 'Delete', label = `${act} ${name}`, title = `${act} ${name}?` } = words;
  const { verb = act } = words;
  return (
    <DialogForm
      look="danger"
      text={`${act}…`}
      {...{ label, title, disabled }}
      form={{
        fields: typed ? [{ name: 'confirmation', label: `Type ${name} to confirm` }] : [],
        call: () => ({ method: 'DELETE', path }),
        label: verb,
        look: 'danger',
        lead: <p>{typed ? `${loss} This cannot be undone.` : loss}</p>,
        disabled: ({ confirmation }) => typed && confirmation.trim().toLowerCase() !== name.toLowerCase(),
        explain,
        done: () => afterRemoval(done),
      }}
    />
  );
}

/** Calls `done`, then focuses the page's main part: the focused button is gone, and Tab would begin at the page's start. */
export async function afterRemoval(done: () => unknown): Promise<void> {
  await done();
  document.querySelector('main')?.focus();
}
