import './checks-tab.css';
import type { AuditCheck, Message } from '../client/shapes.ts';
import { usePage } from '../page.ts';
import type { Tone } from './results.ts';

type Lists = (readonly [Tone, AuditCheck[]])[];

/** Titled group of checks, most severe first, each shown once. Passed checks are collapsed because they need no action. */
export function Group({ title, of: lists }: { title: string; of: Lists }) {
  const checks = lists.flatMap(([tone, found]) => found.map((check) => ({ ...check, tone })));
  const [gravest] = checks;
  if (!gravest) return null;
  return (
    <details class={`check-group ${gravest.tone}`} open={gravest.tone !== 'good'}>
      <summary>
        <h2>
          {title} <span class="badge tab-count">{checks.length}</span>
        </h2>
      </summary>
      <ul class="stack">
        {checks.map(({ id, title, detail, tone }) => (
          <li key={id} class={`remark ${tone}`}>
            <strong>
              {tone === 'danger' && 'Critical: '}
              {title}
            </strong>
            <Detail of={detail} title={title} />
          </li>
        ))}
      </ul>
    </details>
  );
}

/** Sentence of a check, with a link to the line that it names. */
function Detail({ of: text, title }: { of: string; title: string }) {
  const [before = '', line, after] = text.split(/\bline (\d+)(?=\))/);
  return (
    <span>
      {before}
      {line && <LineLink line={Number(line)} title={title} />}
      {after}
    </span>
  );
}

type LineProps = { line: number; word?: string; title: string };

/** Link to the source of a line of the HTML. A long line scrolls to `word`. */
export function LineLink({ line, word = '', title }: LineProps) {
  const { linkTo, mailPlace } = usePage();
  return (
    <a href={linkTo({ ...mailPlace.value, tab: `markup-${line}-${word}` })}>
      line {line}
      <span class="hidden"> of the HTML: {title}</span>
    </a>
  );
}

type Problems = Pick<Message['audit']['checks'], 'critical' | 'warning'>;

/** Problems of the email itself that may keep it from reaching its reader. */
export const FixFirst = ({ of: { critical, warning } }: { of: Problems }) => (
  <Group
    title="Fix first"
    of={[
      ['danger', critical],
      ['warning', warning],
    ]}
  />
);
