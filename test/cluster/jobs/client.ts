import { setTimeout as pause } from 'node:timers/promises';
import { createTransport } from 'nodemailer';

/** Job variables: those from the Secret of an ApiKey or an Inbox, and those that its test adds. */
export const {
  SANDPOST_URL: url = '',
  SANDPOST_API_KEY: key = '',
  SANDPOST_SMTP_HOST: host = '',
  SANDPOST_SMTP_PORT: port = '',
  SANDPOST_ADDRESS: ownAddress = '',
  ADDRESS: address = ownAddress,
  SENDER: sender = '',
} = process.env;

export const headers = { 'x-api-key': key };

/** Mailer with a connection for each email, as in most programs that send mail. */
export const mailer = createTransport({ host, port: Number(port), ignoreTLS: true });

/** Sends a GET to the API. Retries after a broken connection, because a pod may end. Accepts any response. */
export async function get(path: string): Promise<Response> {
  for (let left = 20; ; left--) {
    try {
      const response = await fetch(`${url}${path}`, { headers });
      return new Response(await response.arrayBuffer(), response);
    } catch (error) {
      if (left === 0) throw error;
      await pause(500);
    }
  }
}

/** Prints a line for the test. */
export const print = (line: object): void => {
  process.stdout.write(`${JSON.stringify(line)}\n`);
};
