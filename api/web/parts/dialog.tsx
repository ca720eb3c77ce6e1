import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Form, type FormProps } from './form.tsx';

type Props = { title: string; close: () => void; children: ComponentChildren };

/** Modal dialog, shown while it is rendered. The browser keeps the focus in it, and restores the focus afterwards. */
export function Dialog({ title, close, children }: Props) {
  const ref = useRef<HTMLDialogElement>(null);
  const name = useId();
  // A dialog that is removed before it is closed restores no focus. The end of a layout effect comes before the removal.
  useLayoutEffect(() => {
    const dialog = ref.current;
    if (dialog === null) return;
    dialog.showModal();
    // The browser would choose a link above the fields, and scrolls down to a button below a long text. Many need no other choice than
    // that of the start.
    const find = (one: string) => dialog.querySelector<HTMLElement>(`.action :is(${one})`);
    (find('input, textarea, select[required]') ?? find('[type=submit]'))?.focus();
    dialog.scrollTop = 0;
    return () => dialog.close();
  }, []);
  return (
    // The event of a dialog that has been taken away comes late, when the next one may be open.
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
  /** Text of the button. */
  text: string;
  /** Name of the button for screen readers. */
  label: string;
  /** Look of the button. */
  look?: 'main' | 'danger';
  disabled?: boolean | undefined;
  /** Title of the dialog. */
  title: string;
  form: FormProps<T, N>;
};

/** Button that opens a dialog with a form, which closes once its call has succeeded. */
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
