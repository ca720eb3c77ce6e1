import { signal } from '@preact/signals';

type Toast = { id: number; text: string; action?: { name: string; run(): void } };

/** Work on many things that is under way. `done` counts those of `total` that it has reached. */
type Progress = { id: number; text: string; done: number; total: number; stop(): void };

/** Short texts at the foot of the page. */
export function createToasts() {
  const toasts = signal<Toast[]>([]);
  /** Works that are under way. */
  const works = signal<Progress[]>([]);
  let next = 1;

  /**
   * Shows a text for `forMs`, politely to screen readers, with an action such as "Undo" beside it. Returns the function that
   * removes it earlier.
   */
  function tell(text: string, action?: Toast['action'], forMs = 5000): () => void {
    const id = next++;
    toasts.value = [...toasts.value, { id, text, ...(action === undefined ? {} : { action }) }];
    const away = () => {
      toasts.value = toasts.value.filter((toast) => toast.id !== id);
    };
    setTimeout(away, forMs);
    return away;
  }

  /** Shows how far a work has come, with a button that stops it. The caller asks whether it was pressed. */
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
