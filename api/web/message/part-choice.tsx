import { usePage } from '../page.ts';
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
  const chosen = {
    get value() {
      return choices.find(([name]) => name === part)?.[0] ?? choices[0]?.[0] ?? '';
    },
    set value(tab: string) {
      goMail({ tab });
    },
  };
  return <Segments label="View" choices={choices} chosen={chosen} />;
}
