import './report.css';
import { useState } from 'preact/hooks';
import type { Message } from '../client/shapes.ts';
import { sentencesOf, toneOfReport } from './report-text.ts';

/** Number of recipients that are told of at first. */
const most = 5;

/** Note at the head of a bounce, a complaint or an automatic reply, with a sentence about each recipient. */
export function ReportNote({ report }: { report: NonNullable<Message['report']> }) {
  const [all, setAll] = useState(false);
  const said = sentencesOf(report);
  const shown = all ? said : said.slice(0, most);
  return (
    <div class={`report ${toneOfReport(report)}`} role="note">
      {shown.map((sentence, at) => (
        <p key={at}>{sentence}</p>
      ))}
      {shown.length < said.length && (
        <button type="button" class="link" onClick={() => setAll(true)}>
          and {said.length - shown.length} more
        </button>
      )}
    </div>
  );
}
