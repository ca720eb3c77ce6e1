import './status.css';
import { usePage } from '../page.ts';
import type { Theme } from '../parts/appearance.ts';
import { Icon, IconButton } from '../parts/icon.tsx';

const says = {
  connecting: ['Connecting', 'warning'],
  open: ['Live', 'good'],
  lost: ['Reconnecting', 'danger'],
};
const next: Record<Theme, Theme> = { auto: 'light', light: 'dark', dark: 'auto' };
const themeNames: Record<Theme, string> = { auto: 'system', light: 'light', dark: 'dark' };

/** Bar across the page while the connection is lost. Short interruptions stay hidden (lost-bar in status.css). */
export function LostBar() {
  const { connection } = usePage();
  return (
    <div role="status">
      {connection.value === 'lost' && (
        <p class="across tone warning lost-bar">Connection lost. New mail appears as soon as it's back.</p>
      )}
    </div>
  );
}

/** Bottom of the left pane: connection state and settings. */
export function Status() {
  const { canNotify, chooseNotifying, connection, linkToPage, mail, notifying, theme, waiting } = usePage();
  const state = connection.value;
  const [word, tone] = says[state];
  const nextTheme = () => {
    theme.value = next[theme.value];
  };
  const colors = `Colors: ${themeNames[theme.value]}`;
  return (
    <div class="line wrap keep status">
      <a class="way" href={linkToPage('domains')} title="Domains, accounts, keys">
        <Icon name="settings" /> Manage
      </a>
      <span class={`line small dot ${tone} connection ${state}`} role="status">
        {waiting.value > 0 ? 'Waiting for the rate limit' : word}
      </span>
      <span class="status-buttons">
        {canNotify && (
          <IconButton
            icon="bell"
            label="Notify me of new mail"
            look={notifying.value ? 'on' : ''}
            pressed={notifying.value}
            run={() => chooseNotifying(!notifying.value)}
          />
        )}
        <IconButton icon="sun" label={colors} run={nextTheme} />
        <IconButton
          icon="help"
          label="Keyboard shortcuts"
          title="Keyboard shortcuts (?)"
          run={mail.askForHelp}
        />
      </span>
    </div>
  );
}
