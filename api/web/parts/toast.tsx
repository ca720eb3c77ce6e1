import './toast.css';
import { usePage } from '../page.ts';

/** Toasts of the page, one below the other. */
export function Toasts() {
  const { toasts } = usePage();
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
