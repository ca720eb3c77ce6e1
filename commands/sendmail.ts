import { hostname, userInfo } from 'node:os';
import { buffer } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { readConfig } from '#setup/config.ts';
import { sentenceOf } from '#telemetry/redact.ts';
import { SubmissionError, submit } from './sendmail-client.ts';
import { addresses, complete, headerRecipients, readMessage } from './sendmail-message.ts';

/** Exit codes from sysexits.h, which sendmail's callers understand. */
const exit = { ok: 0, usage: 64, data: 65, noUser: 67, unavailable: 69, temporary: 75 };

const flag = { type: 'boolean' } as const;
const value = { type: 'string' } as const;

/** Options of the classic sendmail, including those that have no effect here. */
const options = {
  'smtp-host': value,
  'smtp-port': value,
  'read-recipients': { ...flag, short: 't' },
  'ignore-dots': { ...flag, short: 'i' },
  sender: { ...value, short: 'f' },
  'sender-too': { ...value, short: 'r' },
  name: { ...value, short: 'F' },
  mode: { ...value, short: 'b' },
  option: { ...value, short: 'o', multiple: true },
  ...Object.fromEntries(
    [...'BeChLNOpRVX'].map((short) => [`ignored-${short}`, { ...value, short, multiple: true as const }]),
  ),
  ...Object.fromEntries([...'GmnUv'].map((short) => [`ignored-${short}`, { ...flag, short }])),
};

/**
 * Sends the message on standard input by SMTP, either to all recipients or to none. Accepts the options of the classic sendmail(8).
 * Returns the exit code.
 */
export async function sendmail(args: string[], env: NodeJS.ProcessEnv): Promise<number> {
  try {
    const { values, positionals } = readOptions(args);
    const config = readConfig(env, { 'smtp-host': values['smtp-host'], 'smtp-port': values['smtp-port'] });
    const dotEnds = !values['ignore-dots'] && !values.option?.includes('i');
    const message = readMessage((await buffer(process.stdin)).toString('latin1'), dotEnds);
    const to = [
      ...positionals.flatMap(addresses),
      ...(values['read-recipients'] ? headerRecipients(message) : []),
    ].map(qualify);
    if (to.length === 0) return fail(values['read-recipients'] ? exit.data : exit.usage, 'no recipients');
    const from = (values.sender ?? values['sender-too'] ?? userInfo().username).replace(/^<(.*)>$/, '$1');
    const sender = { address: from === '' ? '' : qualify(from), name: values.name ?? '' };
    await submit(config.smtpHost, config.smtpPort, {
      helo: host(),
      from: sender.address,
      to: [...new Set(to)],
      message: complete(message, sender, new Date()),
    });
    return exit.ok;
  } catch (error) {
    if (error instanceof SubmissionError) return fail(exitCode(error), error.message);
    return fail(exit.usage, sentenceOf(error));
  }
}

/** Parses the options. Throws for an unknown option, or for a mode other than sending. */
function readOptions(args: string[]) {
  // Ignores -q, with or without an interval, because no queue exists.
  const end = args.includes('--') ? args.indexOf('--') : args.length;
  const meant = args.filter((arg, at) => at > end || !/^-q/.test(arg));
  const parsed = parseArgs({ args: meant, options, allowPositionals: true });
  const { mode } = parsed.values;
  if (mode !== undefined && mode !== 'm') throw new Error(`-b${mode} is not supported`);
  return parsed;
}

function exitCode({ step, code }: SubmissionError): number {
  if (code === 0) return exit.unavailable;
  if (code < 500) return exit.temporary;
  return { connect: exit.unavailable, recipient: exit.noUser, message: exit.data }[step];
}

function fail(code: number, reason: string): number {
  process.stderr.write(`sendmail: ${reason}\n`);
  return code;
}

// Bounded: the input is a command argument.
const hasDomain = /@[^"]*$/;

/** Adds this machine's name to an address without a host. */
function qualify(address: string): string {
  return hasDomain.test(address) ? address : `${address}@${host()}`;
}

function host(): string {
  return hostname().replaceAll(/[^A-Za-z0-9.-]/g, '-');
}
