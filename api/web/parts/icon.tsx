/** Strokes on a 16-unit grid. Each icon is next to a word, or its button has a name. */
const paths = {
  inbox: 'M2 9.5 4 3h8l2 6.5V13H2zM2 9.5h3.5l1 2h3l1-2H14',
  folder: 'M2 4h4l1.5 1.5H14V13H2z',
  sent: 'M14 2 2 7l5 2 2 5zM7 9l4-4',
  trash: 'M2.5 4.5h11M6 4V2.5h4V4M4 4.5l.7 9h6.6l.7-9M6.7 7v4M9.3 7v4',
  junk: 'M8 2l6 11H2zM8 6.5v3M8 11.2v.3',
  refused: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM3.8 3.8l8.4 8.4',
  dot: 'M8 12.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9z',
  flag: 'M4 14V2.5h8l-2 3 2 3H4',
  clip: 'M12.5 7.5l-5 5a3 3 0 0 1-4.2-4.2l5.3-5.3a2 2 0 0 1 2.8 2.8l-5 5a1 1 0 0 1-1.4-1.4l4.3-4.3',
  search: 'M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10zM10.5 10.5 14 14',
  close: 'M4 4l8 8M12 4l-8 8',
  back: 'M10 3 5 8l5 5',
  down: 'M4 6l4 4 4-4',
  up: 'M4 10l4-4 4 4',
  right: 'M6 4l4 4-4 4',
  copy: 'M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3',
  open: 'M9 2.5h4.5V7M13.5 2.5l-6 6M11.5 9.5v4h-9v-9h4',
  check: 'M3 8.5 6.5 12 13 4.5',
  download: 'M8 2v8M4.5 7 8 10.5 11.5 7M2.5 13.5h11',
  move: 'M2 4h4l1.5 1.5H14V13H2zM6 9.2h4M8.4 7.4l1.8 1.8-1.8 1.8',
  clock: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM8 4.5V8l2.5 1.5',
  mail: 'M2.5 4.5h11v8h-11zM2.5 5l5.5 4 5.5-4',
  mailOpen: 'M2.5 6.5 8 3l5.5 3.5v6h-11zM2.5 7 8 10.5 13.5 7',
  menu: 'M2.5 4.5h11M2.5 8h11M2.5 11.5h11',
  settings: 'M2.5 5h6M11.5 5h2M2.5 11h2M7.5 11h6M10 3.5v3M6 9.5v3',
  bell: 'M3.5 11.5h9l-1.2-2V7a3.3 3.3 0 0 0-6.6 0v2.5zM6.7 13.5h2.6',
  compose: 'M3 13l.7-3L11 2.7l2.3 2.3L6 12.3z',
  sun: 'M8 11a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM8 1.5V3M8 13v1.5M1.5 8H3M13 8h1.5M3.4 3.4l1 1M11.6 11.6l1 1M12.6 3.4l-1 1M4.4 11.6l-1 1',
  people:
    'M6 8a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zM1.5 13.5a4.5 4.5 0 0 1 9 0M10.5 3.2a2.5 2.5 0 0 1 0 4.6M12 9.7a4.5 4.5 0 0 1 2.5 3.8',
  tag: 'M2.5 2.5h5l6 6-5 5-6-6zM5.2 5.2h.1',
  conversation: 'M2.5 3h8v5.5h-5L2.5 11zM12.5 6h1v7l-2.5-2H7',
  help: 'M6 6a2 2 0 1 1 2.8 1.9c-.5.2-.8.6-.8 1.1v.5M8 12v.2M8 14.5A6.5 6.5 0 1 0 8 1.5a6.5 6.5 0 0 0 0 13z',
} as const;

export type IconName = keyof typeof paths;

export function Icon({ name, size = 16 }: { name: IconName; size?: number }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      stroke-width="1.4"
      stroke-linecap="round"
      stroke-linejoin="round"
      aria-hidden="true"
    >
      <path d={paths[name]} />
    </svg>
  );
}

type ButtonProps = {
  icon: IconName;
  /** Button name for screen readers, and the button's title unless another is given. */
  label: string;
  title?: string;
  /** Further classes. */
  look?: string;
  pressed?: boolean;
  /** Word next to the icon, if there is room. */
  word?: string;
  run(): unknown;
};

type LinkProps = Pick<ButtonProps, 'icon' | 'label' | 'look'> & { href: string };

/** Link without text, drawn as an icon button. */
export const IconLink = ({ icon, label, look = '', href }: LinkProps) => (
  <a class={`button quiet icon ${look}`.trim()} href={href} aria-label={label} title={label}>
    <Icon name={icon} />
  </a>
);

/** Button drawn as an icon. */
export const IconButton = ({ icon, label, title = label, look = '', pressed, word, run }: ButtonProps) => (
  <button
    type="button"
    class={`quiet icon ${look}`.trim()}
    aria-pressed={pressed}
    aria-label={label}
    title={title}
    onClick={() => void run()}
  >
    <Icon name={icon} />
    {word && <span>{word}</span>}
  </button>
);
