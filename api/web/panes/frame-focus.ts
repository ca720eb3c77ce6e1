/**
 * Takes the focus back from the frame of a mail. A sandboxed frame without scripts swallows all keys pressed while it has
 * the focus, and a click into the mail gives it the focus. Scrolling with the wheel and selecting text work without it.
 * Ctrl gives the focus to the frame for a moment, so that Ctrl+C copies the text selected there. A frame that was reached by
 * Tab keeps the focus, so that it can be scrolled and its links followed. So does the frame of a mail with fields: the page cannot
 * tell a click on a field from another, and text typed after it would be shortcuts, which delete mail. Returns the function that
 * ends this.
 */
export function keepKeysFromFrame(): () => void {
  let before: HTMLElement | null = null;
  let tabbed = false;
  let clickedFrame: HTMLElement | null = null;
  let lentUntil = 0;

  const frameInFocus = () => {
    const element = document.activeElement;
    return element instanceof HTMLElement && element.matches('iframe.message-frame') ? element : null;
  };
  const takeBack = () => {
    const frame = frameInFocus();
    if (frame === null || tabbed || frame.matches('.keeps-keys')) return;
    const left = lentUntil - Date.now();
    if (left > 0) return void setTimeout(takeBack, left);
    clickedFrame = frame;
    const target = before?.isConnected ? before : document.querySelector<HTMLElement>('.list');
    target?.focus({ preventScroll: true });
  };
  const blurred = () => setTimeout(takeBack);
  const focusin = ({ target }: FocusEvent) => {
    if (target instanceof HTMLElement && !target.matches('iframe')) before = target;
  };
  const pressed = ({ key }: KeyboardEvent) => {
    tabbed = key === 'Tab';
    if ((key !== 'Control' && key !== 'Meta') || !clickedFrame?.isConnected) return;
    lentUntil = Date.now() + lendMs;
    clickedFrame.focus({ preventScroll: true });
  };
  const clicked = () => {
    tabbed = false;
    clickedFrame = null;
  };
  const end = new AbortController();
  const { signal } = end;
  addEventListener('blur', blurred, { signal });
  document.addEventListener('focusin', focusin, { signal });
  addEventListener('keydown', pressed, { capture: true, signal });
  addEventListener('pointerdown', clicked, { capture: true, signal });
  return () => end.abort();
}

/** Time in ms to press another key with Ctrl. */
const lendMs = 1500;
