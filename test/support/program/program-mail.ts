import assert from 'node:assert/strict';
import nodemailer from 'nodemailer';
import type { Program } from './program.ts';

export type TestMail = {
  to: string | string[];
  from?: string;
  subject?: string;
  text?: string;
  html?: string;
  /** Whole message, instead of the parts above. */
  raw?: string | Buffer;
  attachments?: { filename: string; content: string | Buffer; contentType?: string }[];
  headers?: Record<string, string>;
  cc?: string;
};

/** Sends an email by SMTP and returns the stored messages' IDs. */
export async function deliver(program: Pick<Program, 'smtpPort'>, mail: TestMail): Promise<number[]> {
  const response = await transmit(program, mail);
  const ids = /stored as ([\d,]+)/.exec(response)?.[1];
  assert.ok(ids, response);
  return ids.split(',').map(Number);
}

/** Sends an email by SMTP and returns the last reply. */
export async function transmit(
  program: Pick<Program, 'smtpPort'>,
  { to, from = 'shop@example.com', raw, ...mail }: TestMail,
): Promise<string> {
  const transport = nodemailer.createTransport({
    host: '127.0.0.1',
    port: program.smtpPort,
    ignoreTLS: true,
    // Ends before a test file's time limit, so the waiting test reports the failure.
    socketTimeout: 60_000,
  });
  const message = raw === undefined ? { from, to, subject: 'Hello', text: 'Hello there', ...mail } : { raw };
  const { response } = await transport.sendMail({ envelope: { from, to }, ...message });
  transport.close();
  return response;
}

/** Sends an email to one recipient by SMTP and returns the stored message's ID. */
export async function deliverOne(program: Pick<Program, 'smtpPort'>, mail: TestMail): Promise<number> {
  const [id] = await deliver(program, mail);
  assert.ok(id);
  return id;
}
