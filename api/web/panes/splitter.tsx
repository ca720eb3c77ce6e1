import type { Signal } from '@preact/signals';

/** Width of a pane in pixels, between two bounds. */
type Props = { name: string; least: number; most: number; width: Signal<number> };

const step = 16;

/** Splitter between two panes. Dragging or the arrow keys resize the left one (WAI-ARIA's window splitter pattern). */
export function Splitter({ name, least, most, width }: Props) {
  const set = (pixels: number) => {
    width.value = Math.round(Math.max(least, Math.min(most, pixels)));
  };
  const dragged = (event: PointerEvent) => {
    if (event.button !== 0 || !(event.currentTarget instanceof HTMLElement)) return;
    event.preventDefault();
    const handle = event.currentTarget;
    // A narrow page shows the pane narrower than it was set.
    const start = (handle.previousElementSibling?.clientWidth ?? width.value) - event.clientX;
    const moved = ({ clientX }: PointerEvent) => set(start + clientX);
    handle.setPointerCapture(event.pointerId);
    handle.addEventListener('pointermove', moved);
    handle.addEventListener('lostpointercapture', () => handle.removeEventListener('pointermove', moved), {
      once: true,
    });
  };
  const pressed = (event: KeyboardEvent) => {
    const to: Record<string, number> = {
      ArrowLeft: width.value - step,
      ArrowRight: width.value + step,
      Home: least,
      End: most,
    };
    const pixels = to[event.key];
    if (pixels === undefined) return;
    event.preventDefault();
    set(pixels);
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a rule cannot be moved
    <div
      class="splitter"
      role="separator"
      aria-orientation="vertical"
      aria-label={name}
      aria-valuenow={width.value}
      aria-valuemin={least}
      aria-valuemax={most}
      tabIndex={0}
      onPointerDown={dragged}
      onKeyDown={pressed}
    />
  );
}
