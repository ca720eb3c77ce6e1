import type { Id } from '#core/ids.ts';
import type { Message } from './message.ts';

/** Line of the SMTP dialogue that delivered a message. `atMs` is the time since the start of the connection. */
export type TranscriptLine = { atMs: number; from: 'client' | 'server'; line: string };

/**
 * Line to keep. `team` limits a line to one team's readers, or to nobody (null): for example, other teams' RCPT commands and the replies
 * to them. If `team` is absent, all readers see the line.
 */
export type KeptLine = TranscriptLine & { team?: Id | null };

/** Character between a dialogue's rows. No line contains this character, and JSON does not escape it. */
const separator = '\x7f';

/**
 * Formats lines as messages keep them, one per row: the time, C or S for the side, the only team that may see the line, and the text:
 * `12C MAIL FROM:<s@s.test>`, `13c7 RCPT TO:<a@b.test>`, `13s7 250 2.1.5 Accepted`. This format is shorter than JSON.
 */
export function writeTranscript(lines: KeptLine[]): string {
  let written = '';
  for (const { atMs, from, line, team } of lines) {
    const side = from === 'client' ? 'C' : 'S';
    const mark = team === undefined ? side : `${side.toLowerCase()}${team ?? ''}`;
    written += `${atMs}${mark} ${line}${separator}`;
  }
  return written;
}

type Read = { envelope: Pick<Message['envelope'], 'rcptTo'> } & {
  content: Pick<Message['content'], 'transcript'>;
};

/**
 * Reads the lines of a message's dialogue that its team may see, up to the end of the content. Other teams' recipients stay hidden. The
 * envelope's own recipients stay visible even after their domain has moved.
 */
export function keptTranscript({ content, envelope }: Read, reader: Id): TranscriptLine[] {
  const lines: TranscriptLine[] = [];
  let isCommandSeen = false;
  for (const row of (content.transcript ?? '').split(separator)) {
    const [, atMs = '', side = '', team = '', line = ''] = /^(\d+)([CScs])(\d*) (.*)$/s.exec(row) ?? [];
    if (side === '') isCommandSeen = false;
    if (side === 'c') isCommandSeen = Number(team) === reader || envelope.rcptTo.includes(recipientOf(line));
    const isSeen = side === 'C' || side === 'S' || (side !== '' && isCommandSeen);
    const from = side.toUpperCase() === 'C' ? 'client' : 'server';
    if (isSeen) lines.push({ atMs: Number(atMs), from, line });
  }
  return lines;
}

/** Returns the last lines of a dialogue, as messages keep them, that fit in a number of characters. */
export function lastLines(written: string, most: number): string {
  const end = written.slice(-most);
  return end === written ? end : end.slice(end.indexOf(separator) + 1);
}

/**
 * Reads the whole dialogue that delivered a message, as far as the message's team may see it. Empty for a message that did not arrive by
 * SMTP. The last line is the reply with the message's ID, which was sent after the message was stored; it has the time of the line before
 * it.
 */
export function transcriptOf(message: Read & Pick<Message, 'id'>, reader: Id): TranscriptLine[] {
  const lines = keptTranscript(message, reader);
  const end = lines.at(-1);
  if (end === undefined) return [];
  return [...lines, { ...end, from: 'server', line: `250 2.6.0 stored as ${message.id}` }];
}

function recipientOf(line: string): string {
  return /^RCPT TO: *<(?:@[^:]*:)?([^<>]*)>/i.exec(line)?.[1] ?? '';
}
