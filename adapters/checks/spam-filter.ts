import { request } from 'node:http';
import { connect } from 'node:net';
import type { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { SpamEnvelope, SpamFilter, SpamVerdict } from '#core/checks/spam.ts';
import { NotFound, TooMany } from '#core/errors.ts';
import { limits } from '#core/limits.ts';
import type { RawMessage } from '#core/messages/message.ts';
import { createFairLimiter } from '#gate/fair-limiter.ts';
import type { Metrics } from '#telemetry/metrics.ts';
import { readRspamdAnswer, readSpamdAnswer } from './spam-answers.ts';

const { waiting, spamMs, spamBytes, spamAnswerBytes, spamAtOnce } = limits.checks;

type Mail = { raw: RawMessage; envelope: SpamEnvelope };

/** Creates a filter's client from its address: `spamd://host:783`, or `http://host:11333` for rspamd. */
export function createSpamFilter(
  address: string,
  { limitReached }: Pick<Metrics, 'limitReached'>,
): SpamFilter {
  const url = new URL(address);
  const ask = url.protocol === 'spamd:' ? askSpamd : askRspamd;
  const inTurn = createFairLimiter({
    places: spamAtOnce,
    placesPerKey: 1,
    waitingPerKey: waiting,
    onFull: () => limitReached('checks.waiting'),
  });
  return {
    async judge(user, raw, envelope) {
      if (raw.sizeBytes > spamBytes) {
        limitReached('checks.spamBytes');
        return failed(
          `The email is larger than ${spamBytes} bytes, so Sandpost did not send it to the spam filter`,
        );
      }
      const signal = AbortSignal.timeout(spamMs);
      const work = () => {
        const late = new Promise<never>((_, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason), { once: true });
        });
        // Frees the place in time, even if the connection never settles.
        return Promise.race([ask(url, { raw, envelope }, signal), late]);
      };
      try {
        return await inTurn(String(user), work, signal);
      } catch (error) {
        if (error instanceof TooMany || error instanceof NotFound) throw error;
        if (!signal.aborted) return failed(reasonOf(error));
        limitReached('checks.spamMs');
        return failed(`The spam filter did not respond within ${spamMs / 1000} s`);
      }
    },
  };
}

function failed(error: string): SpamVerdict {
  return { score: null, threshold: null, rules: [], error };
}

/** Returns an error without addresses, since users must not learn about the network behind the filter. */
function reasonOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string'
    ? `Sandpost cannot reach the spam filter (${code})`
    : "Sandpost cannot read the spam filter's response";
}

/** Converts envelope text for a protocol line. */
const word = (text: string | null) => (text ?? '').replace(/[^\x21-\x7e]/g, '').slice(0, 255);

/** Sends REPORT (spamd/PROTOCOL). Adds a Received field that says how the email arrived, because the received bytes do not. */
async function askSpamd(url: URL, { raw, envelope }: Mail, signal: AbortSignal): Promise<SpamVerdict> {
  const { helo, remoteAddress, receivedBy, receivedAt } = envelope;
  const date = receivedAt.toUTCString().replace('GMT', '+0000');
  const received =
    remoteAddress === null
      ? ''
      : `Received: from ${word(helo) || 'unknown'} ([${word(remoteAddress)}])\r\n\tby ${word(receivedBy)} with ESMTP; ${date}\r\n`;
  const head = `REPORT SPAMC/1.5\r\nContent-length: ${received.length + raw.sizeBytes}\r\n\r\n${received}`;
  const socket = connect({
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: Number(url.port || 783),
    signal,
  });
  send(raw, head, socket);
  return readSpamdAnswer(await receive(socket));
}

/** Posts the email to /checkv2 of rspamd's normal worker. */
async function askRspamd(url: URL, { raw, envelope }: Mail, signal: AbortSignal): Promise<SpamVerdict> {
  const { helo, remoteAddress, mailFrom, rcptTo } = envelope;
  const fields = { Ip: remoteAddress, Helo: helo, From: mailFrom, Rcpt: rcptTo[0] ?? null };
  const told = Object.entries(fields).map(([name, value]): [string, string] => [name, word(value)]);
  const headers = {
    ...Object.fromEntries(told.filter(([, value]) => value !== '')),
    'Content-Length': raw.sizeBytes,
  };
  const asked = request(new URL('/checkv2', url), { method: 'POST', headers, signal, agent: false });
  const answer = new Promise<string>((resolve, reject) => {
    asked.once('error', reject);
    asked.once('response', (response) => resolve(receive(response)));
    // Without a listener, Node closes the connection after a 101 and reports no error.
    asked.once('upgrade', (_, socket) => {
      socket.destroy();
      reject(new Error('the response uses a different protocol'));
    });
    asked.once('close', () => reject(new Error('the connection closed without a response')));
  });
  send(raw, '', asked);
  return readRspamdAnswer(await answer);
}

/** Sends an email after a head. An error while sending ends the wait for the answer, which may arrive before the email is sent. */
function send(raw: RawMessage, head: string, into: Writable): void {
  async function* pieces() {
    yield Buffer.from(head);
    yield* raw.open();
  }
  pipeline(pieces, into).catch((error) => into.destroy(error));
}

async function receive(from: Readable): Promise<string> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of from) {
    bytes += piece.length;
    if (bytes > spamAnswerBytes) throw new Error('the response is too long');
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString();
}
