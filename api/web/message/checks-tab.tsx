import './checks-tab.css';
import { useState } from 'preact/hooks';
import type { CheckedLinks, ClientChecks, Message, Severity } from '../client/shapes.ts';
import { usePage } from '../page.ts';
import { CopyButton } from '../parts/copy-button.tsx';
import { Failure, GreyLines, type Loaded, useRead } from '../parts/loaded.tsx';
import { count } from '../parts/size.ts';
import { AssumedForm } from './assumed-form.tsx';
import { Chip } from './chip.tsx';
import { ClientsSection } from './clients-section.tsx';
import { problemsOf } from './results.ts';
import { FixFirst, Group } from './verdicts.tsx';

/** Content findings that the email's audit also reports. */
const inAudit = ['one-click-unsubscribe', 'text-part'];

/**
 * Tab of an email's findings, each listed once, most severe first. The tab's number is the number of items in `Fix first`, which comes
 * with the message. Results for mail clients are read when the tab is opened.
 */
export function ChecksTab({ message }: { message: Message }) {
  const { checks, authentication_results } = message.audit;
  const { value: content, error, again } = useRead<ClientChecks>(`/api/messages/${message.id}/checks`);
  const found = (severity: Severity) =>
    (content?.findings[severity] ?? []).filter(({ id }) => !inAudit.includes(id));
  return (
    <div class="checks">
      <FixFirst of={problemsOf(message)} />
      <AssumedForm message={message} />
      <Group title="Worth fixing" of={[['warning', [...found('critical'), ...found('warning')]]]} />
      <Group title="Worth knowing" of={[['plain', [...checks.info, ...found('info')]]]} />
      <Group title="Passed" of={[['good', [...checks.passed, ...found('passed')]]]} />
      <section aria-labelledby="clients-title" aria-busy={!content && error === undefined}>
        <h2 id="clients-title">Mail clients</h2>
        {content ? (
          <ClientsSection checks={content} html={message.html} chosen={again} />
        ) : error === undefined ? (
          <GreyLines />
        ) : (
          <Failure error={error} again={again} />
        )}
      </section>
      <LinksSection message={message} />
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

/** Spam filter's score, and the rules behind it, worst first. */
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
      {error !== null && <p class="muted">The spam filter returned no score: {error}</p>}
      <ul class="stack">
        {rules
          .toSorted((a, b) => b.score - a.score)
          .map(({ name, score, description }) => (
            <li key={name} class="remark">
              <strong>
                {score} {name}
              </strong>{' '}
              {description}
            </li>
          ))}
      </ul>
    </section>
  );
}

/**
 * Links of an email, which the server requests when a member starts the check. If requests are not allowed, the API names the setting.
 */
function LinksSection({ message: { id, links } }: { message: Message }) {
  const { mayWrite, request } = usePage();
  const [{ value, error }, setLoaded] = useState<Loaded<CheckedLinks>>({});
  const [busy, setBusy] = useState(false);
  const check = async () => {
    setBusy(true);
    setLoaded(
      await request<CheckedLinks>('POST', `/api/messages/${id}/checks/links`).then(
        (value) => ({ value }),
        (error) => ({ error }),
      ),
    );
    setBusy(false);
  };
  if (links.length === 0 || !mayWrite.value) return null;
  return (
    <section aria-labelledby="links-title" aria-busy={busy}>
      <div class="line wrap panel-bar">
        <h2 id="links-title">Links</h2>
        <button type="button" disabled={busy} onClick={check}>
          {busy ? 'Checking…' : `Check ${count(links.length, 'link')}`}
        </button>
        <span class="muted">
          The server requests each link, except links that act: verify, reset, sign in.
        </span>
      </div>
      {error !== undefined && <Failure error={error} />}
      <div role="status">
        <ul class="stack">
          {value?.map(({ url, status, error }) => (
            <li key={url} class="remark breaks">
              <Chip
                result={status === null ? 'none' : `${status}`}
                tone={status === null ? 'plain' : status < 400 ? 'good' : 'danger'}
              />{' '}
              {url} <span class="muted">{error}</span>
            </li>
          ))}
        </ul>
      </div>
    </section>
  );
}
