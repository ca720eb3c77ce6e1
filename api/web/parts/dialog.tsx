import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';

type Props = { title: string; close: () => void; children: ComponentChildren };

/** Modal dialog, shown while it is rendered. The browser keeps the focus in it, and restores the focus afterwards. */
export function Dialog({ title, close, children }: Props) {
  const ref = useRef<HTMLDialogElement>(null);
  const name = useId();
  // A dialog that is removed before it is closed restores no focus. The end of a layout effect comes before the removal.
  useLayoutEffect(() => {
    const dialog = ref.current;
    dialog?.showModal();
    return () => dialog?.close();
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
