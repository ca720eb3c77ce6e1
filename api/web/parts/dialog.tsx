import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Form, type FormProps } from './form.tsx';

type Props = { title: string; close: () => void; children: ComponentChildren };

/** Modal dialog, open while it is rendered. The browser keeps the focus in it, and restores the focus afterward. */
export function Dialog({ title, close, children }: Props) {
  const ref = useRef<HTMLDialogElement>(null);
  const name = useId();
  // Closes the dialog before its removal, because a dialog that is removed while open does not restore the focus. A layout effect's
  // cleanup runs early enough.
  useLayoutEffect(() => {
    const dialog = ref.current;
    if (dialog === null) return;
    dialog.showModal();
    // The browser would focus a link above the fields, or scroll down to a button below a long text. Many dialogs need no input besides
    // the default.
    const find = (one: string) => dialog.querySelector<HTMLElement>(`.action :is(${one})`);
    (find('input, textarea, select[required]') ?? find('[type=submit]'))?.focus();
    dialog.scrollTop = 0;
    return () => dialog.close();
  }, []);
  return (
    // The event of a removed dialog arrives late, when the next dialog may be open.
    <dialog
      ref={ref}
      aria-labelledby={name}
      onClose={({ currentTarget }) => currentTarget.isConnected && close()}
    >
      <h2 id={name}>{title}</h2>
      {children}
    </dialog>
  );
}

type DialogFormProps<T, N extends string> = {
  /** Button text. */
  text: string;
  /** Button name for screen readers. */
  label: string;
  /** Style of the button. */
  look?: 'main' | 'danger';
  disabled?: boolean | undefined;
  title: string;
  form: FormProps<T, N>;
};

/** Button that opens a dialog with a form, which closes once its call succeeds. */
export function DialogForm<T, const N extends string>(props: DialogFormProps<T, N>) {
  const { text, label, look, disabled = false, title, form } = props;
  const [open, setOpen] = useState(false);
  const close = () => setOpen(false);
  const done: typeof form.done = (answer, values) => {
    close();
    return form.done(answer, values);
  };
  return (
    <>
      <button type="button" class={look} disabled={disabled} aria-label={label} onClick={() => setOpen(true)}>
        {text}
      </button>
      {open && (
        <Dialog title={title} close={close}>
          <Form {...form} cancel={close} done={done} />
        </Dialog>
      )}
    </>
  );
}
