import './toast.css';
import { usePage } from '../page.ts';
import { number } from './size.ts';

/** Toasts of the page, one below the other. Screen readers do not announce progress, because each step would interrupt them. */
export function Toasts() {
  const { toasts, treeWidth, works } = usePage();
  return (
    <div class="stack toasts" style={{ '--tree': `${treeWidth.value}px` }}>
      {works.value.map(({ id, text, done, total, stop }) => (
        <div class="line apart toast" key={id}>
          <span>
            {text}: {number(done)} of {number(total)}
          </span>
          <progress aria-label={text} value={done} max={total} />
          <button type="button" onClick={stop}>
            Stop
          </button>
        </div>
      ))}
      <div class="stack toasts-said" role="status">
        {toasts.value.map(({ id, text, action }) => (
          <div class="line apart toast" key={id}>
            <span>{text}</span>
            {action && (
              <button type="button" onClick={action.run}>
                {action.name}
              </button>
            )}
          </div>
        ))}
      </div>
    </div>
  );
}
