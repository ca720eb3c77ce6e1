import './checks-tab.css';
import { useEffect, useState } from 'preact/hooks';
import type { AuditCheck, ClientChecks, Message, Severity } from '../client/shapes.ts';
import { CopyButton } from '../parts/copy-button.tsx';
import { Failure, GreyLines, useRead } from '../parts/loaded.tsx';
import { Chip } from './chip.tsx';
import { ClientsSection } from './clients-section.tsx';
import { type Tone, toneOf } from './results.ts';

const groups: [Severity, string, Tone][] = [
  ['critical', 'Critical', 'danger'],
  ['warning', 'Warnings', 'warning'],
  ['info', 'Worth knowing', 'plain'],
  ['passed', 'Passed', 'good'],
];

/**
 * Tab of the results of SPF, DKIM, DMARC and ARC, of the checks with one sentence of advice each, the worst first, and of the mail
 * clients. The checks of the content are read when the tab is opened, and join those of the audit. `counted` takes the number of
 * critical checks and warnings once all are known.
 */
export function ChecksTab({ message, counted }: { message: Message; counted(problems: number): void }) {
  const { checks, authentication_results } = message.audit;
  const [reading, setReading] = useState(0);
  const { value: content, error } = useRead<ClientChecks>(`/api/messages/${message.id}/checks`, reading);
  const found = (severity: Severity) => [...checks[severity], ...(content?.findings[severity] ?? [])];
  useEffect(() => {
    if (content) counted(found('critical').length + found('warning').length);
  }, [content]);
  return (
    <div class="checks">
      <Authentication message={message} />
      {groups.map(([severity, title, tone]) =>
        found(severity).length === 0 ? null : (
          <Group key={severity} title={title} tone={tone} checks={found(severity)} />
        ),
      )}
      <section aria-labelledby="clients-title" aria-busy={!content && error === undefined}>
        <h2 id="clients-title">Mail clients</h2>
        {content ? (
          <ClientsSection checks={content} html={message.html} />
        ) : error === undefined ? (
          <GreyLines />
        ) : (
          <div class="checks-failure">
            <Failure error={error} />
            <button type="button" onClick={() => setReading(reading + 1)}>
              Try again
            </button>
          </div>
        )}
      </section>
      {content?.spam && <Spam verdict={content.spam} />}
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

/** Score of the spam filter, and the rules that made it, the worst first. */
function Spam({
  verdict: { score, threshold, rules, error },
}: {
  verdict: NonNullable<ClientChecks['spam']>;
}) {
  const isSpam = score !== null && threshold !== null && score >= threshold;
  return (
    <section aria-labelledby="spam-title">
      <div class="panel-bar">
        <h2 id="spam-title">Spam filter</h2>
        {score !== null && (
          <Chip result={`${score} of ${threshold ?? '?'}`} tone={isSpam ? 'danger' : 'good'} />
        )}
      </div>
      {error !== null && <p class="muted">The filter gave no score: {error}</p>}
      {rules.length > 0 && (
        <table class="results">
          <thead>
            <tr>
              <th scope="col">Rule</th>
              <th scope="col">Score</th>
              <th scope="col">Description</th>
            </tr>
          </thead>
          <tbody>
            {rules
              .toSorted((a, b) => b.score - a.score)
              .map((rule) => (
                <tr key={rule.name}>
                  <th scope="row">{rule.name}</th>
                  <td>{rule.score}</td>
                  <td class="muted">{rule.description}</td>
                </tr>
              ))}
          </tbody>
        </table>
      )}
    </section>
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
