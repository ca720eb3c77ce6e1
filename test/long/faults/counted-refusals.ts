import { SmtpClient } from '#test/support/clients/smtp-client.ts';

/** Replies to senders that repeatedly name one recipient. Whether an unanswered attempt was counted is unknown. */
export class CountedRefusals {
  refused = 0;
  taken = 0;
  unanswered = 0;

  /** Names the recipient until the signal aborts or the server is gone. */
  async name(port: number, address: string, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const client = new SmtpClient(port);
      try {
        await client.greet();
        while (await this.#once(client, address)) if (signal.aborted) break;
        if (client.socket.closed) return;
      } finally {
        client.destroy();
      }
    }
  }

  /** Returns whether the connection continues. */
  async #once(client: SmtpClient, address: string): Promise<boolean> {
    if (!(await client.command('MAIL FROM:<s@sender.test>')).startsWith('250')) return false;
    const reply = await client.command(`RCPT TO:<${address}>`);
    if (reply.startsWith('451 4.7.1')) this.refused += 1;
    else if (reply.startsWith('250')) this.taken += 1;
    else this.unanswered += 1;
    return (await client.command('RSET')).startsWith('250');
  }
}
