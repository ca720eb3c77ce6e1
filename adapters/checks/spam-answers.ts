import type { SpamRule, SpamVerdict } from '#core/checks/spam.ts';

/** Error for an answer that does not follow the filter's protocol. */
class UnreadableAnswer extends Error {
  override name = 'UnreadableAnswer';
}

const mostRules = 500;
const mostCharacters = 500;

function verdict(score: unknown, threshold: unknown, rules: SpamRule[]): SpamVerdict {
  if (!isNumber(score) || !isNumber(threshold)) throw new UnreadableAnswer('the response has no score');
  const sorted = rules.sort((a, b) => b.score - a.score).slice(0, mostRules);
  const cut = (text: string) => text.slice(0, mostCharacters);
  return {
    score,
    threshold,
    rules: sorted.map((rule) => ({ ...rule, name: cut(rule.name), description: cut(rule.description) })),
    error: null,
  };
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

/** Parses spamd's answer to REPORT: a head with the score, and a table of rules, whose descriptions may span several lines. */
export function readSpamdAnswer(answer: string): SpamVerdict {
  const [head = '', report = ''] = answer.split('\r\n\r\n', 2);
  const found = /^SPAMD\/[\d.]+ 0 EX_OK\r\n(?:.*\r\n)*?Spam: \w+ ; (-?[\d.]+) \/ (-?[\d.]+)/.exec(
    `${head}\r\n`,
  );
  const [, table = ''] = report.split(/^ *-{4} -+ -+\r?\n/m, 2);
  const rules: SpamRule[] = [];
  for (const line of table.split(/\r?\n/)) {
    // Bounded: the filter's answer is read up to a limit.
    const [, score, name = '', description = ''] = /^\s*(-?[\d.]+) (\w+)\s+(.*)$/.exec(line) ?? [];
    const last = rules.at(-1);
    if (score !== undefined) rules.push({ name, score: Number(score), description });
    else if (line.trim() === '') break;
    else if (last !== undefined) last.description += ` ${line.trim()}`;
  }
  return verdict(Number(found?.[1] ?? Number.NaN), Number(found?.[2] ?? Number.NaN), rules);
}

/** Parses rspamd's JSON answer to /checkv2. */
export function readRspamdAnswer(answer: string): SpamVerdict {
  const { score, required_score, symbols } = objectOf(JSON.parse(answer));
  const rules = Object.entries(objectOf(symbols)).map(([name, symbol]): SpamRule => {
    const { score, description = '' } = objectOf(symbol);
    if (!isNumber(score)) throw new UnreadableAnswer('a rule has no score');
    return { name, score, description: String(description) };
  });
  return verdict(score, required_score, rules);
}

function objectOf(value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null)
    throw new UnreadableAnswer('the response is not an object');
  return value as Record<string, unknown>;
}
