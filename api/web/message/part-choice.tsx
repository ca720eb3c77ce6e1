import { useEffect } from 'preact/hooks';
import { usePage } from '../page.ts';
import { focusOn } from '../panes/keys.ts';
import { Segments } from '../parts/field.tsx';

/** Tabs of the parts that a URL can name. */
export const tabOfPart: Record<string, string> = {
  compare: 'html',
  markup: 'html',
  attachments: 'source',
  structure: 'source',
  transcript: 'source',
  request: 'source',
};

type Props = { choices: [part: string, name: string][]; part: string };

/** Choice between the parts of a tab, which the URL names. The first is the default. */
export function PartChoice({ choices, part }: Props) {
  const { goMail } = usePage();
  useEffect(() => {
    if (document.activeElement?.id === 'tab-panel') focusOn('#tab-panel :checked');
  }, [part]);
  const chosen = {
    get value() {
      return choices.find(([name]) => name === part)?.[0] ?? choices[0]?.[0] ?? '';
    },
    set value(tab: string) {
      // Most parts rebuild this choice, some only after a read. The panel keeps the focus until then.
      focusOn('#tab-panel');
      goMail({ tab });
    },
  };
  return <Segments label="View" choices={choices} chosen={chosen} />;
}
