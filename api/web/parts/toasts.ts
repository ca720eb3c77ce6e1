import { signal } from '@preact/signals';

type Toast = { id: number; text: string; action?: { name: string; run(): void } };

/** Ongoing work on many items. `done` of `total` items are complete. */
type Progress = { id: number; text: string; done: number; total: number; stop(): void };

/** Creates the short texts at the bottom of the page. */
export function createToasts() {
  const toasts = signal<Toast[]>([]);
  /** Ongoing work. */
  const works = signal<Progress[]>([]);
  let next = 1;

  /**
   * Shows a text for `forMs`, which screen readers announce politely, with an action such as "Undo" next to it. Returns a function that
   * removes the text earlier.
   */
  function tell(text: string, action?: Toast['action'], forMs = 5000): () => void {
    const id = next++;
    const others = toasts.value.filter((toast) => action || toast.text !== text);
    toasts.value = [...others, { id, text, ...(action === undefined ? {} : { action }) }];
    const away = () => {
      toasts.value = toasts.value.filter((toast) => toast.id !== id);
    };
    setTimeout(away, forMs);
    return away;
  }

  /** Shows a task's progress, with a stop button. The caller checks whether the button was pressed. */
  function tellProgress(text: string, total: number) {
    const id = next++;
    let stopped = false;
    const stop = () => {
      stopped = true;
    };
    works.value = [...works.value, { id, text, done: 0, total, stop }];
    return {
      isStopped: () => stopped,
      reach(done: number) {
        works.value = works.value.map((work) => (work.id === id ? { ...work, done } : work));
      },
      end() {
        works.value = works.value.filter((work) => work.id !== id);
      },
    };
  }
  return { toasts, works, tell, tellProgress };
}

export type Toasts = ReturnType<typeof createToasts>;
