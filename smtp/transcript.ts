import type { Id } from '#core/ids.ts';
import { limits } from '#core/limits.ts';
import { firstCharacters } from '#core/messages/mail-record.ts';
import { type KeptLine, writeTranscript } from '#core/messages/transcript.ts';
import { mechanismOf, shownUser } from './sasl.ts';

/** Command with its answers and replies. `isPrivate`: the command may name recipients that not everybody may see. */
type Exchange = { verb: string; isPrivate: boolean; lines: KeptLine[] };

/** Commands whose text is shown. The text of any other command may be content, or a secret sent at the wrong time. */
const hellos = ['EHLO', 'HELO'];
const shown = [...hellos, 'STARTTLS', 'AUTH', 'MAIL', 'RCPT', 'DATA', 'BDAT'];
const beginsContent = ['DATA', 'BDAT'];
const auth = /^AUTH +(PLAIN|LOGIN|CRAM-MD5|XOAUTH2|OAUTHBEARER)( .*)?$/i;
/** Text that replaces text that must not be shown. */
const hidden = '***';

const { transcriptBytes, transcriptLines, transcriptLineCharacters } = limits.messages;
/** Limits beyond which no further commands are accepted, in a session and in a transaction before its content. */
const most = { session: transcriptBytes / 4, mail: transcriptBytes / 2, lines: transcriptLines };

/**
 * Dialogue of a connection. Each message keeps the greeting, the start of the session and the dialogue of its own transaction. The
 * dialogue is collected for every email, and costs a short string per line.
 */
export class Transcript {
  readonly #openedAt = performance.now();
  #session: Exchange[] = [{ verb: '', isPrivate: false, lines: [] }];
  #mail: Exchange[] = [];
  #mailSize = { bytes: 0, lines: 0 };
  #current: Exchange | null = this.#session[0] ?? null;
  /** Mechanism of the last AUTH, or '' if AUTH named no known mechanism. */
  #mechanism = '';
  /** Session so far, in the form that messages keep. Null after the session has changed. */
  #head: string | null = null;

  /** Adds a command. `text` is null if the command cannot be read. `isAnswer`: the command answers an AUTH challenge. */
  command(text: string | null, isAnswer: boolean): void {
    if (isAnswer) {
      this.#add('client', text === '*' ? text : shownResponse(this.#mechanism, text ?? ''));
      return;
    }
    const [word = ''] = (text ?? '').split(' ', 1);
    const verb = word.toUpperCase();
    if (verb === 'AUTH') this.#mechanism = auth.exec(text ?? '')?.[1] ?? '';
    const isOfSession = hellos.includes(verb) || verb === 'STARTTLS' || verb === 'AUTH';
    if (hellos.includes(verb) || (isOfSession && this.#mail.length === 0)) this.#beginInSession(verb);
    else if (verb === 'MAIL' || this.#mail.length > 0) this.#beginInMail(verb);
    else this.#current = { verb, isPrivate: true, lines: [] };
    this.#add('client', shownText(verb, text ?? ''));
  }

  /** Adds a reply. A private command and its reply are shown only to `team`, or to nobody. */
  reply(lines: string[], team: Id | null): void {
    for (const line of lines) this.#add('server', line);
    if (this.#current?.isPrivate) for (const line of this.#current.lines) line.team = team;
  }

  /** Removes the transaction's dialogue. */
  reset(): void {
    if (this.#current && this.#mail.includes(this.#current)) this.#current = null;
    this.#mail = [];
    this.#mailSize = { bytes: 0, lines: 0 };
  }

  /** Returns the dialogue up to the end of the content, in the form that messages keep. */
  take(): string {
    if (this.#current?.verb === 'DATA') this.#add('client', '.');
    this.#head ??= writeTranscript(linesOf(this.#session));
    return this.#head + writeTranscript(linesOf(this.#mail));
  }

  /**
   * Returns the dialogue so far, in the form that messages keep, for a team that the current command concerns. `isSubmitter`: the team
   * has signed in. Other teams do not see earlier sign-ins, which may name another team's account.
   */
  upToRefusal(isSubmitter: boolean): string {
    const current = this.#current;
    const underWay = current?.lines.at(-1)?.from === 'client' ? current : null;
    const earlier = [...this.#session, ...this.#mail].filter(
      (one) => one !== underWay && (isSubmitter || one.verb !== 'AUTH'),
    );
    const lines = (underWay?.lines ?? []).map(({ atMs, from, line }) => ({ atMs, from, line }));
    return writeTranscript([...linesOf(earlier), ...lines]);
  }

  #beginInSession(verb: string): void {
    this.#head = null;
    const secured = this.#session.findLastIndex((exchange) => exchange.verb === 'STARTTLS');
    const isReplaced = (one: Exchange, index: number) => index > secured && hellos.includes(one.verb);
    if (hellos.includes(verb)) this.#session = this.#session.filter((one, index) => !isReplaced(one, index));
    this.#current = { verb, isPrivate: false, lines: [] };
    if (!isBeyond(sizeOf(this.#session), most.session)) this.#session.push(this.#current);
  }

  #beginInMail(verb: string): void {
    this.#current = { verb, isPrivate: verb === 'RCPT' || !shown.includes(verb), lines: [] };
    if (isBeyond(this.#mailSize, most.mail)) {
      if (!beginsContent.includes(verb)) return;
      // Content arrives in a few commands or in many chunks. Only the last chunk is kept.
      this.#mail = this.#mail.filter((one) => one.verb !== verb);
    }
    this.#mail.push(this.#current);
  }

  #add(from: KeptLine['from'], text: string): void {
    if (this.#current === null) return;
    const line = firstCharacters(text, transcriptLineCharacters);
    const kept = { atMs: Math.round(performance.now() - this.#openedAt), from, line };
    this.#current.lines.push(this.#current.isPrivate ? { ...kept, team: null } : kept);
    if (this.#mail.length === 0) return;
    this.#mailSize.bytes += Buffer.byteLength(line);
    this.#mailSize.lines += 1;
  }
}

const linesOf = (exchanges: Exchange[]) => exchanges.flatMap(({ lines }) => lines);

type Size = { bytes: number; lines: number };

function sizeOf(exchanges: Exchange[]): Size {
  const lines = linesOf(exchanges);
  return { bytes: lines.reduce((sum, { line }) => sum + Buffer.byteLength(line), 0), lines: lines.length };
}

const isBeyond = ({ bytes, lines }: Size, mostBytes: number) => bytes > mostBytes || lines > most.lines;

function shownText(verb: string, text: string): string {
  if (!shown.includes(verb)) return hidden;
  if (verb !== 'AUTH') return text;
  const [, name, response] = auth.exec(text) ?? [];
  if (name === undefined) return hidden;
  return response === undefined ? `AUTH ${name}` : `AUTH ${name} ${shownResponse(name, response)}`;
}

/**
 * Returns the text that replaces an AUTH response: the user's name if the response contains a token, otherwise no part of the response.
 */
function shownResponse(name: string, response: string): string {
  const user = shownUser(mechanismOf(name), response);
  return user === null ? hidden : `user=${user} ${hidden}`;
}
