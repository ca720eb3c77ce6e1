import './checks-tab.css';
import type { AuditCheck, Message, Severity } from '../client/shapes.ts';
import { Chip } from './chip.tsx';
import { type Tone, toneOf } from './results.ts';

const groups: [Severity, string, Tone][] = [
  ['critical', 'Critical', 'danger'],
  ['warning', 'Warnings', 'warning'],
  ['info', 'Worth knowing', 'plain'],
  ['passed', 'Passed', 'good'],
];

/** Table of the results of SPF, DKIM, DMARC and ARC. */
export function Authentication({
  of: { spf, dkim, dmarc, arc },
}: {
  of: Pick<Message, 'spf' | 'dkim' | 'dmarc' | 'arc'>;
}) {
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

/** Checks by severity, the worst first. */
export function CheckGroups({ checks }: { checks: Record<Severity, AuditCheck[]> }) {
  return (
    <>
      {groups.map(([severity, title, tone]) =>
        checks[severity].length === 0 ? null : (
          <Group key={severity} title={title} tone={tone} checks={checks[severity]} />
        ),
      )}
    </>
  );
}

/** Group of checks by severity. Passed checks are folded: they need no action. */
function Group({ title, tone, checks }: { title: string; tone: Tone; checks: AuditCheck[] }) {
  return (
    <details class={`check-group ${tone}`} open={tone !== 'good'}>
      <summary>
        <h2>
          {title} <span class="badge tab-count">{checks.length}</span>
        </h2>
      </summary>
      <ul class="stack">
        {checks.map(({ id, title, detail }) => (
          <li key={id} class="remark">
            <strong>{title}</strong>
            <span>{detail}</span>
          </li>
        ))}
      </ul>
    </details>
  );
}
