import './checks-tab.css';
import type { AuditCheck, Message } from '../client/shapes.ts';
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
            <span>{detail}</span>
          </li>
        ))}
      </ul>
    </details>
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
