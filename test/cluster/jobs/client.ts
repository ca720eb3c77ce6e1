import { setTimeout as pause } from 'node:timers/promises';
import { createTransport } from 'nodemailer';

/** What the Secret of an ApiKey tells a Job, and what its test adds. */
export const {
  SANDPOST_URL: url = '',
  SANDPOST_API_KEY: key = '',
  SANDPOST_SMTP_HOST: host = '',
  SANDPOST_SMTP_PORT: port = '',
  ADDRESS: address = '',
  SENDER: sender = '',
} = process.env;

export const headers = { 'x-api-key': key };

/** A connection a mail, as most programs that send mail have it. */
export const mailer = createTransport({ host, port: Number(port), ignoreTLS: true });

/** A GET of the API. A connection that breaks is tried again, for a pod may end under it; an answer is taken as it is. */
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

/** A line for the test to read. */
export const print = (line: object): void => {
  process.stdout.write(`${JSON.stringify(line)}\n`);
};
