import './checks-tab.css';
import { useEffect, useState } from 'preact/hooks';
import type { ClientChecks, Message, Severity } from '../client/shapes.ts';
import { CopyButton } from '../parts/copy-button.tsx';
import { Failure, GreyLines, useRead } from '../parts/loaded.tsx';
import { AssumedForm } from './assumed-form.tsx';
import { Chip } from './chip.tsx';
import { ClientsSection } from './clients-section.tsx';
import { Authentication, CheckGroups } from './verdicts.tsx';

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
  const all = {
    critical: found('critical'),
    warning: found('warning'),
    info: found('info'),
    passed: found('passed'),
  };
  useEffect(() => {
    if (content) counted(all.critical.length + all.warning.length);
  }, [content]);
  return (
    <div class="checks">
      <Authentication of={message} />
      <AssumedForm message={message} />
      <CheckGroups checks={all} />
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
        <div class="line wrap panel-bar">
          <h2 id="results-title">Authentication-Results</h2>
          <CopyButton text={authentication_results} label="Copy Authentication-Results" />
        </div>
        <pre class="wraps source">{authentication_results}</pre>
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
      <div class="line wrap panel-bar">
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
