import './sign-in.css';
import { Brand } from './brand.tsx';

/** Page of an address that does not exist. */
export function Nowhere() {
  return (
    <main class="sign-in">
      <Brand />
      <div role="alert">
        <h2>Nothing here</h2>
        <p class="muted">
          There is no page at <code>{location.pathname}</code>.
        </p>
      </div>
      <a class="button main" href="/">
        Go to your mail
      </a>
    </main>
  );
}
