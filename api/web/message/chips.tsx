import type { Message } from '../client/shapes.ts';
import { goMail } from '../place.ts';
import { isLocalMail, problemsOf, resultsOf } from './results.ts';
import { type Tone, toneOf } from './tone.ts';

/**
 * Button with the results of SPF, DKIM, DMARC and the audit. A press shows the checks. Local mail has one quiet line in place of
 * results that it never has.
 */
export function Chips({ message }: { message: Message }) {
  const isLocal = isLocalMail(message);
  const { critical, warning } = problemsOf(message);
  const problems = [
    critical.length > 0 ? `${critical.length} critical` : '',
    warning.length > 0 ? count(warning.length, 'warning') : '',
  ].filter((text) => text !== '');
  return (
    <button type="button" class="chips" title="Show the checks" onClick={() => goMail({ tab: 'checks' })}>
      {isLocal ? (
        <span class="chips-quiet">Local mail, without SPF, DKIM and DMARC</span>
      ) : (
        resultsOf(message).map(([name, result]) => (
          <Chip key={name} name={name} result={result} tone={toneOf(result)} />
        ))
      )}
      {(!isLocal || problems.length > 0) && (
        <Chip
          name="Audit"
          result={problems.join(', ') || 'nothing found'}
          tone={critical.length > 0 ? 'danger' : warning.length > 0 ? 'warning' : 'good'}
        />
      )}
    </button>
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
