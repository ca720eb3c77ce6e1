import { Icon, type IconName } from '../parts/icon.tsx';
import { goMail, mailPlace } from '../place.ts';
import type { FlagName } from '../place-url.ts';

/** Flags of the list's filter, with their keys. */
export const filterButtons: { flag: FlagName; icon: IconName; key: string; says: string }[] = [
  { flag: 'unread', icon: 'dot', key: 'v u', says: 'Only unread' },
  { flag: 'is_flagged', icon: 'flag', key: 'v f', says: 'Only flagged' },
  { flag: 'has_attachments', icon: 'clip', key: 'v a', says: 'Only with attachments' },
];

/** Turns a filter on or off. */
export function toggleFilter(flag: FlagName): void {
  goMail({ [flag]: !mailPlace.value[flag], message: null, tab: null });
}

export function Filters() {
  return (
    <div class="filters" role="toolbar" aria-label="Filters">
      {filterButtons.map(({ flag, icon, key, says }) => (
        <button
          key={flag}
          type="button"
          class="quiet icon"
          aria-pressed={mailPlace.value[flag]}
          aria-label={says}
          title={`${says} (${key})`}
          onClick={() => toggleFilter(flag)}
        >
          <Icon name={icon} />
        </button>
      ))}
    </div>
  );
}
