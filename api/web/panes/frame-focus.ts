/**
 * Takes the focus back from an email's frame. A sandboxed frame without scripts swallows all keys while it has the focus, and a click
 * into the email moves the focus there. Scrolling with the wheel and selecting text work without focus. Ctrl briefly focuses the frame,
 * so Ctrl+C copies its selected text. A frame reached by Tab keeps the focus for scrolling and following links. The frame of an email
 * with fields also keeps it: the page cannot distinguish a click on a field from other clicks, and text typed afterward would otherwise
 * trigger shortcuts, some of which delete mail. Returns a function that stops this.
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

/** Time in ms in which another key can be pressed with Ctrl. */
const lendMs = 1500;
