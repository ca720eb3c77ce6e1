import './toast.css';
import { signal } from '@preact/signals';

type Toast = { id: number; text: string; action?: { name: string; run(): void } };

const toasts = signal<Toast[]>([]);
let next = 1;

/**
 * Shows a text at the foot of the page for `forMs`, politely to screen readers, with an action such as "Undo" beside it.
 * Returns the function that removes it earlier.
 */
export function tell(text: string, action?: Toast['action'], forMs = 5000): () => void {
  const id = next++;
  toasts.value = [...toasts.value, { id, text, ...(action === undefined ? {} : { action }) }];
  const away = () => {
    toasts.value = toasts.value.filter((toast) => toast.id !== id);
  };
  setTimeout(away, forMs);
  return away;
}

export function Toasts() {
  return (
    <div class="toasts" role="status">
      {toasts.value.map(({ id, text, action }) => (
        <div class="toast" key={id}>
          <span>{text}</span>
          {action && (
            <button type="button" onClick={action.run}>
              {action.name}
            </button>
          )}
        </div>
      ))}
    </div>
  );
}
