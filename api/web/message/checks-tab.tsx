import './checks-tab.css';
import type { AuditCheck, Message, Severity } from '../client/shapes.ts';
import { CopyButton } from '../parts/copy-button.tsx';
import { type Tone, toneOf } from './results.ts';

const groups: [Severity, string, Tone][] = [
  ['critical', 'Critical', 'danger'],
  ['warning', 'Warnings', 'warning'],
  ['info', 'Worth knowing', 'plain'],
  ['passed', 'Passed', 'good'],
];

/** Tab of the results of SPF, DKIM, DMARC and ARC, and of the audit with one sentence of advice a check. */
export function ChecksTab({ message }: { message: Message }) {
  const { checks, authentication_results } = message.audit;
  return (
    <div class="checks">
      <Authentication message={message} />
      {groups.map(([severity, title, tone]) =>
        checks[severity].length === 0 ? null : (
          <Group key={severity} title={title} tone={tone} checks={checks[severity]} />
        ),
      )}
      <section aria-labelledby="results-title">
        <div class="panel-bar">
          <h2 id="results-title">Authentication-Results</h2>
          <CopyButton text={authentication_results} label="Copy Authentication-Results" />
        </div>
        <pre class="source">{authentication_results}</pre>
      </section>
    </div>
  );
}

function Authentication({ message: { spf, dkim, dmarc, arc } }: { message: Message }) {
  const rows: [name: string, result: string, domain: string | null, about: string][] = [
    ['SPF', spf.result, spf.domain, aboutSpf(spf)],
    ...dkim.map(({ result, domain, selector, aligned, info }): (typeof rows)[number] => [
      'DKIM',
      result,
      domain,
      [selector === null ? '' : `selector ${selector}`, aligned ? 'aligned' : 'not aligned', info ?? '']
        .filter((text) => text !== '')
        .join(', '),
    ]),
    [
      'DMARC',
      dmarc.result,
      dmarc.domain,
      `${dmarc.policy === null ? 'no policy' : `policy ${dmarc.policy}`}, ${aligned(dmarc)}`,
    ],
    ['ARC', arc.result, null, ''],
  ];
  if (dkim.length === 0) rows.splice(1, 0, ['DKIM', 'none', null, 'not signed']);
  return (
    <table class="results">
      <thead>
        <tr>
          <th scope="col">Check</th>
          <th scope="col">Result</th>
          <th scope="col">Domain</th>
          <th scope="col">Details</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(([name, result, domain, about], at) => (
          <tr key={at}>
            <th scope="row">{name}</th>
            <td>
              <Chip result={result} tone={toneOf(result)} />
            </td>
            <td>{domain}</td>
            <td class="muted">{about}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Describes a result of SPF. The words of the check on `none` read like a failure. */
const aboutSpf = ({ result, domain, explanation }: Message['spf']) =>
  result === 'none' && domain !== null
    ? `${domain} publishes no SPF record, so nothing was checked`
    : (explanation ?? '');

const aligned = ({ aligned_spf, aligned_dkim }: Message['dmarc']) =>
  aligned_spf || aligned_dkim
    ? `aligned by ${[aligned_spf ? 'SPF' : '', aligned_dkim ? 'DKIM' : ''].filter(Boolean).join(' and ')}`
    : 'not aligned';

/** Group of checks by severity. Passed checks are folded: they need no action. */
function Group({ title, tone, checks }: { title: string; tone: Tone; checks: AuditCheck[] }) {
  return (
    <details class={`check-group ${tone}`} open={tone !== 'good'}>
      <summary>
        <h2>
          {title} <span class="tab-count">{checks.length}</span>
        </h2>
      </summary>
      <ul>
        {checks.map(({ id, title, detail }) => (
          <li key={id}>
            <strong>{title}</strong>
            <span>{detail}</span>
          </li>
        ))}
      </ul>
    </details>
  );
}

/** Result in words and colour: colour never stands alone (WCAG 2.2, 1.4.1). */
export function Chip({ name, result, tone }: { name?: string; result: string; tone: Tone }) {
  return (
    <span class={`chip ${tone}`}>
      {name && <span class="chip-name">{name} </span>}
      {result}
    </span>
  );
}

/** Returns a number with its noun: `1 warning`, `3 warnings`. */
export const count = (many: number, one: string) => `${many} ${one}${many === 1 ? '' : 's'}`;
