import { parentPort, workerData } from 'node:worker_threads';
import { type LargeKind, largeMail, letters, type WireMail } from './mails.ts';
import { mixedMail } from './mixed-mails.ts';
import { SmtpConnection } from './smtp-connection.ts';

/** Load of emails from several clients at the same time, as fast as possible. */
export type SmtpLoad = {
  /** Port, or a list of ports, of which each client uses one. */
  port: number | number[];
  /** Recipient, or a list of recipients that the emails go to in turn. */
  to: string | string[];
  clients: number;
  mails: number;
  connections: 'kept' | 'one-a-mail';
  /** Letters or mixed emails from this serial number on, or the same large email each time. */
  content: { first: number; mixed?: boolean } | { kind: LargeKind; bytes: number };
};

/** Outcome. `latencies` are in ms up to the 250: from MAIL, or from connecting if `one-a-mail`. `ids` are in reply order. */
export type SmtpOutcome = { seconds: number; latencies: number[]; ids: string[] };

async function load(job: SmtpLoad): Promise<SmtpOutcome> {
  const { content } = job;
  const ports = [job.port].flat();
  const recipients = [job.to].flat();
  const [to = ''] = recipients;
  const nextMail = mailsOf(to, content);
  const latencies: number[] = [];
  const ids: string[] = [];
  let left = job.mails;

  const open = async (client: number) => {
    const connection = await SmtpConnection.open(ports[client % ports.length] ?? 0);
    await connection.hello();
    return connection;
  };
  const client = async (kept: SmtpConnection | undefined, index: number) => {
    while (left > 0) {
      left -= 1;
      const { mail, to = recipients[left % recipients.length] ?? '' } = nextMail();
      const begun = performance.now();
      const connection = kept ?? (await open(index));
      ids.push(await connection.send(to, mail));
      latencies.push(performance.now() - begun);
      if (!kept) await connection.quit();
    }
  };

  const clients = Array.from({ length: job.clients });
  const kept = await Promise.all(
    clients.map((_, index) => (job.connections === 'kept' ? open(index) : undefined)),
  );
  const begun = performance.now();
  await Promise.all(kept.map(client));
  const seconds = (performance.now() - begun) / 1000;
  await Promise.all(kept.map((connection) => connection?.quit()));
  return { seconds, latencies, ids };
}

/** Returns a function that composes the next email. A mixed email has its own recipient. */
function mailsOf(to: string, content: SmtpLoad['content']): () => { mail: WireMail; to?: string } {
  if ('kind' in content) {
    const mail = largeMail(to, content.kind, content.bytes);
    return () => ({ mail });
  }
  if (content.mixed) {
    let next = content.first;
    return () => mixedMail(to, next++);
  }
  const letter = letters(to, content.first);
  return () => ({ mail: letter() });
}

parentPort?.postMessage(await load(workerData));
