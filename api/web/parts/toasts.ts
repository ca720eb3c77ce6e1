import { signal } from '@preact/signals';

type Toast = { id: number; text: string; action?: { name: string; run(): void } };

/** Short texts at the foot of the page. */
export function createToasts() {
  const toasts = signal<Toast[]>([]);
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
  return { toasts, tell };
}

export type Toasts = ReturnType<typeof createToasts>;
